// Style sheet and script of the pages. A hash of the content is in the name, so browsers may cache them forever.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export type Asset = Readonly<{ path: string; body: string; type: string }>

const FOLDER = join(import.meta.dirname, '../../../outputs/page')

/** In order: of rules with equal specificity the later one applies. */
const STYLES = ['frame', 'text', 'sections', 'figures', 'tables', 'fleet', 'timelines', 'charts']

/** Style sheets as one: a browser waits for one response only. */
export const readStyle = (): string => STYLES.map((name) => read(`style/${name}.css`)).join('')

export const readAssets = () => ({
  style: assetOf('style.css', readStyle(), 'text/css; charset=utf-8'),
  script: assetOf('script.js', read('script.js'), 'text/javascript; charset=utf-8'),
})

const read = (file: string) => readFileSync(join(FOLDER, file), 'utf8')

const assetOf = (name: string, body: string, type: string): Asset => ({
  path: `/assets/${name.replace('.', `-${contentHash(body)}.`)}`,
  body,
  type,
})

/** 16 characters that are safe in a URL. */
export const contentHash = (text: string): string =>
  createHash('sha256').update(text).digest('base64url').slice(0, 16)
