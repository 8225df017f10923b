// Policies of the autosuspend delay, at their published settings.
import { binOf, hiOf } from '../advise/delay/bins.ts'
import { cheaperDelay, HISTORY_SECONDS } from '../advise/delay/choose.ts'
import { gapCost, skiRentalDelay } from '../advise/delay/guard.ts'
import { seconds } from '../model/units.ts'
import { learnedDelays } from './learned-delays.ts'
import type { DelayPolicy, PlaySettings } from './play.ts'

/** Default of the service, minutes. */
const DEFAULT_DELAY = 5

/** Policy with the same delay for all gaps. */
const fixed = (name: string, delayOf: (settings: PlaySettings) => number): DelayPolicy => ({
  name,
  start: (settings) => {
    const delay = delayOf(settings)
    return { decide: () => delay, learn: () => {} }
  },
})

type PastGap = Readonly<{ from: number; length: number }>

const DAY_MINUTES = 1440
/** Minutes of history that a recommended delay rests on. */
const RECOMMENDED_HISTORY = HISTORY_SECONDS / 60

/**
 * The rule that recommendations follow, applied each day as if a person set at once what is recommended. A trace holds every gap, so the
 * evidence that the daemon waits for is not asked for, nor is the saving in money.
 */
const recommended: DelayPolicy = {
  name: 'recommended',
  start: ({ wakeCost, floor }, count) => {
    const computes = Array.from({ length: count }, () => ({
      gaps: [] as PastGap[],
      day: 0,
      delay: Math.max(DEFAULT_DELAY, floor),
    }))
    const candidates = longerThan(floor, 4 * wakeCost).map(seconds)
    return {
      decide: (series, at) => {
        const one = computes[series]
        if (!one) return DEFAULT_DELAY
        const day = Math.floor(at / DAY_MINUTES)
        if (day === one.day) return one.delay
        one.day = day
        one.gaps = one.gaps.filter(({ from }) => from >= at - RECOMMENDED_HISTORY)
        const question = {
          candidates,
          now: seconds(one.delay),
          wakeCost: seconds(wakeCost),
          grid: seconds(1),
        }
        const lengths = one.gaps.map(({ length }) => ({ low: length, high: length, hiddenBelow: 0 }))
        const better = cheaperDelay(lengths, question)
        if (typeof better === 'number') one.delay = better
        return one.delay
      },
      learn: (series, { from, length }) => computes[series]?.gaps.push({ from, length }),
    }
  },
}

/** Upper edges of bins. */
function longerThan(floor: number, longest: number): readonly number[] {
  const delays = [floor]
  for (let bin = binOf(floor) + 1; hiOf(bin) <= Math.max(longest, floor); bin += 1) delays.push(hiOf(bin))
  return delays
}

/** Delays that FTL compares, minutes. Source: conventions of the traces. */
const FTL_DELAYS = [1, 2, 3, 5, 7, 10, 15, 20, 30, 45, 60, 90, 120, 240, 480, 1440, 10_080]
const FTL_MIN_GAPS = 3

/** Follow the leader: the delay that was cheapest on the series' own gaps. Source: Kalai and Vempala, JCSS 2005. */
const ftl: DelayPolicy = {
  name: 'ftl',
  start: ({ wakeCost, floor }, count) => {
    const delays = FTL_DELAYS.filter((delay) => delay >= floor)
    const costs = Array.from({ length: count }, () => new Float64Array(delays.length))
    const gaps = new Int32Array(count)
    const distance = (at: number) => Math.abs((delays[at] ?? 0) - wakeCost)
    const isBefore = (own: Float64Array, at: number, best: number) => {
      const difference = (own[at] ?? 0) - (own[best] ?? 0)
      return difference < 0 || (difference === 0 && distance(at) < distance(best))
    }
    return {
      decide: (series) => {
        const own = costs[series]
        if (!own || (gaps[series] ?? 0) < FTL_MIN_GAPS) return Math.max(DEFAULT_DELAY, floor)
        const best = delays.reduce((least, _, at) => (isBefore(own, at, least) ? at : least), 0)
        return delays[best] ?? DEFAULT_DELAY
      },
      learn: (series, { length }) => {
        gaps[series] = (gaps[series] ?? 0) + 1
        const own = costs[series]
        if (!own) return
        for (const [at, delay] of delays.entries())
          own[at] = (own[at] ?? 0) + gapCost(length, delay, wakeCost)
      },
    }
  },
}

/** Range of the histogram, minutes, and settings of its use. Source: Shahrad et al., "Serverless in the Wild", USENIX ATC 2020, section 4. */
const HISTOGRAM = { range: 240, tail: 0.99, margin: 1.1, minVariation: 2, maxOutside: 0.5 }

/** Keep-alive part alone: without warm-up the compute stays awake until the tail of the histogram. Where it is not representative, the whole range. */
const hybridHistogram: DelayPolicy = {
  name: 'hybrid-histogram',
  start: ({ floor }, count) => {
    const histograms = Array.from({ length: count }, () => ({
      bins: new Int32Array(HISTOGRAM.range + 1),
      inside: 0,
      outside: 0,
    }))
    return {
      decide: (series) => Math.max(floor, tailOf(histograms[series])),
      learn: (series, { length }) => {
        const one = histograms[series]
        if (!one) return
        if (length > HISTOGRAM.range) one.outside += 1
        else {
          one.inside += 1
          one.bins[length] = (one.bins[length] ?? 0) + 1
        }
      },
    }
  },
}

type Histogram = Readonly<{ bins: Int32Array; inside: number; outside: number }>

function tailOf(histogram: Histogram | undefined): number {
  const { range, tail, margin, minVariation, maxOutside } = HISTOGRAM
  if (!histogram || histogram.inside === 0) return range
  const { bins, inside, outside } = histogram
  const mean = inside / range
  const variance = bins.reduce((sum, count) => sum + (count - mean) ** 2, 0) / range
  const isRepresentative =
    Math.sqrt(variance) / mean >= minVariation && outside <= maxOutside * (inside + outside)
  if (!isRepresentative) return range
  let [length, below] = [0, 0]
  while (below < tail * inside) below += bins[++length] ?? inside
  return Math.min(range, Math.ceil(margin * length))
}

/** All but the clairvoyant, which is no policy: it knows the length of each gap. */
export const DELAY_POLICIES: readonly DelayPolicy[] = [
  recommended,
  learnedDelays,
  fixed('default', ({ floor }) => Math.max(DEFAULT_DELAY, floor)),
  fixed('never', () => Infinity),
  // Karlin et al., "Competitive randomized algorithms for nonuniform problems", Algorithmica 1994
  fixed('ski-rental', skiRentalDelay),
  ftl,
  hybridHistogram,
]
