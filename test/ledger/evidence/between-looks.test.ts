// Transitions that may hide between two looks, and the facts that exclude them.
import { expect, test } from 'vitest'
import type { AutosuspendDelay, Compute } from '../../../src/model/service/compute.ts'
import type { Bounds } from '../../../src/model/ledger/quantities.ts'
import type { ComputeEntry, Ledger, Totals } from '../../../src/model/ledger/ledger.ts'
import type { Sweep } from '../../../src/model/observation.ts'
import { seconds } from '../../../src/model/units.ts'
import { accruedSlice } from '../../../src/ledger/settle/accrual.ts'
import { accounted } from '../../support/accounted.ts'
import { at, ledger, look, operation, prices, project, sweep } from '../../support/build.ts'

function afterAll(sweeps: readonly Sweep[]) {
  const known = sweeps.reduce<Ledger>(
    (before, one) => accounted(before, one, { prices, overhead: 0.01, now: one.endedAt }).ledger,
    ledger(),
  )
  const [entry] = known.computes.values()
  if (!entry) throw new Error('the compute has no account')
  return { entry, project: known.projects.get(entry.ref.projectId) }
}

const accountAfter = (sweeps: readonly Sweep[]): ComputeEntry => afterAll(sweeps).entry

/** Awake time in seconds after looks at these instants; nothing but what each says is in the record. */
function awakeAfter(
  looks: readonly (readonly [when: number, seen: Partial<Compute>])[],
  over: (when: number) => Partial<Sweep> = () => ({}),
): Bounds<number> {
  const sweeps = looks.map(([when, seen]) =>
    sweep(when, { looks: [look(when, { autosuspendDelay: undefined, ...seen })], ...over(when) }),
  )
  const { low, likely, high }: Totals['awake'] = accountAfter(sweeps).totals.awake
  return { low: low / 1000, likely: likely / 1000, high: high / 1000 }
}

const active = { state: 'active' } as const
const idle = { state: 'idle' } as const
const delay = (span: AutosuspendDelay): Partial<Compute> => ({ autosuspendDelay: span })

test('between two looks that show it awake, it may have slept', () => {
  expect(
    awakeAfter([
      [0, idle],
      [600, active],
      [1200, active],
      [1800, idle],
    ]),
  ).toMatchObject({ low: 0, high: 1800 })
})

test('between two looks that show it asleep, it may have been awake', () => {
  expect(
    awakeAfter([
      [0, idle],
      [600, idle],
      [1200, idle],
    ]),
  ).toEqual({ low: 0, likely: 0, high: 1200 })
})

test.each<[string, Partial<Compute>, Bounds<number>]>([
  ['a start before both', { startedAt: at(100) }, { low: 499, likely: 499.5, high: 500 }],
  ['a suspension before both', { suspendedAt: at(50) }, { low: 300, likely: 425, high: 549 }],
  [
    'a delay of an hour after its activity',
    { lastActive: at(299), ...delay(seconds(3600)) },
    { low: 300, likely: 450, high: 600 },
  ],
  ['no delay at all', delay('never'), { low: 300, likely: 450, high: 600 }],
])('awake at two looks is awake between them by %s', (_, fact, expected) => {
  const seen = awakeAfter([
    [0, idle],
    [300, { ...active, ...fact }],
    [600, { ...active, ...fact }],
  ])
  expect(seen.low).toBe(expected.low)
  expect(seen.high).toBeLessThanOrEqual(600)
})

test.each<[string, Partial<Compute>]>([
  ['a suspension before both', { suspendedAt: at(-300) }],
  ['a delay that is longer than the time between them', delay(seconds(3600))],
])('asleep at two looks is asleep between them by %s', (_, fact) => {
  expect(
    awakeAfter([
      [0, { ...idle, ...fact }],
      [600, { ...idle, ...fact }],
    ]).high,
  ).toBe(0)
})

test('a record that was changed between two looks may have been stopped by hand: the delay tells nothing of that time', () => {
  const fact = { lastActive: at(299), ...delay(seconds(3600)) }
  const seen = awakeAfter([
    [0, idle],
    [300, { ...active, ...fact }],
    [600, { ...active, ...fact, updatedAt: at(400) }],
  ])
  expect(seen.low).toBe(0)
})

const awakeSinceUpdate = (updatedAt: Compute['updatedAt']): Bounds<number> =>
  awakeAfter([
    [0, { ...idle, updatedAt: at(-10) }],
    [300, { ...active, updatedAt }],
    [900, { ...active, updatedAt }],
  ])

test('an unmoved `updated_at` rules out what it was seen to show', () => {
  expect(awakeSinceUpdate(at(200))).toMatchObject({ low: 600, likely: 699.5 })
  expect(awakeSinceUpdate(at(-10)).low).toBe(0)
})

test('a list of operations that is read whole rules out what it does not hold', () => {
  const operations = [operation('start_compute', 100)]
  const read = (when: number): Partial<Sweep> => ({ operations: when > 0 ? operations : [] })
  const looks = [
    [0, idle],
    [300, active],
    [900, active],
    [2700, active],
  ] as const
  // Listed up to a quarter of an hour late: of the last 900 s nothing is sure.
  expect(awakeAfter(looks, read)).toMatchObject({ low: 799, high: 2600 })
  expect(awakeAfter(looks, (when) => ({ ...read(when), operationsReadOf: [] })).low).toBeLessThan(100)
})

test('activity between two looks that show it asleep is a wake that nothing else tells of', () => {
  const seen = awakeAfter([
    [0, { ...idle, ...delay(seconds(60)) }],
    [600, { ...idle, lastActive: at(300), ...delay(seconds(60)) }],
  ])
  expect(seen).toMatchObject({ likely: 119.5, high: 600 })
})

test('a wake that only the project list shows counts up to now after a suspension that only operations show', () => {
  const listed = { projectId: 'project-one', answeredAt: at(100), endpointIds: ['ep-one'] }
  const running = { ...active, startedAt: at(60), lastActive: at(90) }
  const started = [operation('start_compute', 60)]
  const { entry, project: known } = afterAll([
    sweep(0, { looks: [look(0, idle)], listedComputes: [listed] }),
    sweep(100, { looks: [look(100, running)], operations: started, listedComputes: [listed] }),
    sweep(800, { operations: [...started, operation('suspend_compute', 700)] }),
    sweep(1700, {
      operations: [],
      operationsReadOf: [],
      projects: [project({ computeLastActiveAt: at(1500) })],
    }),
  ])
  // Settled up to the suspension; a wake is possible until the last application.
  expect(entry.settledUntil).toBe(at(703))
  expect(accruedSlice(entry, { prices, project: known, now: at(2000) })).toMatchObject({
    likely: { from: at(1700), to: at(1805) },
    high: { from: at(1700), to: at(2000) },
  })
})

const alwaysOn = (when: number): Sweep =>
  sweep(when, { looks: [look(when, { ...active, startedAt: at(30), lastActive: at(when - 5) })] })

test('a compute that is always on keeps no evidence of it, and comes to the same as one that is settled at its end', () => {
  const day = Array.from({ length: 26 * 60 }, (_, minute) => 60 * (minute + 1))
  const watched = accountAfter(day.map(alwaysOn))
  const { evidence } = watched
  expect(evidence.states.length + evidence.activities.length).toBeLessThan(150)
  expect(watched.totals.awake).toEqual(accountAfter([alwaysOn(60), alwaysOn(day.at(-1) ?? 0)]).totals.awake)
  expect(watched.partlySettled?.interval.from.likely).toBe(at(30.5))
  expect(watched.totals).toMatchObject({ wakes: 1, suspends: 0 })
})
