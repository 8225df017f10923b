// Whole sweeps over fleets in which much goes wrong for ever: what they ask for, and who has to wait how long.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Compute } from '../../src/model/service/compute.ts'
import type { Ledger } from '../../src/model/ledger/ledger.ts'
import type { Sweep } from '../../src/model/observation.ts'
import type { Ports } from '../../src/model/ports/ports.ts'
import { failed, ok } from '../../src/std/result.ts'
import { seconds } from '../../src/model/units.ts'
import { MIN_REQUESTS, longestAge } from '../../src/observe/polling/poll-plan.ts'
import { listProgressAfter } from '../../src/observe/polling/project-list.ts'
import {
  NO_LIST,
  NO_PENDING_RETRIES,
  observe,
  type SweepPlan,
  type SweepStart,
} from '../../src/observe/sweep.ts'
import { accounted } from '../support/accounted.ts'
import { compute, ledger, prices, project } from '../support/build.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { POLL } from '../support/poll.ts'
import { checkSlowly } from '../support/property.ts'
import { bySize, longTest } from '../support/tiers.ts'
import { UNASKED } from '../support/unasked.ts'

/** What a project is like, as long as nobody changes it. */
type Kind =
  | 'asleep'
  | 'awake'
  | 'overdue'
  | 'starting'
  | 'undated'
  /** Undated, and nobody can read its operations. */
  | 'mute'
  /** Its computes cannot be read. */
  | 'broken'
  /** One of its computes does not fit. */
  | 'half-broken'
  | 'deleted'

const KINDS: readonly Kind[] = [
  'asleep',
  'awake',
  'overdue',
  'starting',
  'undated',
  'mute',
  'broken',
  'half-broken',
  'deleted',
]

type Asked = { readonly kind: 'list' | 'computes' | 'operations'; readonly projectId?: string }

function serviceOf(
  kinds: Map<string, Kind>,
  now: () => number,
  ask: (asked: Asked) => void,
): Ports['service'] {
  const down = failed({ kind: 'unavailable', message: 'down' } as const)
  return {
    ...UNASKED,
    listProjectsPage: () => {
      ask({ kind: 'list' })
      const there = [...kinds].filter(([, kind]) => kind !== 'deleted')
      const items = there.map(([projectId]) => project({ projectId }))
      return Promise.resolve(ok({ items, problems: [], next: undefined }))
    },
    listComputes: (projectId) => {
      ask({ kind: 'computes', projectId })
      const kind = kinds.get(projectId) ?? 'deleted'
      if (kind === 'deleted') return Promise.resolve(failed({ kind: 'gone', message: 'no such project' }))
      if (kind === 'broken') return Promise.resolve(down)
      const items = [compute({ projectId, endpointId: `ep-${projectId}`, ...recordOf(kind, now()) })]
      return Promise.resolve(ok({ items, problems: kind === 'half-broken' ? ['endpoints[1]: no id'] : [] }))
    },
    listOperations: (projectId) => {
      ask({ kind: 'operations', projectId })
      return Promise.resolve(kinds.get(projectId) === 'mute' ? down : ok({ items: [], problems: [] }))
    },
  }
}

function recordOf(kind: Kind, now: number): Partial<Compute> {
  if (kind === 'starting') return { state: 'init' }
  if (kind === 'overdue') return { state: 'active', startedAt: BEGIN, lastActive: BEGIN }
  if (kind === 'awake' || kind === 'half-broken')
    return { state: 'active', startedAt: BEGIN, lastActive: (now - 1000) as typeof BEGIN }
  // Another state whenever it is looked at, and nothing that dates it.
  if (kind === 'undated' || kind === 'mute') return { state: (now / 60_000) % 2 < 1 ? 'active' : 'idle' }
  return {}
}

const BEGIN = fakeClock().now()

type Turn = { readonly sweep: Sweep; readonly ledger: Ledger; readonly asked: readonly Asked[] }

const planOf = (requests: number): SweepPlan => ({
  ...POLL,
  requests,
  readings: {
    mode: 'off',
    activityLag: seconds(10),
    deadline: seconds(5),
    minInterval: seconds(300),
    maxConcurrent: 16,
  },
})

/** A sweep a minute. `kinds` may be changed from one to the next. */
async function* sweeps(kinds: Map<string, Kind>, plan: SweepPlan): AsyncGenerator<Turn> {
  const clock = fakeClock()
  let asked: Asked[] = []
  const service = serviceOf(
    kinds,
    () => clock.now(),
    (one) => asked.push(one),
  )
  const readings = {
    refusalOf: () => 'no-dsn' as const,
    prepare: () => Promise.resolve(undefined),
    evict: () => undefined,
    read: () => Promise.reject(new Error('nobody reads')),
  }
  let start: SweepStart = { ledger: ledger(), list: NO_LIST, waiting: NO_PENDING_RETRIES, plan }
  for (;;) {
    asked = []
    const sweep = await observe(
      { ...NO_PORTS, clock, service, readings, statistics: () => Promise.resolve(new Map()) },
      start,
      new AbortController().signal,
    )
    const after = accounted(start.ledger, sweep, { prices, overhead: 0, now: clock.now() }).ledger
    const list = listProgressAfter(sweep, start.list, { stored: true })
    start = { ledger: after, list, waiting: sweep.retries, plan }
    yield { sweep, ledger: after, asked }
    await clock.advance(plan.interval)
  }
}

const nobody = (): never => {
  throw new Error('nobody asks for this')
}
const NO_PORTS = {
  random: { unit: nobody, uuid: nobody },
  store: { load: nobody, commit: nobody, close: nobody },
  history: { days: nobody, intervals: nobody, awakeTimes: nobody, rollups: nobody },
  send: nobody,
}

const fleetOf = (...parts: readonly (readonly [count: number, kind: Kind])[]): Map<string, Kind> =>
  new Map(
    parts.flatMap(([count, kind]) =>
      Array.from({ length: count }, (_, index) => [`${kind}-${index}`, kind] as const),
    ),
  )

async function some(count: number, turns: AsyncGenerator<Turn>): Promise<Turn[]> {
  const all: Turn[] = []
  for await (const turn of turns) if (all.push(turn) === count) break
  return all
}

const askedOf = ({ asked }: Turn, kind: Asked['kind'], name: RegExp): number =>
  asked.filter((one) => one.kind === kind && name.test(one.projectId ?? '')).length

test('no sweep asks for more than its interval affords, whatever the fleet is like and becomes', async () => {
  const part = fc.tuple(fc.nat(60), fc.constantFrom(...KINDS))
  const fleets = fc.array(fc.tuple(part, fc.constantFrom(...KINDS)), { maxLength: 5 })
  await checkSlowly(
    fc.asyncProperty(fleets, fc.constantFrom(1, 60, 90, 350), async (fleet, requests) => {
      const kinds = fleetOf(...fleet.map(([before]) => before))
      let turns = 0
      for await (const { asked } of sweeps(kinds, planOf(requests))) {
        expect(asked.length).toBeLessThanOrEqual(Math.max(MIN_REQUESTS, requests))
        turns += 1
        if (turns === 6) break
        if (turns !== 3) continue
        for (const [[, before], becomes] of fleet)
          for (const id of kinds.keys()) if (id.startsWith(before)) kinds.set(id, becomes)
      }
    }),
    40,
  )
})

/** Computes of each kind. */
const { asleep, beside } = bySize({ asleep: 60, beside: 100 }, { asleep: 24, beside: 40 })

test.each<Kind>(bySize(['starting', 'overdue', 'awake', 'mute', 'broken', 'half-broken'], ['awake']))(
  'whoever sleeps is looked at within the age that the plan states, beside many that are %s',
  async (kind) => {
    const plan = planOf(MIN_REQUESTS)
    const kinds = fleetOf([asleep, 'asleep'], [beside, kind])
    const bound = longestAge(plan, { projects: kinds.size, pages: 1 })
    const turns = await some(2 * Math.ceil(bound / 60), sweeps(kinds, plan))
    const ages = turns
      .slice(Math.ceil(bound / 60))
      .flatMap(({ sweep, ledger: { projects } }) =>
        [...projects.values()]
          .filter(({ project: { projectId } }) => projectId.startsWith('asleep'))
          .map(({ listed }) => (sweep.startedAt - (listed?.at ?? 0)) / 1000),
      )
    expect(Math.max(...ages)).toBeLessThanOrEqual(bound)
  },
)

longTest('what is stuck on its way is looked at like what is awake after a while', async () => {
  const turns = await some(12, sweeps(fleetOf([300, 'starting'], [1, 'asleep']), planOf(350)))
  const last = turns.at(-1)
  expect(last?.sweep.backlog['in-flight']).toBe(0)
  expect(last?.sweep.backlog.awake).toBeGreaterThan(0)
})

test('a project that is deleted is looked at once more, and again when it is back', async () => {
  const kinds = fleetOf([3, 'asleep'])
  const counts: number[] = []
  for await (const turn of sweeps(kinds, planOf(350))) {
    counts.push(askedOf(turn, 'computes', /asleep-1/))
    if (counts.length === 5) kinds.set('asleep-1', 'deleted')
    if (counts.length === 105) kinds.set('asleep-1', 'asleep')
    if (counts.length === 125) break
  }
  const sum = (from: number, to: number): number => counts.slice(from, to).reduce((a, b) => a + b, 0)
  expect(sum(5, 105)).toBe(1)
  expect(sum(105, 125)).toBeGreaterThan(0)
})

longTest('projects that are gone do not make looks at the others older', async () => {
  const kinds = fleetOf([5, 'asleep'], [600, 'undated'])
  let turns = 0
  let looks = 0
  for await (const turn of sweeps(kinds, planOf(MIN_REQUESTS))) {
    turns += 1
    if (turns === 30) for (const id of kinds.keys()) if (id.startsWith('undated')) kinds.set(id, 'deleted')
    // by then whoever is gone was asked for
    if (turns > 60) looks += askedOf(turn, 'computes', /asleep/)
    if (turns === 120) break
  }
  // an hour, and each is looked at every quarter of one
  expect(looks).toBeGreaterThanOrEqual(5 * 3)
})

longTest(
  'operations that nothing else can replace are read in their turn, also beside many that cannot be read',
  async () => {
    const kinds = fleetOf([100, 'mute'], [10, 'undated'])
    const turns = await some(40, sweeps(kinds, planOf(MIN_REQUESTS)))
    const read = turns.slice(20).flatMap(({ sweep }) => sweep.operationsReadOf)
    for (let index = 0; index < 10; index += 1) expect(read).toContain(`undated-${index}`)
    expect(turns.at(-1)?.sweep.backlog.operations).toBeGreaterThan(0)
  },
)

test('what fails again and again is asked for less and less', async () => {
  const turns = await some(40, sweeps(fleetOf([1, 'broken'], [1, 'mute']), planOf(350)))
  const late = turns.slice(20)
  const asked = (kind: Asked['kind'], name: RegExp): number =>
    late.reduce((sum, turn) => sum + askedOf(turn, kind, name), 0)
  expect(asked('computes', /broken/)).toBe(4)
  expect(asked('operations', /mute/)).toBe(4)
})
