// Days of stationary use: recommendations do not change their mind. `npm run bench -- stationary` has the same with real passes.
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { dismiss } from '../../../src/advise/dismiss.ts'
import { createAdviser, type Adviser } from '../../../src/daemon/advice/adviser.ts'
import { newPassState } from '../../../src/daemon/pass/pass-state.ts'
import { newComputeEntry } from '../../../src/ledger/apply-facts.ts'
import type { Gap } from '../../../src/model/ledger/gap.ts'
import { createPolicies } from '../../../src/model/policy/policies.ts'
import { planLimits } from '../../../src/model/policy/plan-limits.ts'
import type { Recommendation } from '../../../src/model/policy/recommendation.ts'
import { commit, type Write } from '../../../src/model/ports/store.ts'
import {
  computeKey,
  isComputeRef,
  targetKey,
  type AutosuspendDelay,
  type ComputeRef,
} from '../../../src/model/service/compute.ts'
import { createPreset } from '../../../src/model/service/sizes.ts'
import { after, cu, instant, micros, seconds, type Instant } from '../../../src/model/units.ts'
import { recommendationJson } from '../../../src/outputs/text/recommendation-json.ts'
import { recommendationLines } from '../../../src/outputs/text/recommendation-text.ts'
import { seeded } from '../../simulation/seeded.ts'
import { refOf } from '../../store/build.ts'
import { adviseInput } from '../../support/advise-input.ts'
import { at, ledger, look, prices } from '../../support/build.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { memoryStore } from '../../support/memory-store.ts'
import { recommendationContext } from '../../support/recommendations.ts'

const DAY = 86_400
/** Until the last follow-up has ended. */
const DAYS = 44
const UNTIL = at(25 * DAY)

const SEEDS = [1, 2, 3, 4, 5]

/** One compute whose clients come back after times that a random draw decides, in the same way on each day. */
type Stationary = {
  readonly ref: ComputeRef
  readonly delay: AutosuspendDelay
  /** Mean time between activities, seconds. */
  readonly mean: number
}

const USED_OFTEN: readonly Stationary[] = [
  { ref: refOf('ep-never'), delay: 'never', mean: 2400 },
  { ref: refOf('ep-busy'), delay: seconds(600), mean: 700 },
  { ref: refOf('ep-seldom'), delay: seconds(300), mean: 7200 },
]

/** Fewer gaps than `min_gaps` in the time that is needed. */
const USED_DAILY: Stationary = { ref: refOf('ep-daily'), delay: seconds(300), mean: DAY }

/** A minute of activity, then a gap of exponential length, and so on. */
function gapsOf({ ref, mean }: Stationary, seed: number): readonly Gap[] {
  const random = seeded(seed)
  const gaps: Gap[] = []
  for (let from = 0; from < DAYS * DAY;) {
    const length = seconds(Math.round(-Math.log(1 - random.unit()) * mean))
    if (length >= 60) gaps.push({ ref, from: at(from), low: length, high: length, hiddenBelow: seconds(0) })
    from += length + 60
  }
  return gaps
}

const endOf = ({ from, high }: Gap) => after(from, high)

type Evaluated = {
  readonly rows: () => Promise<readonly Recommendation[]>
  readonly change: Adviser['change']
  /** As somebody sets it in the service. */
  readonly setDelay: (ref: ComputeRef, delay: AutosuspendDelay) => Promise<void>
  readonly now: Instant
}

/** Runs the adviser once a day, and then what somebody does on that day. */
async function live(
  seed: number,
  done: (account: Evaluated, day: number) => Promise<void>,
  computes = USED_OFTEN,
): Promise<void> {
  const clock = fakeClock()
  const store = memoryStore()
  const main = store.account('main')
  const adviser = await createAdviser({
    account: 'main',
    clock,
    history: store,
    store: main,
    epoch: store.epoch,
    log: pino({ level: 'silent' }),
    plan: () => ({
      plan: planLimits('2026-03', 'scale'),
      preset: createPreset('2026-03'),
      prices,
      needs: adviseInput().needs,
      policies: createPolicies([]),
      minSaving: micros(1_000_000),
    }),
    share: 1,
  })
  const pending = new Map(
    computes.map((one, index) => [computeKey(one.ref), gapsOf(one, seed + 100 * index)]),
  )
  const delays = new Map(computes.map(({ ref, delay }) => [computeKey(ref), delay]))
  const put = (writes: readonly Write[]) => commit(main, writes, { epoch: store.epoch })
  const setDelay = async (ref: ComputeRef, delay: AutosuspendDelay) => {
    delays.set(computeKey(ref), delay)
    await put([{ kind: 'setting', setting: { ref, since: clock.now(), delay, sizing: { fixed: cu(1) } } }])
  }
  for (const { ref, delay } of computes) {
    await put([
      { kind: 'compute', entry: newComputeEntry(ref, look(0, { endpointId: ref.endpointId }), false) },
    ])
    await setDelay(ref, delay)
  }
  for (let day = 1; day <= DAYS; day += 1) {
    await clock.advance(seconds(DAY))
    const entries = await Promise.all(
      computes.map(async ({ ref }) => {
        const key = computeKey(ref)
        const gaps = pending.get(key) ?? []
        const ended = gaps.filter((gap) => endOf(gap) <= clock.now())
        pending.set(key, gaps.slice(ended.length))
        await put(ended.map((gap) => ({ kind: 'gap', gap })))
        const lastActive = pending.get(key)?.[0]?.from
        const seen = look((clock.now() - at(0)) / 1000, {
          endpointId: ref.endpointId,
          autosuspendDelay: delays.get(key),
          lastActive: lastActive === undefined ? undefined : instant(Math.min(lastActive, clock.now())),
          startedAt: after(clock.now(), seconds(-60)),
        })
        return [key, newComputeEntry(ref, seen, false)] as const
      }),
    )
    adviser.refresh(newPassState(ledger({ computes: new Map(entries) })), new AbortController().signal)
    await adviser.idle()
    const rows = () => Array.fromAsync(store.recommendations('main', {}))
    await done({ rows, change: adviser.change, setDelay, now: clock.now() }, day)
  }
}

test.each(SEEDS)('stationary use, seed %i: one delay recommendation a compute at the most', async (seed) => {
  let made: readonly Recommendation[] = []
  const keep = async ({ rows }: Evaluated) => {
    made = await rows()
  }
  await live(seed, keep, [...USED_OFTEN, USED_DAILY])
  const byKind = Map.groupBy(made, ({ ref, kind }) => `${targetKey(ref)} ${kind}`)
  expect([...byKind].filter(([, rows]) => rows.length > 1)).toEqual([])
  expect(made.filter(({ kind, life }) => kind === 'delay' && life.state === 'open').length).toBeGreaterThan(0)
})

test.each(SEEDS)('seed %i: one that was implemented raises none of its kind for 28 days', async (seed) => {
  const implementedOn: (readonly [key: string, day: number])[] = []
  await live(seed, async ({ rows, setDelay }, day) => {
    for (const { ref, to } of openDelays(await rows())) {
      if (isComputeRef(ref)) await setDelay(ref, to.delay ?? 'never')
      implementedOn.push([targetKey(ref), day])
    }
  })
  expect(implementedOn.length).toBeGreaterThan(0)
  const waits = [...Map.groupBy(implementedOn, ([key]) => key).values()].flatMap((same) =>
    same.slice(1).map(([, day], index) => day - (same[index]?.[1] ?? 0)),
  )
  expect(waits.filter((days) => days < 28)).toEqual([])
})

test.each(SEEDS)(
  'seed %i: a dismissed one stays away until its time and comes back with what changed',
  async (seed) => {
    const dismissed: string[] = []
    let back: readonly Recommendation[] = []
    await live(seed, async ({ rows, change, now }) => {
      const open = openDelays(await rows())
      if (now >= UNTIL) back = open
      else
        for (const row of open) {
          await change(row, (current) =>
            dismiss(current, { reason: 'tests run at night', until: UNTIL, by: 'main', now }),
          )
          dismissed.push(targetKey(row.ref))
        }
    })
    expect(dismissed.length).toBeGreaterThan(0)
    expect(new Set(dismissed).size).toBe(dismissed.length)
    const texts = back.map((one) => [targetKey(one.ref), linesOf(one).join('\n')])
    expect(texts).toEqual(
      expect.arrayContaining(
        dismissed.map((key) => [
          key,
          expect.stringMatching(
            /was dismissed by main at .*: tests run at night\nsince then: the dismissal has ended.*likely saving/,
          ),
        ]),
      ),
    )
  },
)

const linesOf = (one: Recommendation) =>
  recommendationLines(recommendationJson(one, recommendationContext()), 'USD')

const openDelays = (rows: readonly Recommendation[]) =>
  rows.filter(({ kind, life }) => kind === 'delay' && life.state === 'open')
