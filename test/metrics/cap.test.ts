import { expect, test } from 'vitest'
import { createCamera } from '../../src/daemon/snapshot.ts'
import { newAccountState } from '../../src/daemon/state.ts'
import { collect, type Facts } from '../../src/metrics/collect.ts'
import { createPreset } from '../../src/model/sizes.ts'
import { atOnce } from '../../src/model/steps.ts'
import { seconds } from '../../src/model/units.ts'
import { accounted } from '../support/accounted.ts'
import { at, attempt, ledger, look, prices, project, reading, sweep } from '../support/build.ts'

const facts: Facts = { version: '0', nodeVersion: 'v24', mode: 'suggest', maxSeries: 100_000 }
const COUNT = 40

/** One compute in every project; the first four are awake and read, of the others the later have cost more. */
const known = accounted(
  ledger(),
  sweep(6000, {
    projects: Array.from({ length: COUNT }, (_, index) => project({ projectId: `project-${index}` })),
    looks: Array.from({ length: COUNT }, (_, index) =>
      look(6000, {
        projectId: `project-${index}`,
        endpointId: `ep-${index}`,
        startedAt: at(0),
        lastActive: at(10),
        ...(index < 4 ? { state: 'active' } : { suspendedAt: at(100 + index) }),
      }),
    ),
    readings: Array.from({ length: 4 }, (_, index) =>
      attempt(5990, {
        ref: { account: 'main', projectId: `project-${index}`, endpointId: `ep-${index}` },
        result: { kind: 'read', reading: reading({ serverTime: at(5990), cacheLimit: undefined }) },
      }),
    ),
  }),
  { prices, overhead: 0.01, now: at(6000) },
).ledger

const snapshot = atOnce(
  createCamera()(
    [
      {
        state: { ...newAccountState(known), service: 'ok' as const, lastSweepAt: at(6000) },
        prices,
        preset: createPreset('interface'),
      },
    ],
    {
      now: at(6000),
      version: 1,
      passSeconds: seconds(1),
      staleAfter: seconds(180),
      activityLag: seconds(60),
    },
  ),
)

const shownIn = (
  maxSeries: number,
): { readonly ids: readonly string[]; readonly dropped: number; readonly series: number } => {
  const samples = atOnce(collect(snapshot, { ...facts, maxSeries }))
  return {
    ids: (samples.get('computeInfo') ?? []).map(({ labels }) => labels[1] ?? ''),
    dropped: samples.get('computesDropped')?.[0]?.value ?? -1,
    series: [...samples.values()].reduce((sum, { length }) => sum + length, 0),
  }
}

test('below the cap every compute has its series', () => {
  expect(shownIn(100_000)).toMatchObject({ ids: { length: COUNT }, dropped: 0 })
})

test('beyond the cap those that are awake stay, then those that cost most; the others are counted', () => {
  const { ids, dropped } = shownIn(300)
  expect(ids.toSorted()).toEqual(['ep-0', 'ep-1', 'ep-2', 'ep-3', 'ep-38', 'ep-39'])
  expect(dropped).toBe(COUNT - 6)
})

test('a compute with all there is to know has fewer series than the cap counts for it', () => {
  const [all, none] = [shownIn(100_000), shownIn(50)]
  expect((all.series - none.series) / (COUNT - 1)).toBeLessThan(50)
  expect(none.series).toBeLessThan(100)
})
