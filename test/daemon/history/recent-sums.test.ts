import { expect, test } from 'vitest'
import { createUtc } from '../../../src/calendar/zone.ts'
import { createRecentSums } from '../../../src/daemon/history/recent-sums.ts'
import type { DayRow } from '../../../src/model/ledger/quantities.ts'
import type { AccountView } from '../../../src/model/output/snapshot.ts'
import type { History } from '../../../src/model/ports/history.ts'
import { cuMillis, millis, seconds } from '../../../src/model/units.ts'
import { at } from '../../support/build.ts'
import { fakeClock } from '../../support/fake-clock.ts'

const DAY = 86_400
const now = at(20 * DAY + 3600)
const SHOWN = { accounts: [{ account: 'main' } as AccountView], takenAt: now }
const zone = createUtc()

const row = (endpointId: string, day: number): DayRow => {
  const awake = { low: millis(0), likely: millis(3_600_000), high: millis(7_200_000) }
  const cuTime = { low: cuMillis(0), likely: cuMillis(3_600_000), high: cuMillis(7_200_000) }
  return {
    ref: { account: 'main', projectId: 'project-one', endpointId },
    date: `day ${day}`,
    from: at(day * DAY),
    to: at((day + 1) * DAY),
    awake,
    cuTime: { '106000': cuTime },
    idleTail: millis(600_000),
    observerOverhead: millis(0),
    wakes: 1,
    version: 1,
  }
}

/** Counts how often it was read; each reading waits until it is let go on. */
function historyOf(rows: readonly DayRow[], gate: Promise<void> = Promise.resolve()) {
  const asked: { from: number; to: number }[] = []
  const days: History['days'] = async function* read(_account, { from, to }) {
    asked.push({ from, to })
    await gate
    yield* rows.filter((one) => one.from < to && one.to > from)
  }
  return { history: { days }, asked }
}

test('sums are those of today and the six days before, and say since when anything is known', async () => {
  const { history, asked } = historyOf([row('ep-a', 13), row('ep-a', 16), row('ep-a', 20), row('ep-b', 19)])
  const recent = await createRecentSums({ history, clock: fakeClock(), zone })(SHOWN)
  expect(asked).toEqual([{ from: at(14 * DAY), to: now }])
  expect(recent).toEqual({
    from: at(14 * DAY),
    knownFrom: new Map([['main', at(16 * DAY)]]),
    sums: new Map([
      ['main/project-one/ep-a', { awake: 7_200_000, idleTail: 1_200_000, spend: 212_000 }],
      ['main/project-one/ep-b', { awake: 3_600_000, idleTail: 600_000, spend: 106_000 }],
    ]),
  })
})

test('days are read anew once sums are old, and never twice at a time', async () => {
  const clock = fakeClock()
  const { history, asked } = historyOf([row('ep-a', 20)])
  const ask = createRecentSums({ history, clock, zone })
  await Promise.all([ask(SHOWN), ask(SHOWN)])
  await ask(SHOWN)
  expect(asked).toHaveLength(1)
  await clock.advance(seconds(31))
  const before = await ask(SHOWN)
  expect(asked).toHaveLength(2)
  expect(before?.sums.size).toBe(1)
})

test('nobody waits long for the first sums, and a store that fails is no failure of a page', async () => {
  const clock = fakeClock()
  const hung = createRecentSums({ history: historyOf([], new Promise(() => undefined)).history, clock, zone })
  const waiting = hung(SHOWN)
  await clock.advance(seconds(2))
  expect(await waiting).toBeUndefined()
  const broken = historyOf([], Promise.reject(new Error('the store is closed')))
  expect(await createRecentSums({ history: broken.history, clock: fakeClock(), zone })(SHOWN)).toBeUndefined()
})
