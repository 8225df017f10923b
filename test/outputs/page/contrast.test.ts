// Contrast in the light and the dark theme: at least 4.5 to 1 for text, 3 to 1 for graphics.
import { describe, expect, test } from 'vitest'
import { readStyle } from '../../../src/daemon/http/pages/page-routes.ts'
import { REPORT_RENDERINGS } from '../../../src/outputs/report/formats/formats.ts'
import { FLEETS, inputOf, told } from '../report/fleets.ts'

const PAGE = readStyle()
const [, REPORT = ''] =
  /<style>([^<]*)<\/style>/.exec(
    REPORT_RENDERINGS['html-full'].render(told(inputOf(FLEETS.quiet))).join(''),
  ) ?? []

type Scheme = 'light' | 'dark'

const full = (colour: string): string =>
  colour.length === 4 ? colour.replaceAll(/[\da-f]/gi, (digit) => digit + digit) : colour

function coloursOf(style: string, scheme: Scheme): ReadonlyMap<string, string> {
  const all = style.matchAll(/(--[a-z]+): light-dark\((#[\da-f]+), (#[\da-f]+)\)/gi)
  return new Map(
    [...all].map(([, name = '', light = '', dark = '']) => [name, full(scheme === 'light' ? light : dark)]),
  )
}

/** As WCAG 2 has it. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((from) => {
    const part = parseInt(colour.slice(from, from + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(one: string, other: string): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (high + 0.05) / (low + 0.05)
}

/** The colour that a rule draws with, as `--name`. */
function drawnWith(style: string, selector: string): string {
  const rule = style.split('}').find((one) => one.includes(`${selector} {`)) ?? ''
  return /(?:stroke|fill|border-color): var\((--[a-z]+)\)/.exec(rule.slice(rule.indexOf(selector)))?.[1] ?? ''
}

const GRAPHICS = {
  page: [
    PAGE,
    [
      '.timeline .busy',
      '.timeline .tail',
      '.timeline .asleep',
      '.timeline .unknown',
      '.timeline .day',
      '.timeline .restart',
      '.axis line',
      '.bars .spent',
      '.bars .before',
      '.fan .band',
      '.fan .likely',
      '.fan .spent',
      '.fan .today',
      '.fan .limit',
      '.fan .before',
      ...[1, 2, 3, 4, 5].map((part) => `.days .part-${part}`),
      '.days .others',
    ],
  ],
  report: [
    REPORT,
    ['.bars .spent', '.bars .before', '.fan .likely', '.fan .spent', '.fan .today', '.fan .limit'],
  ],
} as const

describe.each(['light', 'dark'] as const)('%s', (scheme) => {
  test.each(['page', 'report'] as const)('lines and areas of the %s are seen', (name) => {
    const [style, selectors] = GRAPHICS[name]
    const colours = coloursOf(style, scheme)
    const of = (colour: string): string => colours.get(colour) ?? 'none'
    const faint = selectors.flatMap((selector) => {
      const used = of(drawnWith(style, selector))
      const least = Math.min(contrast(used, of('--card')), contrast(used, of('--page')))
      return least >= 3 ? [] : [`${selector}: ${least.toFixed(2)}`]
    })
    expect(faint).toEqual([])
  })

  test.each(['page', 'report'] as const)('text of the %s is read', (name) => {
    const colours = coloursOf(GRAPHICS[name][0], scheme)
    for (const text of ['--text', '--soft'])
      for (const behind of ['--card', '--page'])
        expect(contrast(colours.get(text) ?? '', colours.get(behind) ?? '')).toBeGreaterThanOrEqual(4.5)
  })

  test('a restart differs from a time of use by an edge that is seen', () => {
    const colours = coloursOf(PAGE, scheme)
    const [edge, busy] = ['.timeline .edge', '.timeline .busy'].map(
      (one) => colours.get(drawnWith(PAGE, one)) ?? '',
    )
    expect(contrast(edge ?? '', busy ?? '')).toBeGreaterThanOrEqual(3)
  })
})
