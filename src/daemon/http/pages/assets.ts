// Style and script of the pages, out of memory, under names that change with what is in them.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export type Asset = { readonly path: string; readonly body: string; readonly type: string }

export type Assets = { readonly style: Asset; readonly script: Asset }

const FOLDER = join(import.meta.dirname, '../../../outputs/page')

/** Of rules that weigh the same the later ones count: what is of one part of a page comes after what is of all. */
const STYLES = ['frame', 'text', 'sections', 'figures', 'tables', 'fleet', 'timelines', 'charts']

/** One sheet, so that a browser waits for one answer. */
export const readStyle = (): string => STYLES.map((name) => read(`style/${name}.css`)).join('')

export const readAssets = (): Assets => ({
  style: assetOf(readStyle(), { name: 'style', extension: 'css', type: 'text/css; charset=utf-8' }),
  script: assetOf(read('script.js'), {
    name: 'script',
    extension: 'js',
    type: 'text/javascript; charset=utf-8',
  }),
})

const read = (file: string): string => readFileSync(join(FOLDER, file), 'utf8')

const assetOf = (
  body: string,
  { name, extension, type }: Readonly<Record<'name' | 'extension' | 'type', string>>,
): Asset => ({
  path: `/assets/${name}-${contentHash(body)}.${extension}`,
  body,
  type,
})

/** 16 letters of an address. */
export const contentHash = (text: string): string =>
  createHash('sha256').update(text).digest('base64url').slice(0, 16)
