// Gaps that a compute is judged by, around a wake whose gap is not settled yet.
import { expect, test } from 'vitest'
import { adviseDelay } from '../../../src/advise/delay/advise-delay.ts'
import { observedGaps } from '../../../src/advise/delay/observed-gaps.ts'
import type { AdviseInput } from '../../../src/advise/input.ts'
import { NO_ACTIVITY } from '../../../src/ledger/gaps/follow-activity.ts'
import type { Evidence } from '../../../src/model/ledger/evidence.ts'
import type { ComputeEntry } from '../../../src/model/ledger/ledger.ts'
import type { Compute } from '../../../src/model/service/compute.ts'
import { cu, seconds } from '../../../src/model/units.ts'
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
