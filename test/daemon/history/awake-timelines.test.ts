import { expect, test } from 'vitest'
import { createAwakeTimelines, type TimelinesRequest } from '../../../src/daemon/history/awake-timelines.ts'
import { lastHours } from '../../../src/model/time.ts'
import { computeKey, type ComputeRef } from '../../../src/model/service/compute.ts'
import type { ComputeEntry } from '../../../src/model/ledger/ledger.ts'
import type { History } from '../../../src/model/ports/history.ts'
import type { ComputeView } from '../../../src/model/output/snapshot.ts'
import { millis, type Instant } from '../../../src/model/units.ts'
import { accounted } from '../../support/accounted.ts'
import { at, ledger, look, prices, sweep } from '../../support/build.ts'
import { snapshotOf, TAKEN } from '../../support/fleet-snapshot.ts'
import { viewWith } from '../../support/view-with.ts'

const HOUR = 3600
const now = at(TAKEN)

/** What is settled of computes, and what was read of it: from where, of how many. */
function settledPast(...times: readonly (readonly [number, number])[]) {
  const asked: (readonly [from: Instant, computes: number])[] = []
  const past = [...times]
  const awakeTimes: History['awakeTimes'] = async function* read(_account, { from, to, computes = [] }) {
    asked.push([from, computes.length])
    const found = past
      .filter(([begin, end]) => at(begin) < to && at(end) > from)
      .map(([begin, end]) => ({ from: at(begin), to: at(end), tail: millis(300_000), restart: false }))
    for (const ref of computes) yield { ref, times: found }
  }
  return { history: { awakeTimes }, asked, past }
}

const asleep = snapshotOf(1).computes[0] as ComputeView

/** The account of `ep-0`, awake since `from`. */
function awakeSince(from: number): ComputeEntry {
  const known = accounted(
    ledger(),
    sweep(TAKEN, {
      looks: [
        look(TAKEN, {
          projectId: 'project-0',
          endpointId: 'ep-0',
          state: 'active',
          startedAt: at(from),
          lastActive: at(from),
        }),
      ],
    }),
    { prices, overhead: 0.01, now },
  ).ledger.computes.get('main/project-0/ep-0')
  if (!known) throw new Error('it was not seen')
  return known
}

const awake = awakeSince(0)

const NOTHING_OPEN: Pick<ComputeEntry, 'evidence' | 'partlySettled'> = {
  evidence: { ...awake.evidence, states: [], starts: [], ends: [], activities: [] },
  partlySettled: undefined,
}

const settledAccount = (settledUntil: number): ComputeEntry => ({
  ...awake,
  ...NOTHING_OPEN,
  settledUntil: at(settledUntil),
})

const ask = (over: Partial<TimelinesRequest> = {}): TimelinesRequest => ({
  span: lastHours(now, 24),
  views: [asleep],
  knownFrom: new Map([['main', at(TAKEN - 12 * HOUR)]]),
  sweptAt: new Map([['main', at(TAKEN - 1800)]]),
  ...over,
})

test('a strip has what is settled, and what is not settled yet', async () => {
  const { history } = settledPast([TAKEN - 20 * HOUR, TAKEN - 19 * HOUR])
  // records of whole seconds: half a second later is likely
  const account = awakeSince(TAKEN - HOUR)
  const reason = {
    because: 'idle-tail',
    since: at(TAKEN - 600),
    until: at(TAKEN),
    end: 'due',
    ours: false,
  } as const
  const compute = { ...asleep.identity.compute, createdAt: at(TAKEN - 48 * HOUR) }
  const view = viewWith(asleep, { state: { shown: 'active', reason }, identity: { compute } })
  const strips = await createAwakeTimelines({ history, entryOf: () => account })(ask({ views: [view] }))
  expect(strips.get(computeKey(view.identity.ref))).toEqual({
    span: { from: at(TAKEN - 24 * HOUR), to: now },
    knownFrom: at(TAKEN - 20 * HOUR),
    knownUntil: now,
    intervals: [
      { from: at(TAKEN - 20 * HOUR), to: at(TAKEN - 19 * HOUR), tail: 300_000, restart: false },
      { from: at(TAKEN - HOUR + 0.5), to: now, tail: 600_000, restart: false },
    ],
  })
})

test('of a compute that cannot be asked for long, nothing is drawn since its account was last swept', async () => {
  const account = awakeSince(TAKEN - HOUR)
  const reason = { because: 'unknown', since: at(TAKEN - 1800) } as const
  const view = viewWith(asleep, { state: { shown: 'unknown', reason } })
  const strips = await createAwakeTimelines({ ...settledPast(), entryOf: () => account })(
    ask({ views: [view] }),
  )
  expect(strips.get(computeKey(view.identity.ref))).toMatchObject({
    knownUntil: at(TAKEN - 1800),
    intervals: [{ from: at(TAKEN - HOUR + 0.5), to: at(TAKEN - 1800) }],
  })
})

test('a compute did not exist before it was created, though the day is counted whole', async () => {
  const compute = { ...asleep.identity.compute, createdAt: at(TAKEN - 60) }
  const view = viewWith(asleep, { identity: { compute } })
  const known = new Map([['main', at(TAKEN - 9 * HOUR)]])
  const strips = createAwakeTimelines({ ...settledPast(), entryOf: () => settledAccount(TAKEN) })
  const shown = await strips(ask({ views: [view], knownFrom: known }))
  const created = { knownFrom: at(TAKEN - 60), existsFrom: at(TAKEN - 60) }
  expect(shown.get(computeKey(view.identity.ref))).toMatchObject(created)
})

test('what is settled is read once, and then only what was settled since', async () => {
  const day = [TAKEN - 20 * HOUR, TAKEN - 19 * HOUR] as const
  const { history, asked, past } = settledPast([TAKEN - 100 * HOUR, TAKEN - 99 * HOUR], day)
  let until = TAKEN - HOUR
  const strips = createAwakeTimelines({ history, entryOf: () => settledAccount(until) })
  const begins = async (hours: number): Promise<readonly Instant[] | undefined> => {
    const all = await strips(ask({ span: lastHours(now, hours) }))
    return all.get(computeKey(asleep.identity.ref))?.intervals.map(({ from }) => from)
  }
  const [long, today] = [at(TAKEN - 100 * HOUR), at(day[0])]
  expect([await begins(24), await begins(24)]).toEqual([[today], [today]])
  expect(asked).toEqual([[at(TAKEN - 24 * HOUR), 1]])
  expect([await begins(168), await begins(24)]).toEqual([[long, today], [today]])
  expect(asked.slice(1)).toEqual([[at(TAKEN - 168 * HOUR), 1]])
  past.push([TAKEN - 2 * HOUR, TAKEN - 1.5 * HOUR])
  until = TAKEN
  expect(await begins(168)).toEqual([long, today, at(TAKEN - 2 * HOUR)])
  expect(asked.slice(2)).toEqual([[at(day[1]), 1]])
})

const named = (view: ComputeView, over: Partial<ComputeRef>) =>
  viewWith(view, { identity: { ref: { ...view.identity.ref, ...over } } })

test('computes that are shown lose nothing to those shown before', async () => {
  const { history } = settledPast([TAKEN - 20 * HOUR, TAKEN - 19 * HOUR])
  const strips = createAwakeTimelines({ history, entryOf: () => settledAccount(TAKEN) })
  const many = Array.from({ length: 1000 }, (_, index) => named(asleep, { endpointId: `ep-${index}` }))
  const others = many.map((view) => named(view, { projectId: 'other' }))
  await strips(ask({ views: many }))
  const shown = await strips(ask({ views: [...many.slice(0, 500), ...others.slice(0, 500)] }))
  expect([...shown.values()].map(({ intervals }) => intervals.length)).toEqual(
    Array.from({ length: 1000 }, () => 1),
  )
})

test('of an account nothing is known of, all is unknown', async () => {
  const strips = await createAwakeTimelines({ ...settledPast(), entryOf: () => undefined })(
    ask({ knownFrom: new Map() }),
  )
  expect(strips.get(computeKey(asleep.identity.ref))).toMatchObject({ knownFrom: now, intervals: [] })
})
