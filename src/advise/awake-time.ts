// Awake intervals of one compute with their cost: settled ones, later ones, and the one in progress. A compute that never sleeps has no other.
import { attributionIn } from '../ledger/attribution/attribution.ts'
import { addCuTime, cuTimeOf } from '../ledger/settle/cu-time.ts'
import { provisionalIntervals } from '../ledger/settle/settle.ts'
import type { Attribution, AwakeInterval, Edge } from '../model/ledger/evidence.ts'
import type { ComputeEntry, SettledInterval } from '../model/ledger/ledger.ts'
import type { CuTimeByPrice } from '../model/ledger/quantities.ts'
import { effectiveDelay, type AutosuspendDelay } from '../model/service/compute.ts'
import type { Interval } from '../model/units.ts'
import type { AdviseInput } from './input.ts'

/** Likely edges. */
export type CostedInterval = Interval & Readonly<{ cuTime: CuTimeByPrice; attribution: Attribution }>

/** In order. */
export function awakeIntervals(input: AdviseInput): readonly CostedInterval[] {
  const settled = input.intervals.map(costedInterval)
  return [...settled, ...unsettledIntervals(input), ...intervalInProgress(input)].filter(
    ({ from, to }) => from < to,
  )
}

export function costedInterval({ interval, cuTime, attribution }: SettledInterval): CostedInterval {
  const { from, to, knownUntil } = interval
  return { from: from.likely, to: to?.likely ?? knownUntil, cuTime, attribution }
}

/** Ended, but not settled to their ends. */
function unsettledIntervals({ entry, project, now }: AdviseInput): readonly CostedInterval[] {
  const delay = effectiveDelay(entry.compute, project?.project)
  return provisionalIntervals(entry, delay, now).flatMap(({ interval }) =>
    interval.to ? [costOf(interval, interval.to, { entry, delay })] : [],
  )
}

function intervalInProgress({ entry, project }: AdviseInput): readonly CostedInterval[] {
  const { current } = entry
  const delay = effectiveDelay(entry.compute, project?.project)
  return current ? [costOf(current, undefined, { entry, delay })] : []
}

type Costed = Readonly<{ entry: ComputeEntry; delay: AutosuspendDelay }>

function costOf(interval: AwakeInterval, to: Edge | undefined, { entry, delay }: Costed): CostedInterval {
  const { evidence, partlySettled, provisional } = entry
  const { from } = interval
  const slices = provisional.filter(
    ({ high }) => high.from >= from.earliest && high.to <= (to?.latest ?? Infinity),
  )
  const isPartlySettled = partlySettled?.interval.from.likely === from.likely
  return {
    from: from.likely,
    to: to?.likely ?? interval.knownUntil,
    cuTime: addCuTime(isPartlySettled ? partlySettled.cuTime : {}, cuTimeOf(slices)),
    attribution: attributionIn(interval, evidence, delay),
  }
}
