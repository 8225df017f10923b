// Amounts as people see them: the ledger's bounds, narrowed where the service counted the past. The only place that narrows a figure.
import {
  PAST_BASES,
  type ComputePast,
  type CountedPast,
  type PastBasis,
  type PastPart,
  type Shown,
} from '../../model/ledger/counted-past.ts'
import { addBounds, eachBound, mapBounds, type Bounds, type DayRow } from '../../model/ledger/quantities.ts'
import { computeKey } from '../../model/service/compute.ts'
import { HOUR, cuMillis, type Interval } from '../../model/units.ts'
import { sumOf } from '../../std/sum.ts'
import { addCuTime, cuTimeSum } from '../settle/cu-time.ts'

type ShownOptions = Readonly<{
  past: CountedPast
  /** Computes in the amount that have a past. */
  computes: Iterable<ComputePast>
  /** Time of the amount, in whole days; default: all time. */
  interval?: Interval
  /** Unit of the amount: micros or CU·ms; by default micros. */
  unit?: 'money' | 'cu_hours'
  /** The likely amount is a sum of `createShownRows`, thus narrowed already. Default false. */
  isLikelyShown?: boolean
}>

const NOTHING: Bounds<number> = eachBound(() => 0)
const plain = (value: number) => value

/**
 * `ledger` without the ledger's bounds of past days, and with their narrowed ones. Undefined where no past day is in it.
 *
 * Widths of the days of one compute add up. Widths of several computes add up as the root of the sum of squares where the service counted
 * them: they are independent. Assumptions may all be wrong for one reason, so their widths add up as they are.
 */
export function shownAmount(
  ledger: Bounds<number>,
  { past, computes, interval, unit = 'money', isLikelyShown = false }: ShownOptions,
): Shown | undefined {
  const factorOf = ({ price }: PastPart) => (unit === 'money' ? price / HOUR : 1)
  const sum = (parts: readonly PastPart[], pick: 'ledger' | 'shown') =>
    parts.reduce(
      (total, part) =>
        add(
          total,
          mapBounds(part[pick], (value) => value * factorOf(part)),
        ),
      NOTHING,
    )
  let [rest, likely] = [ledger, 0]
  const [independent, common] = [createWidths(), createWidths()]
  const bases = new Set<PastBasis>()
  for (const { basis, parts } of computes) {
    const inside = parts.filter(({ day }) => !interval || (interval.from <= day && day < interval.to))
    if (inside.length === 0) continue
    bases.add(basis)
    rest = add(
      rest,
      mapBounds(sum(inside, 'ledger'), (value) => -value),
    )
    const shown = inside.length < parts.length ? shownInside(parts, inside, sum) : sum(inside, 'shown')
    likely += shown.likely
    ;(basis === 'assumed' ? common : independent).add(shown)
  }
  const basis = weakestBasis(bases)
  if (basis === undefined) return undefined
  const amount = {
    low: rest.low + likely - independent.root().below - common.sum().below,
    likely: isLikelyShown ? ledger.likely : rest.likely + likely,
    high: rest.high + likely + independent.root().above + common.sum().above,
  }
  return { amount: within(ledger, amount), basis, until: past.until, untilDate: past.untilDate }
}

/** Rows of days as people see them: the likely CU-time narrowed, bounds of the ledger. Fastest with rows of one compute in a row. */
export function createShownRows(past: CountedPast | undefined): (row: DayRow) => DayRow {
  if (!past) return (row) => row
  let [key, days] = ['', new Map<number, readonly PastPart[]>()]
  return (row) => {
    const ownKey = computeKey(row.ref)
    if (ownKey !== key) {
      key = ownKey
      days = Map.groupBy(past.computes.get(key)?.parts ?? [], ({ day }) => day)
    }
    const parts = days.get(row.from)
    const [first] = parts ?? []
    if (!parts || !first) return row
    const { low, likely, high } = cuTimeSum(row.cuTime)
    const moved = sumOf(parts, (part) => part.shown.likely - part.ledger.likely)
    const shown = Math.min(high, Math.max(low, likely + moved))
    const change = { low: cuMillis(0), likely: cuMillis(shown - likely), high: cuMillis(0) }
    return { ...row, cuTime: addCuTime(row.cuTime, { [String(first.price)]: change }) }
  }
}

type SumParts = (parts: readonly PastPart[], pick: 'ledger' | 'shown') => Bounds<number>

/** `inside` is a run of `parts`: only its first and its last window may have parts outside of it. */
function shownInside(parts: readonly PastPart[], inside: readonly PastPart[], sum: SumParts): Bounds<number> {
  const edges = new Set([inside.at(0)?.window, inside.at(-1)?.window])
  const between = inside.filter(({ window }) => !edges.has(window))
  return [...edges].reduce(
    (total, edge) => {
      const ofEdge = ({ window }: PastPart) => window === edge
      return add(total, partOf(parts.filter(ofEdge), inside.filter(ofEdge), sum))
    },
    sum(between, 'shown'),
  )
}

/** Only the window as a whole was counted: what its other parts cannot have been is in these. */
function partOf(all: readonly PastPart[], inside: readonly PastPart[], sum: SumParts): Bounds<number> {
  const [whole, least] = [sum(all, 'shown'), sum(inside, 'ledger')]
  const ledger = sum(all, 'ledger')
  const { likely } = sum(inside, 'shown')
  return {
    low: Math.min(likely, Math.max(least.low, whole.low - (ledger.high - least.high))),
    likely,
    high: Math.max(likely, Math.min(least.high, whole.high - (ledger.low - least.low))),
  }
}

const add = (a: Bounds<number>, b: Bounds<number>) => addBounds<number>(a, b, plain)

export const weakestBasis = (bases: ReadonlySet<PastBasis>): PastBasis | undefined =>
  PAST_BASES.findLast((basis) => bases.has(basis))

function createWidths() {
  const linear = { below: 0, above: 0 }
  const squares = { below: 0, above: 0 }
  return {
    add: ({ low, likely, high }: Bounds<number>) => {
      linear.below += likely - low
      linear.above += high - likely
      squares.below += (likely - low) ** 2
      squares.above += (high - likely) ** 2
    },
    sum: () => linear,
    root: () => ({ below: Math.sqrt(squares.below), above: Math.sqrt(squares.above) }),
  }
}

/** Whole numbers. Past days may have been restated since: then the ledger's bounds are the limit. */
function within({ low, high }: Bounds<number>, amount: Bounds<number>): Bounds<number> {
  const clamp = (value: number) => Math.round(Math.min(high, Math.max(low, value)))
  const likely = clamp(amount.likely)
  return {
    low: Math.min(likely, clamp(amount.low)),
    likely,
    high: Math.max(likely, clamp(amount.high)),
  }
}
