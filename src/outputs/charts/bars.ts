// Classes and no inline styles: the content security policy of the page forbids those.
import { html, type Html } from '../text/html.ts'

type Bar = Readonly<{
  label: string
  text: string
  value: number
  before?: number | undefined
}>

/** `text`: the alternative of the chart. */
type Bars = Readonly<{ bars: readonly Bar[]; text: string }>

/** Pixels: a line of text, and one or two bars. */
const ROW = 36
const ROW_WITH_BEFORE = 42

/** In percent of the largest, below labels and amounts: the chart is as wide as there is room, text stays legible on a phone. */
export function barsSvg({ bars, text }: Bars): Html {
  const most = Math.max(...bars.flatMap(({ value, before = 0 }) => [value, before]), Number.MIN_VALUE)
  const share = (value: number) => `${((100 * value) / most).toFixed(1)}%`
  const row = bars.some(({ before }) => before !== undefined) ? ROW_WITH_BEFORE : ROW
  return html`<svg class="bars" height="${row * bars.length}" role="img">
    <title>${text}</title>
    ${bars.map((bar, index) => barSvg(bar, index * row, share))}
  </svg>`
}

const barSvg = ({ label, text, value, before }: Bar, top: number, share: (value: number) => string) =>
  html`<text class="label" x="0" y="${top + 13}">${label}</text
    ><text class="amount" x="100%" y="${top + 13}">${text}</text
    ><rect
      class="spent"
      y="${top + 19}"
      width="${share(value)}"
      height="10"
    />${before !== undefined && html`<rect class="before" y="${top + 31}" width="${share(before)}" height="4" />`}`
