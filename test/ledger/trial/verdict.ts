// What is wrong with an account beside the truth, and how exact it is.
import { totalsWithAccrual } from '../../../src/ledger/settle/accrual.ts'
import { cuTimeSum } from '../../../src/ledger/settle/cu-time.ts'
import type { Bounds } from '../../../src/model/ledger/quantities.ts'
import type { ComputeEntry } from '../../../src/model/ledger/ledger.ts'
import { after, seconds } from '../../../src/model/units.ts'
import { prices } from '../../support/build.ts'
import { trialOf, type Moment, type Tells, type Trial } from './trial.ts'

export type Verdict = {
  /** One line for each kind of thing that is wrong; empty when nothing is. */
  readonly problems: readonly string[]
  /** At the end; undefined where there was nothing to count. */
  readonly exact: Exact | undefined
}

/** Of the truth: how far apart the bounds are, and how far off the likely value is. */
export type Exact = {
  readonly awakeWidth: number
  readonly awakeError: number
  readonly cuWidth: number
  readonly cuError: number
}

/** Instants of the truth and of looks are rounded to a millisecond each. */
const ROUNDING = 2

export function verdictOf(seed: number, tells: Tells, hours: number): Verdict {
  const trial = trialOf(seed, tells, hours)
  const last = trial.moments.at(-1)
  if (!last) return { problems: ['nothing was seen'], exact: undefined }
  return {
    problems: [
      ...new Set([
        ...trial.moments.flatMap((moment) => outside(moment)),
        ...trial.moments.flatMap(({ account }) => undead(account)),
        ...fallen(trial.moments),
        ...sumsOf(trial, last),
      ]),
    ],
    exact: last.truth.awake === 0 ? undefined : exactnessOf(last),
  }
}

const holds = ({ low, high }: Bounds<number>, real: number): boolean =>
  low <= real + ROUNDING && real <= high + ROUNDING

function outside({ truth, account: { totals } }: Moment): readonly string[] {
  return [
    ...(holds(totals.awake, truth.awake) ? [] : ['awake time is outside its bounds']),
    ...(holds(cuTimeSum(totals.cuTime), truth.cuTime) ? [] : ['CU-time is outside its bounds']),
  ]
}

/** Time adds nothing to a compute that is gone. */
function undead(account: ComputeEntry): readonly string[] {
  const { deletedAt, current, totals } = account
  if (deletedAt === undefined) return []
  const { awake } = totalsWithAccrual(account, { prices, project: undefined, now: after(deletedAt, YEAR) })
  return current || awake.high !== totals.awake.high ? ['a compute that is gone is awake'] : []
}

const YEAR = seconds(365 * 86_400)

function fallen(moments: readonly Moment[]): readonly string[] {
  return moments.slice(1).some(({ account }, index) => {
    const before = moments[index]?.account.counters ?? account.counters
    return account.counters.awake < before.awake || account.counters.spend < before.spend
  })
    ? ['a counter fell']
    : []
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0)

/** Slices and days add up to the totals, to the millisecond. */
function sumsOf({ days, settled }: Trial, { account }: Moment): readonly string[] {
  const { totals, provisional } = account
  const slices = [...settled, ...provisional]
  const kinds = ['low', 'likely', 'high'] as const
  return [
    ...kinds
      .filter((kind) => sum(slices.map((one) => one[kind].to - one[kind].from)) !== totals.awake[kind])
      .map((kind) => `slices do not add up: ${kind}`),
    ...kinds
      .filter((kind) => sum(days.map(({ awake }) => awake[kind])) !== totals.awake[kind])
      .map((kind) => `days do not add up: ${kind}`),
    ...(sum(days.map(({ wakes }) => wakes)) === totals.wakes ? [] : ['wakes of days do not add up']),
    ...(sum(days.map(({ idleTail }) => idleTail)) === totals.idleTail ? [] : ['tails do not add up']),
  ]
}

const width = ({ low, high }: Bounds<number>, real: number): number => (high - low) / real
const error = ({ likely }: Bounds<number>, real: number): number => Math.abs(likely - real) / real

function exactnessOf({ truth, account: { totals } }: Moment): Exact {
  const cuTime = cuTimeSum(totals.cuTime)
  return {
    awakeWidth: width(totals.awake, truth.awake),
    awakeError: error(totals.awake, truth.awake),
    cuWidth: width(cuTime, truth.cuTime),
    cuError: error(cuTime, truth.cuTime),
  }
}
