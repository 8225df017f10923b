// What the advisers of facts and causes share: a proposal with the spend and the grounds of the last 30 days, and a reason for none.
import { addCuTime, cuTimeSum, spendOf } from '../ledger/settle/cu-time.ts'
import { priceAt } from '../ledger/settle/slices.ts'
import {
  addBounds,
  eachBound,
  mapBounds,
  type Bounds,
  type CuTimeByPrice,
} from '../model/ledger/quantities.ts'
import type {
  Effect,
  Grounds,
  Proposal,
  RecommendationKind,
  Withheld,
} from '../model/policy/recommendation.ts'
import { largestCu, smallestCu } from '../model/service/compute.ts'
import {
  cu,
  DAY,
  HOUR,
  instant,
  latest,
  micros,
  millis,
  ratio,
  type Instant,
  type Micros,
} from '../model/units.ts'
import { sumOf } from '../std/sum.ts'
import { everyDay } from './every-day.ts'
import type { AdviseInput } from './input.ts'

/** Time that amounts of money are stated for, ms. */
const MONTH = 30 * DAY

export const NO_MONEY: Bounds<Micros> = eachBound(() => micros(0))

export const NO_EFFECT: Effect = { wakesPerDay: undefined, sessionsCut: undefined, connections: undefined }

/** Where a proposal changes no setting, `from` and `to` are empty: a person has to do something else. */
export function propose(
  input: AdviseInput,
  kind: RecommendationKind,
  over: Partial<Proposal> = {},
): Proposal {
  const { grounds, spend } = recentUse(input)
  return {
    ref: input.entry.ref,
    kind,
    from: {},
    to: {},
    restarts: false,
    spend,
    saving: NO_MONEY,
    effect: NO_EFFECT,
    confidence: 'high',
    grounds,
    alternatives: [],
    ...over,
  }
}

export const withhold = (
  kind: RecommendationKind,
  because: Withheld['because'],
  { have = 0, needs = 0, until }: { have?: number; needs?: number; until?: Instant | undefined } = {},
): Withheld => ({ kind, because, have, needs, until })

/**
 * Spend in 30 days, from the whole days among the last 30, today included; nothing without a day. It is not more than the compute would cost
 * at its size and never asleep: larger sizes may have been possible before the first look, but are not ahead.
 */
export function recentUse(input: AdviseInput): Readonly<{ grounds: Grounds; spend: Bounds<Micros> }> {
  const { entry, prices, now } = input
  const recent = recentDays(input)
  const time = sumOf(recent, ({ from, to }) => Math.min(now, to) - from)
  const cuTime = recent.map((day) => day.cuTime).reduce<CuTimeByPrice>(addCuTime, {})
  const awake = recent.reduce(
    (sum, day) => addBounds(sum, day.awake, millis),
    eachBound(() => millis(0)),
  )
  const { sizing } = entry.compute
  const [low, high] = [smallestCu(sizing), largestCu(sizing)]
  const perCuHour = priceAt(prices, now)
  const most = (high * perCuHour * MONTH) / HOUR
  const mean = awake.likely === 0 ? low : cuTimeSum(cuTime).likely / awake.likely
  return {
    grounds: {
      from: recent[0]?.from ?? now,
      to: now,
      days: recent.length,
      followed: ratio(1),
      cu: { low, likely: cu(Math.min(high, Math.max(low, mean))), high },
      perCuHour,
      gaps: [],
    },
    spend:
      time === 0
        ? NO_MONEY
        : mapBounds(spendOf(cuTime), (spent) => micros(Math.min(most, (spent * MONTH) / time))),
  }
}

function recentDays(input: AdviseInput) {
  const { days, now } = input
  const begin = observedSince(input, MONTH)
  const rows = days.filter(({ from }) => from >= now - MONTH && from < now)
  // a day that began before is left out
  const before = days.findLast(({ from }) => from < now - MONTH)
  return everyDay(rows, { from: latest(begin, before?.to ?? begin), to: now })
}

/** Start of the time that is known, at most `length` ms ago. */
export const observedSince = ({ settings, now }: AdviseInput, length: number): Instant =>
  instant(Math.max(settings[0]?.since ?? now, now - length))
