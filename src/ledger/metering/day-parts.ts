// Cuts the days of another zone at midnights in UTC, where the days begin that the service counts.
//
// 1. A row has sums alone. What belongs to each part follows from the awake intervals of its compute.
// 2. Awake time that no interval dates is spread over the counted time in which none is: the service counts from the creation of a project
//    until now.
// 3. CU-time is divided like awake time: where in a day a size changed is not known.
import { mapBounds, type Bounds, type CuTimeByPrice, type DayRow } from '../../model/ledger/quantities.ts'
import { computeKey, type ComputeRef } from '../../model/service/compute.ts'
import { DAY, cuMillis, earliest, instant, millis, type Instant, type Interval } from '../../model/units.ts'
import { sumOf } from '../../std/sum.ts'
import { overlap } from '../interval-math.ts'

/** A day of a compute, or a part of it; `day`: start of the day. */
export type DayPart = Interval & Pick<DayRow, 'ref' | 'awake' | 'cuTime'> & Readonly<{ day: Instant }>

export const uncutDays = (rows: readonly DayRow[]): readonly DayPart[] =>
  rows.map(({ ref, from, to, awake, cuTime }) => ({ ref, day: from, from, to, awake, cuTime }))

/** Whether it is a day of the service, which begins at midnight in UTC. */
export const isUtcDay = ({ from, to }: Interval) => from % DAY === 0 && to - from === DAY

/** Part of a row between two midnights. `counted`: time that the service counted; `dated`: awake time by the intervals; ms. */
type Piece = Interval & { readonly counted: number; dated: number }

/**
 * Pieces of `rows`, to which the awake intervals are added in any order.
 *
 * @param counted time that the service counted
 */
export function createDayCutter(rows: readonly DayRow[], counted: Interval) {
  const cut = rows.map((row) => ({ row, pieces: piecesOf(row, counted) }))
  const byCompute = new Map(
    [...Map.groupBy(cut, ({ row }) => computeKey(row.ref))].map(([key, own]) => {
      const pieces = own.flatMap((one) => one.pieces)
      return [key, Map.groupBy(pieces, ({ from }) => utcDay(from))]
    }),
  )
  return {
    /** @param times when the compute was likely awake, not overlapping */
    add: (ref: ComputeRef, times: readonly Interval[]) => {
      const byDay = byCompute.get(computeKey(ref))
      for (const time of times)
        for (let day = utcDay(time.from); day * DAY < time.to; day += 1)
          for (const piece of byDay?.get(day) ?? []) piece.dated += overlap(piece, time)
    },
    parts: (): readonly DayPart[] => cut.flatMap(({ row, pieces }) => divide(row, pieces)),
  }
}

const utcDay = (at: Instant) => Math.floor(at / DAY)

/** In order, never empty. */
function piecesOf({ from, to }: Interval, counted: Interval): readonly Piece[] {
  const pieces: Piece[] = []
  for (let at = from; at < to;) {
    const piece = { from: at, to: earliest(to, instant((utcDay(at) + 1) * DAY)) }
    pieces.push({ ...piece, counted: overlap(piece, counted), dated: 0 })
    at = piece.to
  }
  return pieces
}

function divide({ ref, from: day, awake, cuTime }: DayRow, pieces: readonly Piece[]): readonly DayPart[] {
  const shares = { likely: sharesOf(pieces, awake.likely), high: sharesOf(pieces, awake.high) }
  const awakeParts = divideBounds(awake, shares)
  const cuParts = Object.entries(cuTime).map(([price, time]) => [price, divideBounds(time, shares)] as const)
  return pieces.map(({ from, to }, index) => {
    const own: CuTimeByPrice = Object.fromEntries(
      cuParts.map(([price, parts]) => [price, mapBounds(parts[index] ?? NOTHING, cuMillis)]),
    )
    return { ref, day, from, to, awake: mapBounds(awakeParts[index] ?? NOTHING, millis), cuTime: own }
  })
}

const NOTHING: Bounds<number> = { low: 0, likely: 0, high: 0 }

/** Shares of `awake`, ms, in the pieces; together 1. */
function sharesOf(pieces: readonly Piece[], awake: number): readonly number[] {
  const dated = sumOf(pieces, (piece) => piece.dated)
  const roomOf = (piece: Piece) => Math.max(0, piece.counted - piece.dated)
  const room = sumOf(pieces, roomOf)
  const filled = room > 0 ? Math.max(0, awake - dated) / room : 0
  const times = pieces.map((piece) => piece.dated + filled * roomOf(piece))
  const sum = sumOf(times, Number)
  return times.map((time) => (sum > 0 ? time / sum : 1 / pieces.length))
}

type Shares = Readonly<{ likely: readonly number[]; high: readonly number[] }>

/** Usage beyond the likely one lies where the compute may have been awake. The parts keep the order of the bounds, and add up to them. */
function divideBounds({ low, likely, high }: Bounds<number>, shares: Shares): readonly Bounds<number>[] {
  const [lows, likelies] = [divideWhole(low, shares.likely), divideWhole(likely, shares.likely)]
  const above = divideWhole(high - likely, shares.high)
  return likelies.map((value, index) => ({
    low: Math.min(value, lows[index] ?? 0),
    likely: value,
    high: value + (above[index] ?? 0),
  }))
}

/** Sum of the shares up to the last that is not 0: roundings of doubles. */
const WHOLE = 1 - 1e-9

/** Parts that add up to `total`; whole numbers where it is one. */
function divideWhole(total: number, shares: readonly number[]): readonly number[] {
  let [share, done] = [0, 0]
  return shares.map((own) => {
    share += own
    const until = share > WHOLE ? total : Math.round(total * share)
    const value = until - done
    done = until
    return value
  })
}
