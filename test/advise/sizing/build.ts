// Load and connections of one compute, as readings show them.
import type { AdviseInput } from '../../../src/advise/input.ts'
import { adviseSizing } from '../../../src/advise/sizing/advise-sizing.ts'
import type { Proposal } from '../../../src/model/policy/recommendation.ts'
import { FINE_STEP, COARSE_STEP, type Rollup } from '../../../src/model/ledger/rollup.ts'
import type { DayRow } from '../../../src/model/ledger/quantities.ts'
import { largestCu, smallestCu, type Sizing } from '../../../src/model/service/compute.ts'
import { bytes, cu, instant, millis, seconds } from '../../../src/model/units.ts'
import { adviseEntry, adviseInput, adviseRef } from '../../support/advise-input.ts'
import { at } from '../../support/build.ts'

const DAY = 86_400
/** `adviseInput().now`, seconds. */
const NOW = 30 * DAY

export const fixed = (size: number): Sizing => ({ fixed: cu(size) })
export const range = (min: number, max: number): Sizing => ({ min: cu(min), max: cu(max) })

/** A range of equal limits as a fixed size. */
export const wholeSizing = (sizing: Sizing | undefined): Sizing | undefined =>
  sizing && (smallestCu(sizing) === largestCu(sizing) ? { fixed: smallestCu(sizing) } : sizing)

type Seen = Readonly<{ load?: number; length?: number; peak?: number; arrivals?: number }>

/** Awake throughout, with one reading. `load`: average active sessions. */
export function bucket(from: number, { load = 0, length = FINE_STEP, peak = 1, arrivals = 0 }: Seen): Rollup {
  const over = millis(length * 1000)
  const one = { sum: peak, max: peak }
  return {
    ref: adviseRef,
    from: at(from),
    length: seconds(length),
    time: { init: millis(0), active: over, idle: millis(0) },
    followed: over,
    readings: 1,
    size: undefined,
    connections: { count: 1, all: one, active: one, idle: one, idleInTransaction: one, other: one },
    connectionLimit: undefined,
    idleAtSuspension: undefined,
    cache: { hits: 20_000, misses: 0, warmHits: 20_000, warmMisses: 0, over },
    cacheUsed: undefined,
    cacheLimit: undefined,
    workingSet: undefined,
    use: { arrivals, activeTime: millis(load * over), over },
    longestTransaction: undefined,
    culprits: [],
  }
}

/** The last steps before now. */
export const stepsOf = (loads: readonly number[]): Rollup[] =>
  loads.map((load, index) => bucket(NOW - (loads.length - index) * FINE_STEP, { load }))

/** An hour of each of the last `days`. */
export const hoursOf = (days: number, peak: number, arrivals = 0): Rollup[] =>
  Array.from({ length: days }, (_, index) =>
    bucket(NOW - (days - index) * DAY, { length: COARSE_STEP, peak, arrivals }),
  )

/** The last `count` days, each awake for so many seconds. */
export const awakeDays = (count: number, awake: number): DayRow[] =>
  Array.from({ length: count }, (_, index) => {
    const time = millis(awake * 1000)
    const from = at(NOW - (count - index) * DAY)
    return {
      ref: adviseRef,
      date: `day-${index}`,
      from,
      to: instant(from + DAY * 1000),
      awake: { low: time, likely: time, high: time },
      cuTime: {},
      idleTail: millis(0),
      observerOverhead: millis(0),
      wakes: 1,
      version: 1,
    }
  })

/** Awake eight hours on each of 30 days. @param cache MiB */
export function sizedInput(
  sizing: Sizing,
  over: Partial<AdviseInput> = {},
  cache?: { used: number; limit: number },
): AdviseInput {
  const input = adviseInput({
    entry: adviseEntry({}, { sizing }),
    settings: [{ ref: adviseRef, since: at(0), delay: 'never', sizing }],
    days: awakeDays(30, 8 * 3600),
    ...over,
  })
  if (!cache) return input
  const cacheUsed = bytes(cache.used * 2 ** 20)
  const cacheLimit = bytes(cache.limit * 2 ** 20)
  return { ...input, steps: input.steps.map((step) => ({ ...step, cacheUsed, cacheLimit })) }
}

/** @throws where it is withheld */
export function proposed(input: AdviseInput): Proposal {
  const result = adviseSizing(input)
  if (!('ref' in result)) throw new Error(`withheld: ${result.because}`)
  return result
}

export const target = (input: AdviseInput): Sizing | undefined => wholeSizing(proposed(input).to.sizing)
