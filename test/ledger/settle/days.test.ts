import { expect, test } from 'vitest'
import { createZone } from '../../../src/calendar/zone.ts'
import type { DayRow } from '../../../src/model/ledger/quantities.ts'
import type { Ledger } from '../../../src/model/ledger/ledger.ts'
import { accounted } from '../../support/accounted.ts'
import { at, ledger, look, prices, sweep } from '../../support/build.ts'

const HOUR = 3600
const zone = createZone('Europe/Berlin')
if (!zone.ok) throw new Error(zone.error)
const { dayOf } = zone.value

/** Every row that was told, in order, after looks at these hours. */
function rowsOf(
  looks: readonly (readonly [hour: number, ...seen: Parameters<typeof look>[1][]])[],
): DayRow[] {
  let known: Ledger = ledger()
  return looks.flatMap(([hour, seen]) => {
    const when = hour * HOUR
    const folded = accounted(known, sweep(when, seen ? { looks: [look(when, seen)] } : { projects: [] }), {
      prices,
      overhead: 0.01,
      now: at(when),
      dayOf,
    })
    known = folded.ledger
    return [...folded.days]
  })
}

const shown = ({ date, awake, wakes, version, idleTail }: DayRow): unknown => [
  date,
  awake.likely / 1000,
  wakes,
  idleTail / 1000,
  version,
]

/** Midnight in Berlin is 23:00 UTC: the day begins an hour before that of `at(0)`. */
const awake = { state: 'active', startedAt: at(20 * HOUR), lastActive: at(24 * HOUR) } as const
const begun = { ...awake, lastActive: undefined }
const asleep = { ...awake, state: 'idle', suspendedAt: at(25 * HOUR) } as const

test('an interval over midnight is cut there, its wake counts on its first day, its tail where it lies', () => {
  const rows = rowsOf([
    [21, begun],
    [25.5, asleep],
    [27, asleep],
  ])
  expect(rows.map(shown)).toEqual([
    ['2026-01-05', HOUR - 0.5, 1, 0, 0],
    ['2026-01-05', 3 * HOUR - 0.5, 1, 0, 1],
    ['2026-01-06', 2 * HOUR + 0.5, 0, HOUR, 0],
  ])
})

test('a day that is over and told otherwise by a later fact gets a higher version', () => {
  // An interval assumed to cross midnight had ended before it.
  const rows = rowsOf([
    [22, begun],
    [23.1, { ...awake, lastActive: undefined }],
    [23.2, { ...asleep, suspendedAt: at(22.95 * HOUR) }],
  ])
  const last = rows.filter(({ date }) => date === '2026-01-05').at(-1)
  expect(rows.map(({ version }) => version)).toContain(1)
  expect(last?.version).toBe(2)
  expect(last?.awake.likely).toBeLessThan(3 * HOUR * 1000)
})
