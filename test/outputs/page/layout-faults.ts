// What a browser lays out wrongly.
import type { Page } from 'playwright-core'

/** What leaves its card, or would have to be moved to be read. */
export const CUT = `(() => {
  const named = (one) => one.className + ' ' + one.textContent.trim().slice(0, 40)
  const moved = [...document.querySelectorAll('.wide')].filter((one) => one.scrollWidth > one.clientWidth)
  const left = [...document.querySelectorAll('section')].flatMap((section) => {
    const right = section.getBoundingClientRect().right - parseFloat(getComputedStyle(section).paddingRight)
    return [...section.querySelectorAll('p, table, td, th, dd, figcaption, svg, text, rect')].filter(
      (one) => one.getBoundingClientRect().right > right + 1,
    )
  })
  return [...moved, ...left].map(named)
})()`

/** Labels of figures that reach into the next one. */
export const WIDER = `[...document.querySelectorAll('.figure dt')]
  .filter((label) => label.scrollWidth > label.clientWidth)
  .map((label) => label.textContent)`

/** Widths at which the page must be moved sideways; it is as wide as the last one afterwards. */
export async function widthsThatScroll(page: Page, widths: readonly number[]): Promise<readonly number[]> {
  const scrolling: number[] = []
  for (const width of widths) {
    // oxlint-disable-next-line no-await-in-loop -- one page, one width after the other
    await page.setViewportSize({ width, height: 800 })
    // oxlint-disable-next-line no-await-in-loop -- as above
    if ((await page.evaluate('document.documentElement.scrollWidth')) !== width) scrolling.push(width)
  }
  return scrolling
}
