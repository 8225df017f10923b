// The first start over rich histories: read and stored bit by bit, also where the daemon is killed in the middle.
import { expect, test } from 'vitest'
import { seconds } from '../../../src/model/units.ts'
import { compare, outside } from './bounds.ts'
import { at, runDays } from './days.ts'

const DAY = 86_400
const [projects, days, minutes] = [40, 30, 60]
const WAKES_A_DAY = 60

test('no sweep holds more than some histories, and a kill loses none that was stored', async () => {
  const past = days * DAY
  const outcome = await runDays({
    projects: Array.from({ length: projects }, (_, project) => ({
      name: `project-${project}`,
      suspendTimeoutSeconds: 60,
      activity: Array.from({ length: days * WAKES_A_DAY }, (__, wake) =>
        at(wake * (DAY / WAKES_A_DAY) + project - past),
      ),
    })),
    past,
    faults: [],
    length: seconds(minutes * 60),
    isKilledAfter: (pass) => pass % 4 === 2,
  })
  const pagesOf = (pass: number): number =>
    outcome.reports
      .slice(outcome.passes[pass - 1]?.requests ?? 0, outcome.passes[pass]?.requests)
      .filter(({ operation }) => operation === 'list_operations').length
  const pages = outcome.passes.map((_, pass) => pagesOf(pass))
  // 10,000 operations, the history of up to 8,000 that is read then, and a page for each project that is looked at.
  expect(Math.max(...pages)).toBeLessThanOrEqual(10 + 9 + projects)
  const wakes = outcome.state.ledger.computes.values().map(({ counters }) => counters.wakes)
  expect([...wakes]).toEqual(Array.from({ length: projects }, () => days * WAKES_A_DAY))
  const last = outcome.passes.at(-1)
  expect(last && outside(compare(last))).toEqual([])
})
