import { expect, test } from 'vitest'
import {
  updateStatistics,
  type AwakeStatistics,
  type UpdatedStatistics,
} from '../../../src/ledger/readings/statistics.ts'
import type { Sweep } from '../../../src/model/observation.ts'
import type { ComputeStatistics } from '../../../src/model/ledger/statistics.ts'
import { accounted } from '../../support/accounted.ts'
import { at, ledger, look, prices, sweep } from '../../support/build.ts'
import { rowsOf, writesOf } from '../../support/writes.ts'

const KEY = 'main/project-one/ep-one'

const knownAfter = (known: AwakeStatistics, tracked: UpdatedStatistics['tracked']): AwakeStatistics =>
  new Map([...new Map([...known, ...tracked])].flatMap(([key, one]) => (one ? [[key, one] as const] : [])))

/** Statistics after these sweeps, and the rows that were written at each. */
function learnedFrom(
  sweeps: readonly Sweep[],
  stored: readonly number[] = [],
): { readonly known: AwakeStatistics; readonly written: readonly (readonly ComputeStatistics[])[] } {
  let [before, known] = [ledger(), new Map() as AwakeStatistics]
  const written: ComputeStatistics[][] = []
  for (const one of sweeps) {
    const now = one.endedAt
    const after = accounted(before, one, { prices, overhead: 0.01, now })
    const [entry] = after.rows.computes
    if (!entry) throw new Error('a look makes an entry')
    const row: ComputeStatistics = { ref: entry.ref, gapCounts: stored, updatedAt: at(0) }
    const updated = updateStatistics(
      known,
      { writes: writesOf(after.rows), gaps: after.gaps },
      { stored: new Map(stored.length === 0 ? [] : [[KEY, row]]), now },
    )
    known = knownAfter(known, updated.tracked)
    written.push([...rowsOf(updated.writes).statistics])
    before = after.ledger
  }
  return { known, written }
}

const used = (when: number, lastActive: number): Sweep =>
  sweep(when, { looks: [look(when, { state: 'active', startedAt: at(0), lastActive: at(lastActive) })] })

const asleep = (when: number, lastActive: number): Sweep =>
  sweep(when, {
    looks: [
      look(when, {
        state: 'idle',
        startedAt: at(0),
        suspendedAt: at(lastActive + 300),
        lastActive: at(lastActive),
      }),
    ],
  })

test('how long others were away before they came back is counted by its magnitude', () => {
  const { known } = learnedFrom([used(10, 9), used(70, 69), used(130, 129), used(190, 129), used(480, 479)])
  // 60 s twice, and 350 s.
  expect(known.get(KEY)?.statistics.gapCounts).toEqual([0, 0, 0, 0, 0, 2, 0, 0, 1])
})

test('a time that the compute slept through is no such gap', () => {
  const woken = look(700, { state: 'active', startedAt: at(690), suspendedAt: at(400), lastActive: at(690) })
  const { known } = learnedFrom([used(101, 100), asleep(500, 100), sweep(700, { looks: [woken] })])
  expect(known.get(KEY)?.statistics.gapCounts).toEqual([])
})

test('stored counts go on', () => {
  const { known } = learnedFrom([used(10, 9), used(70, 69)], [3])
  expect(known.get(KEY)?.statistics.gapCounts).toEqual([3, 0, 0, 0, 0, 1])
})

test('a row is written once an hour, and only when a count has changed', () => {
  const minutes = Array.from({ length: 130 }, (_, minute) => minute * 60 + 10)
  const { written } = learnedFrom([...minutes.map((when) => used(when, when - 1)), used(9000, 7749)])
  const writtenAt = written.flatMap((rows) => rows.map(({ updatedAt }) => (updatedAt - at(0)) / 1000))
  expect(writtenAt).toHaveLength(2)
  expect(writtenAt[0]).toBeGreaterThanOrEqual(3600)
  expect((writtenAt[1] ?? 0) - (writtenAt[0] ?? 0)).toBeGreaterThanOrEqual(3600)
})

test('a row is written when the compute sleeps, and its statistics leave memory', () => {
  const { known, written } = learnedFrom([used(10, 9), used(70, 69), asleep(500, 69)])
  expect(written.map((rows) => rows.map(({ gapCounts }) => gapCounts))).toEqual([
    [],
    [],
    [[0, 0, 0, 0, 0, 1]],
  ])
  expect(known.size).toBe(0)
})
