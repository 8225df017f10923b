// Style sheet and script of the pages, served from memory. Their names contain a hash of the content, so browsers may cache them forever.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export type Asset = { readonly path: string; readonly body: string; readonly type: string }

const FOLDER = join(import.meta.dirname, '../../../outputs/page')

/** Parts of the style sheet in order: of rules with equal specificity the later one applies, so general parts come first. */
const STYLES = ['frame', 'text', 'sections', 'figures', 'tables', 'fleet', 'timelines', 'charts']

/** The parts as one sheet: a browser waits for one response only. */
export const readStyle = (): string => STYLES.map((name) => read(`style/${name}.css`)).join('')

export const readAssets = () => ({
  style: assetOf('style.css', readStyle(), 'text/css; charset=utf-8'),
  script: assetOf('script.js', read('script.js'), 'text/javascript; charset=utf-8'),
})

const read = (file: string): string => readFileSync(join(FOLDER, file), 'utf8')

const assetOf = (name: string, body: string, type: string): Asset => ({
  path: `/assets/${name.replace('.', `-${contentHash(body)}.`)}`,
  body,
  type,
})

/** 16 characters that are safe in a URL. */
export const contentHash = (text: string): string =>
  createHash('sha256').update(text).digest('base64url').slice(0, 16)
