// A report as text and back, in steps.
import { expect, test } from 'vitest'
import { runSync, type Cooperative } from '../../../../src/std/cooperative.ts'
import { renderCsv } from '../../../../src/outputs/report/formats/csv-report.ts'
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

test.each([0, 1, 499, 500, 501, 1700])('of %i computes is the JSON of them, and comes back', (count) => {
  const whole = report(count)
  expect(runSync(renderJson(whole))).toBe(`${JSON.stringify(whole, undefined, 2)}\n`)
  const kept = runSync(renderArchivedJson(whole))
  expect(JSON.parse(kept)).toEqual(whole)
  expect(runSync(parseReport(kept))).toEqual(whole)
  expect(runSync(parseReport(JSON.stringify(whole)))).toEqual(whole)
})

const turnsOf = (steps: Cooperative<unknown>): number => {
  let turns = 0
  while (!steps.next().done) turns += 1
  return turns
}

test('of many computes it is written and read in many steps', () => {
  const whole = report(5000)
  const kept = runSync(renderArchivedJson(whole))
  const turns = [renderJson(whole), renderArchivedJson(whole), renderCsv(whole), parseReport(kept)].map(
    (steps) => turnsOf(steps),
  )
  expect(turns.map((count) => count >= 10)).toEqual([true, true, true, true])
})
