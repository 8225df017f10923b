// Style and script of the pages, out of memory, under names that change with what is in them.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export type Asset = { readonly path: string; readonly body: string; readonly type: string }

export type Assets = { readonly style: Asset; readonly script: Asset }

export const readAssets = (): Assets => ({
  style: assetOf('style', 'css', 'text/css; charset=utf-8'),
  script: assetOf('script', 'js', 'text/javascript; charset=utf-8'),
})

const FOLDER = join(import.meta.dirname, '../../page')

function assetOf(name: string, extension: string, type: string): Asset {
  const body = readFileSync(join(FOLDER, `${name}.${extension}`), 'utf8')
  return { path: `/assets/${name}-${hashOf(body)}.${extension}`, body, type }
}

/** 16 letters of an address. */
export const hashOf = (text: string): string =>
  createHash('sha256').update(text).digest('base64url').slice(0, 16)
