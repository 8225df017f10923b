// Awake intervals of one compute with their cost, the one in progress included: a compute that never sleeps has no other.
import { attributionIn } from '../ledger/attribution/attribution.ts'
import { addCuTime, cuTimeOf } from '../ledger/settle/cu-time.ts'
import type { Attribution } from '../model/ledger/evidence.ts'
import type { SettledInterval } from '../model/ledger/ledger.ts'
import type { CuTimeByPrice } from '../model/ledger/quantities.ts'
import { effectiveDelay } from '../model/service/compute.ts'
import type { Interval } from '../model/units.ts'
import type { AdviseInput } from './input.ts'

/** Likely edges. */
export type CostedInterval = Interval & Readonly<{ cuTime: CuTimeByPrice; attribution: Attribution }>

/** In order. */
export function awakeIntervals(input: AdviseInput): readonly CostedInterval[] {
  const settled = input.intervals.map(costedInterval)
  return [...settled, ...intervalInProgress(input)].filter(({ from, to }) => from < to)
}

export function costedInterval({ interval, cuTime, attribution }: SettledInterval): CostedInterval {
  const { from, to, knownUntil } = interval
  return { from: from.likely, to: to?.likely ?? knownUntil, cuTime, attribution }
}

function intervalInProgress({ entry, project }: AdviseInput): readonly CostedInterval[] {
  const { current, evidence, partlySettled, provisional } = entry
  if (!current) return []
  const delay = effectiveDelay(entry.compute, project?.project)
  const slices = provisional.filter(({ likely }) => likely.from >= current.from.earliest)
  return [
    {
      from: current.from.likely,
      to: current.knownUntil,
      cuTime: addCuTime(partlySettled?.cuTime ?? {}, cuTimeOf(slices)),
      attribution: attributionIn(current, evidence, delay),
    },
  ]
}
