// Charts as inline SVG: classes and attributes only, so that they are shown where no style may come from the text.
import { html, type Html } from '../text/html.ts'

export type Bar = {
  readonly label: string
  /** What it says in words, with its unit. */
  readonly text: string
  readonly value: number
  /** Drawn under it, thinner; undefined: nothing is. */
  readonly before?: number | undefined
}

export type Bars = {
  readonly bars: readonly Bar[]
  /** What the chart says in words. */
  readonly text: string
}

/** Pixels: a line of text, and the bars under it. */
const ROW = 36
const ROW_WITH_BEFORE = 42

/**
 * Bars from left to right, each as long as its share of the largest, under its label and its amount: as wide as there is room,
 * and as legible on a telephone.
 */
export function barsSvg({ bars, text }: Bars): Html {
  const most = Math.max(...bars.flatMap(({ value, before = 0 }) => [value, before]), Number.MIN_VALUE)
  const share = (value: number): string => `${((100 * value) / most).toFixed(1)}%`
  const row = bars.some(({ before }) => before !== undefined) ? ROW_WITH_BEFORE : ROW
  return html`<svg class="bars" height="${row * bars.length}" role="img">
    <title>${text}</title>
    ${bars.map((bar, index) => barSvg(bar, { top: index * row, share }))}
  </svg>`
}

type Place = { readonly top: number; readonly share: (value: number) => string }

const barSvg = ({ label, text, value, before }: Bar, { top, share }: Place): Html =>
  html`<text class="label" x="0" y="${top + 13}">${label}</text
    ><text class="amount" x="100%" y="${top + 13}">${text}</text
    ><rect
      class="spent"
      y="${top + 19}"
      width="${share(value)}"
      height="10"
    />${before !== undefined && html`<rect class="before" y="${top + 31}" width="${share(before)}" height="4" />`}`
