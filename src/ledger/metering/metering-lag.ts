// How late the service counts: measured where it begins to count anew after a project slept.
import type { MeterBaseline, ProjectMetering } from '../../model/ledger/metering.ts'
import type { ProjectEntry } from '../../model/ledger/project-entry.ts'
import type { Span } from '../../model/ledger/slice.ts'
import { instant, seconds, type CuMillis, type Instant, type Seconds } from '../../model/units.ts'
import { usageIn, type ProjectUsage } from './ledger-use.ts'

type Lag = NonNullable<ProjectMetering['lag']>

/** Until it is measured. Source: service-facts.md, "Consumption". */
export const ASSUMED_METERING_LAG = seconds(900)
/** What is known no better tells nothing. Doubled, a range that woke long ago is believed, too. */
const WIDEST = 300
/** Samples that are heeded, the best. Doubled, a service that has become prompter is believed twice as late. */
const HEEDED = 15

/**
 * How long before `at` the ledger had what the service tells then: earliest if ranges were at their largest, latest if they were at
 * their least.
 *
 * @param rest what was used since the base, by the service's count
 * @returns undefined where the ledger has not so much, or where it may have been at very different times
 */
export function meteringLagSample(
  use: ProjectUsage,
  { base, rest, at }: { readonly base: MeterBaseline; readonly rest: CuMillis; readonly at: Instant },
): Lag | undefined {
  if (!base.still || rest <= 0) return undefined
  const [first, last] = [
    reachedAt(use, [base.until, at], { rest, pick: 'most' }),
    reachedAt(use, [base.until, at], { rest, pick: 'least' }),
  ]
  if (first === undefined) return undefined
  const atMost = seconds((at - first) / 1000)
  const atLeast = seconds(last === undefined ? 0 : (at - last) / 1000)
  return atMost - atLeast > WIDEST ? undefined : { atLeast, atMost }
}

type Goal = { readonly rest: CuMillis; readonly pick: 'least' | 'most' }

/** When so much was used; found by halves, because computes of one project overlap. */
function reachedAt(use: ProjectUsage, [from, to]: Span, { rest, pick }: Goal): Instant | undefined {
  if (usageIn(use, [from, to], pick) < rest) return undefined
  let [before, reached] = [from, to]
  while (reached - before > 1) {
    const middle = instant(Math.floor((before + reached) / 2))
    if (usageIn(use, [from, middle], pick) < rest) before = middle
    else reached = middle
  }
  return reached
}

/**
 * What is known of a project's lag with a new sample: the better of the two, or the new one where the service has changed.
 *
 * @param isFirst whether it is the first since the project slept, which is dated best
 */
export function betterLagSample(
  known: Lag | undefined,
  sample: Lag | undefined,
  isFirst: boolean,
): Lag | undefined {
  if (!known || !sample) return sample ?? known
  const isOther = sample.atLeast > known.atMost || sample.atMost < known.atLeast
  return isFirst || isOther || widthOf(sample) <= widthOf(known) ? sample : known
}

/**
 * The lag that the projects of one account were measured to have: the middle one of the best samples, each as if a range had been
 * at its least when it woke.
 */
export function measureMeteringLag(projects: Iterable<ProjectEntry>): Seconds | undefined {
  const samples: Lag[] = []
  for (const { metering } of projects) if (metering?.lag) samples.push(metering.lag)
  const best = samples.toSorted((a, b) => widthOf(a) - widthOf(b)).slice(0, HEEDED)
  const lags = best.map(({ atLeast }) => atLeast).toSorted((a, b) => a - b)
  return lags[lags.length >> 1]
}

const widthOf = ({ atLeast, atMost }: Lag): number => atMost - atLeast
