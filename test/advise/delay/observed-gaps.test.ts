// Gaps that a compute is judged by, around a wake whose gap is not settled yet.
import { expect, test } from 'vitest'
import { adviseDelay } from '../../../src/advise/delay/advise-delay.ts'
import { observedGaps } from '../../../src/advise/delay/observed-gaps.ts'
import type { AdviseInput } from '../../../src/advise/input.ts'
import { unpaidSleep, withoutSleep } from '../../../src/advise/delay/unpaid-sleep.ts'
import { NO_ACTIVITY } from '../../../src/ledger/gaps/follow-activity.ts'
import type { Evidence } from '../../../src/model/ledger/evidence.ts'
import type { ComputeEntry } from '../../../src/model/ledger/ledger.ts'
import type { Compute } from '../../../src/model/service/compute.ts'
import { cu, millis, seconds } from '../../../src/model/units.ts'
import { adviseEntry, adviseRef, awakeInterval } from '../../support/advise-input.ts'
import { at, evidence, operation, sighting } from '../../support/build.ts'
import { delayInput, gapsOf, HOURLY } from './delay-input.ts'

const DAY = 86_400

/** In hourly use until three days ago, and then without a client until `WAKE`. */
const LAST_USE = -3 * DAY
const WAKE = -60
const hourly = gapsOf(HOURLY).filter(({ from }) => from < at(LAST_USE - 3600))
const weekend = { from: at(LAST_USE), low: seconds(-LAST_USE + WAKE - 5), high: seconds(-LAST_USE + WAKE) }

const inputOf = (
  over: Partial<ComputeEntry>,
  compute: Partial<Compute>,
  gaps: AdviseInput['gaps'] = hourly,
): AdviseInput => {
  const entry = adviseEntry(over, { sizing: { fixed: cu(1) }, autosuspendDelay: seconds(300), ...compute })
  return delayInput({ gaps, entry: { ...entry, observedAt: at(0) } })
}

const open = { from: at(LAST_USE), within: seconds(1), hiddenBelow: seconds(0) }

const justBefore = inputOf(
  { activity: { ...NO_ACTIVITY, open }, settledUntil: at(-3600) },
  { lastActive: at(LAST_USE) },
)

const justWoken = inputOf(
  {
    activity: { ...NO_ACTIVITY, open },
    settledUntil: at(-3600),
    evidence: evidence({
      operations: [operation('start_compute', WAKE)],
      states: [sighting('idle', WAKE - 30), sighting('active', 0)],
      activities: [at(WAKE)],
    }),
    current: awakeInterval(WAKE, undefined, 0),
  },
  { state: 'active', startedAt: at(WAKE), lastActive: at(WAKE) },
)

const settled = inputOf(
  { settledUntil: at(-30), current: awakeInterval(WAKE, undefined, 0) },
  { state: 'active', startedAt: at(WAKE), lastActive: at(WAKE) },
  [...hourly, { ...weekend, ref: adviseRef, hiddenBelow: seconds(0) }],
)

test('the gap that the newest wake ended is judged as it will be stored', () => {
  const last = observedGaps(justWoken).gaps.at(-2)
  expect(last).toMatchObject({ from: at(LAST_USE), isOpen: false, isFollowed: true })
  expect(last?.length.low).toBeGreaterThanOrEqual(weekend.low)
  expect(last?.length.high).toBeLessThanOrEqual(weekend.high + 5)
  expect(observedGaps(justWoken).gaps).toHaveLength(observedGaps(settled).gaps.length)
})

test('sleep is no awake time just before a wake, just after it, and once it is settled', () => {
  const [before, woken, after] = [justBefore, justWoken, settled].map((input) => {
    const advice = adviseDelay(input)
    if ('because' in advice) throw new Error(`withheld: ${advice.because}`)
    return advice.spend.likely
  })
  expect(woken! / before!).toBeCloseTo(1, 2)
  expect(woken! / after!).toBeCloseTo(1, 2)
})

test.each<readonly [string, Partial<Evidence>]>([
  ['operations', { operations: [operation('apply_config', WAKE - 1)] }],
  ['the change itself', { changes: [{ from: at(WAKE - 2), to: at(WAKE + 30) }] }],
])('a change that starts a sleeping compute ends no gap: known from %s', (_, known) => {
  // the service suspends it at once, and records its start as activity
  const changed = inputOf(
    {
      activity: { ...NO_ACTIVITY, open },
      settledUntil: at(-3600),
      evidence: evidence({
        ...known,
        starts: [at(WAKE)],
        ends: [at(WAKE + 1)],
        states: [sighting('idle', WAKE - 30), sighting('idle', 0)],
        activities: [at(WAKE)],
      }),
    },
    { startedAt: at(WAKE), suspendedAt: at(WAKE + 1), lastActive: at(WAKE) },
  )
  const { gaps } = observedGaps(changed)
  expect(gaps.at(-1)).toMatchObject({ from: at(LAST_USE), isOpen: true, length: { likely: -LAST_USE } })
  expect(gaps).toHaveLength(hourly.length + 1)
})

/** Autosuspend is off. Clients come each hour from 9 to 17, and a job suspends the compute at 18. Seconds after midnight. */
const [OPENS, CLOSES, SUSPENDED] = [9 * 3600, 17 * 3600, 18 * 3600]
const DAYS = Array.from({ length: 8 }, (_, day) => (day - 8) * DAY)
const gapFrom = (from: number, length: number): AdviseInput['gaps'][number] => ({
  ref: adviseRef,
  from: at(from),
  low: seconds(length),
  high: seconds(length),
  hiddenBelow: seconds(0),
})
const byHand = delayInput(
  {
    settings: [{ ref: adviseRef, since: at(DAYS[0]! + OPENS), delay: 'never', sizing: { fixed: cu(1) } }],
    intervals: DAYS.map((day) => ({
      ref: adviseRef,
      interval: awakeInterval(day + OPENS, day + SUSPENDED),
      cuTime: {},
      idleTail: millis(0),
      attribution: {},
    })),
    gaps: DAYS.flatMap((day) => [
      ...Array.from({ length: 8 }, (_, hour) => gapFrom(day + OPENS + hour * 3600, 3540)),
      ...(day < -DAY ? [gapFrom(day + CLOSES, DAY + OPENS - CLOSES)] : []),
    ]),
  },
  { autosuspendDelay: 'never', state: 'idle', lastActive: at(CLOSES - DAY) },
)

test('autosuspend off: a gap counts until somebody suspended the compute', () => {
  const { gaps } = withoutSleep(observedGaps(byHand), unpaidSleep(byHand))
  const nights = gaps.filter(({ from }) => (from - at(CLOSES)) % (DAY * 1000) === 0)
  expect(nights.map(({ length }) => length.likely)).toEqual(DAYS.slice(1).map(() => SUSPENDED - CLOSES))
})

test('autosuspend off: sleep that somebody brought about is neither spend nor saving', () => {
  const advice = adviseDelay(byHand)
  if ('because' in advice) throw new Error(`withheld: ${advice.because}`)
  const awakeShare = (8 * (SUSPENDED - OPENS)) / (8 * DAY - OPENS)
  expect(advice.spend.likely / (awakeShare * 720 * 106_000)).toBeCloseTo(1, 2)
  expect(advice.saving.likely).toBeGreaterThan(0)
  expect(advice.saving.likely).toBeLessThan(advice.spend.likely)
})
