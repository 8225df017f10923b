// The delay in force before the first look, by how long the compute stayed awake: nothing reports it, and somebody may have changed it since.
//
// 1. Every change of settings shows as an operation. Between two of them the delay was one.
// 2. A compute stays awake for the delay at least. Where it was suspended sooner than the present delay allows, the delay was shorter: about
//    as long as its short awake times.
// 3. Where its short awake times are about as long as the present delay, it has momentary uses. Then longer ones before a change of
//    settings show a longer delay. Else they may be long uses.
// 4. Where autosuspend is off since the last change, somebody suspends it.
import type { Edge, Evidence } from '../../model/ledger/evidence.ts'
import { SUSPEND_GRACE } from '../../model/inference/expected-suspension.ts'
import { delayMillis, type AutosuspendDelay } from '../../model/service/compute.ts'
import { awakeEffect, type Operation } from '../../model/service/operation.ts'
import { instant, SECOND, seconds, type Instant, type Interval, type Seconds } from '../../model/units.ts'

/** Delays that differ from the present one, each until a change of settings, ascending. */
export type PastDelays = readonly Readonly<{ from: Instant; until: Instant; delay: Seconds }>[]

/** `delay`: the present one. `pastDelays`: before the first look; absent for none. */
export type Delays = Readonly<{ delay: AutosuspendDelay; pastDelays?: PastDelays | undefined }>

/** Awake times that a delay is read from, 5: some may have ended by hand. */
const MIN_AWAKE_TIMES = 5

/** Share of awake times that may have ended sooner, by hand or for a change, 10 %. */
const ENDED_SOONER = 0.1

/** Changes of settings that are told apart, 100, the newest: a service that names ever more must not hold up a sweep. */
const MAX_CHANGES = 100

/** Largest distance of a suspension from the change of settings that caused it, ms. */
const OF_ONE_CHANGE = 2 * SECOND

/** @param delay the present one */
export function pastDelaysOf(operations: readonly Operation[], delay: AutosuspendDelay): PastDelays {
  if (operations.length < 2 * MIN_AWAKE_TIMES) return []
  const spans = spansOf(operations)
  const [present, tolerance] = [delayMillis(delay), SUSPEND_GRACE * SECOND]
  const isMomentary = spans.some(({ short = 0 }) => Math.abs(short - present) <= tolerance)
  return spans.flatMap(({ short, from, until }) => {
    if (short === undefined) return []
    const isPast = until !== END
    const isShorter = short < present - tolerance && (isPast || delay !== 'never')
    const isLonger = short > present + tolerance && isPast && isMomentary
    return isShorter || isLonger ? [{ from, until, delay: seconds(Math.floor(short / SECOND)) }] : []
  })
}

const END = instant(Infinity)

/** Time between two changes of settings. `short`: a short awake time, ms; undefined where too few are known. */
type SettingsSpan = Readonly<{ from: Instant; until: Instant; short: number | undefined }>

function spansOf(operations: readonly Operation[]): readonly SettingsSpan[] {
  const ordered = operations.toSorted((a, b) => a.createdAt - b.createdAt)
  const changes = ordered
    .flatMap((one) => (one.action === 'apply_config' ? [one.createdAt] : []))
    .slice(-MAX_CHANGES)
  const times = awakeTimesOf(ordered)
  return [...changes, END].map((until, index) => {
    const from = changes[index - 1] ?? instant(0)
    const own = times.filter((time) => time.from >= from && time.to + OF_ONE_CHANGE < until)
    return { from, until, short: shortOf(own.map((time) => time.to - time.from)) }
  })
}

function shortOf(lengths: readonly number[]): number | undefined {
  if (lengths.length < MIN_AWAKE_TIMES) return undefined
  return lengths.toSorted((a, b) => a - b)[Math.floor(lengths.length * ENDED_SOONER)]
}

/** From a start to the suspension after it. */
function awakeTimesOf(ordered: readonly Operation[]): readonly Interval[] {
  const times: Interval[] = []
  let start: Instant | undefined
  for (const one of ordered) {
    const effect = awakeEffect(one)
    if (effect === 'suspends' && start !== undefined) times.push({ from: start, to: one.createdAt })
    if (effect !== undefined) start = effect === 'starts' ? one.updatedAt : undefined
  }
  return times
}

/** The delay in force at a suspension: the present one where a look came before it. */
export function delayBeforeLooks(
  { earliest: at }: Edge,
  { states }: Evidence,
  { delay, pastDelays = [] }: Delays,
): AutosuspendDelay {
  if (pastDelays.length === 0 || states.some(({ askedAt, record }) => record && askedAt <= at)) return delay
  return pastDelays.find(({ from, until }) => from <= at && at < until)?.delay ?? delay
}
