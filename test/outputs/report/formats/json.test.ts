// A report as text and back.
import { expect, test } from 'vitest'
import { renderCsv } from '../../../../src/outputs/report/formats/formats.ts'
import { renderJson, renderArchivedJson, parseReport } from '../../../../src/outputs/report/formats/json.ts'
import { FLEETS, inputOf, told } from '../fleets.ts'

const HOSTILE = ['"computes":[]', '\n  "computes": []', 'line\nbreak', '\u2028', '],[', '\\']

const report = (count: number) =>
  told(
    inputOf({
      ...FLEETS.busy,
      computes: Array.from({ length: count }, (_, index) => ({
        endpointId: `ep-${index}`,
        hours: 1 + (index % 20),
        place: { projectName: HOSTILE[index % HOSTILE.length], name: HOSTILE[(index + 1) % HOSTILE.length] },
      })),
      events: HOSTILE.map((what) => [1, 'problem', what] as const),
    }),
  )

test.each([0, 1, 499, 500, 501, 1700])(
  'a report of %i computes is plain JSON, and parses back to the same report',
  (count) => {
    const whole = report(count)
    expect(renderJson(whole).join('')).toBe(`${JSON.stringify(whole, undefined, 2)}\n`)
    const archived = renderArchivedJson(whole)
    expect(JSON.parse(archived)).toEqual(whole)
    expect(parseReport(archived)).toEqual(whole)
    expect(parseReport(JSON.stringify(whole))).toEqual(whole)
  },
)

test('a text or a line holds at most 500 computes', () => {
  const whole = report(1700)
  expect(renderJson(whole)).toHaveLength(1 + 4 + 1)
  expect(renderCsv(whole)).toHaveLength(1 + 4)
  expect(renderArchivedJson(whole).split('\n')).toHaveLength(1 + 4 + 1)
})
