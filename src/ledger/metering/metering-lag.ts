// Metering lag: how late the service counts usage, measured where its meter moves again after a project slept.
import type { MeterBaseline, ProjectMetering } from '../../model/ledger/metering.ts'
import type { ProjectEntry } from '../../model/ledger/project-entry.ts'
import {
  instant,
  seconds,
  type CuMillis,
  type Instant,
  type Seconds,
  type Interval,
} from '../../model/units.ts'
import { usageIn, type ProjectUsage } from './ledger-use.ts'

type Lag = NonNullable<ProjectMetering['lag']>

/** Lag assumed until it is measured, 15 min. Source: service-facts.md, "Consumption". */
export const ASSUMED_METERING_LAG = seconds(900)
/** Largest width of a sample, seconds: a wider one says too little. */
const MAX_WIDTH = 300
/** Samples of the account's lag, the narrowest ones: few, so that a service that becomes faster soon shows. */
const MAX_SAMPLES = 15

/** Since the ledger reached the metered usage, ranges at their bounds; undefined where it has less, or the bounds lie far apart. */
export function meteringLagSample(
  use: ProjectUsage,
  { base, rest, at }: { base: MeterBaseline; rest: CuMillis; at: Instant },
): Lag | undefined {
  if (!base.still || rest <= 0) return undefined
  const [first, last] = [
    reachedAt(use, { from: base.until, to: at }, { rest, pick: 'most' }),
    reachedAt(use, { from: base.until, to: at }, { rest, pick: 'least' }),
  ]
  if (first === undefined) return undefined
  const atMost = seconds((at - first) / 1000)
  const atLeast = seconds(last === undefined ? 0 : (at - last) / 1000)
  return atMost - atLeast > MAX_WIDTH ? undefined : { atLeast, atMost }
}

type Goal = Readonly<{ rest: CuMillis; pick: 'least' | 'most' }>

/** By binary search, because computes of one project overlap. */
function reachedAt(use: ProjectUsage, { from, to }: Interval, { rest, pick }: Goal): Instant | undefined {
  if (usageIn(use, { from, to }, pick) < rest) return undefined
  let [before, reached] = [from, to]
  while (reached - before > 1) {
    const middle = instant(Math.floor((before + reached) / 2))
    if (usageIn(use, { from, to: middle }, pick) < rest) before = middle
    else reached = middle
  }
  return reached
}

/** The narrower one; the new one where the service changed, or where it is the first since the project slept, dated best. */
export function betterLagSample(
  before: Lag | undefined,
  sample: Lag | undefined,
  isFirst: boolean,
): Lag | undefined {
  if (!before || !sample) return sample ?? before
  const contradicts = sample.atLeast > before.atMost || sample.atMost < before.atLeast
  return isFirst || contradicts || widthOf(sample) <= widthOf(before) ? sample : before
}

/** Median of the narrowest samples of the projects, each at its lower bound. */
export function measureMeteringLag(projects: Iterable<ProjectEntry>): Seconds | undefined {
  const samples: Lag[] = []
  for (const { metering } of projects) if (metering?.lag) samples.push(metering.lag)
  const narrowest = samples.toSorted((a, b) => widthOf(a) - widthOf(b)).slice(0, MAX_SAMPLES)
  const lags = narrowest.map(({ atLeast }) => atLeast).toSorted((a, b) => a - b)
  return lags[lags.length >> 1]
}

const widthOf = ({ atLeast, atMost }: Lag) => atMost - atLeast
