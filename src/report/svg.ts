// Charts as inline SVG: classes and attributes only, so that they are shown where no style may come from the text.
import { html, type Html } from './markup.ts'

export type Bar = {
  readonly label: string
  /** What it says in words, with its unit. */
  readonly text: string
  readonly value: number
  /** Drawn behind it, thinner; undefined: nothing is. */
  readonly before?: number | undefined
}

export type Bars = {
  readonly bars: readonly Bar[]
  /** What the chart says in words. */
  readonly text: string
}

const WIDTH = 480
const ROW = 24
/** From the left, for labels. */
const LABELS = 130
/** To the right, for amounts. */
const AMOUNTS = 90

/** Bars from left to right, one under the other, each as long as its share of the largest. */
export function barsSvg({ bars, text }: Bars): Html {
  const most = Math.max(...bars.flatMap(({ value, before = 0 }) => [value, before]), Number.MIN_VALUE)
  const width = (value: number): number => Math.round(((WIDTH - LABELS - AMOUNTS) * value) / most)
  const height = ROW * bars.length
  return html`<svg class="bars" viewBox="0 0 ${WIDTH} ${height}" role="img">
    <title>${text}</title>
    ${bars.map((bar, index) => barSvg(bar, { top: index * ROW, width }))}
    <path class="axis" d="M${LABELS} 0V${height}" />
  </svg>`
}

type Place = { readonly top: number; readonly width: (value: number) => number }

const barSvg = ({ label, text, value, before }: Bar, { top, width }: Place): Html =>
  html`${before !== undefined && html`<path class="before" d="M${LABELS} ${top + 3}h${width(before)}v18h-${width(before)}Z" />`}<path
      class="spent"
      d="M${LABELS} ${top + 6}h${width(value)}v12h-${width(value)}Z"
    /><text class="label" x="${LABELS - 8}" y="${top + 16}">${label}</text
    ><text x="${LABELS + Math.max(width(value), width(before ?? 0)) + 6}" y="${top + 16}">${text}</text>`
