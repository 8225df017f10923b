// Every figure that a format shows is computed once.
import type { Shown } from '../../model/ledger/counted-past.ts'
import { mapBounds, type Bounds, type Prices } from '../../model/ledger/quantities.ts'
import { sumOf } from '../../std/sum.ts'
import { createTopK } from '../../std/top-k.ts'
import type { ReportPlan, ReportSlot } from '../../model/output/report.ts'
import type { BudgetWithForecast } from '../../model/policy/budget.ts'
import type { ComputeRef, TargetRef } from '../../model/service/compute.ts'
import type { AggregatedHistory, ReportSpans, WeekSums } from './aggregate.ts'
import type { MonthView } from '../../model/output/snapshot.ts'
import { toIso } from '../../model/time.ts'
import { HOUR, earliest, instant, type Instant, type Micros, type Interval } from '../../model/units.ts'
import { forecastIn, reportBudget } from './budgets.ts'
import { millisInSeconds } from '../text/compute-fields.ts'
import { isoInterval, shownBecauseText } from '../text/amounts.ts'
import { notAnalysed } from './not-analysed.ts'
import { reportGroupOf, nameCompute, type ComputeIdentity } from './ownership.ts'
import type { ReportChanges } from './changes-schema.ts'
import type { Report, ReportAdvice, ReportCompute } from './schema.ts'
import { averageCostOf, summariseUnproductive, type ReportedCompute } from './unproductive.ts'
import { summarySentence } from './summary.ts'

/** The CSV and the JSON have every compute. */
const MAX_MOVERS = 5

export type ReportInput = Readonly<{
  account: string
  slot: ReportSlot
  zone: string
  madeAt: Instant
  plan: ReportPlan
  prices: Prices
  spans: ReportSpans
  history: AggregatedHistory
  /** Projects that have not been looked at, or whose past has not been read. */
  partialProjects: number
  /** Start of the ledger's spend; undefined when no budget of the month says it. */
  countedSince: Instant | undefined
  identityOf: (ref: TargetRef) => ComputeIdentity
  /** The spend of these computes in the week for people; undefined where it is that of the ledger. */
  shownOf: (spend: Bounds<number>, computes: readonly ComputeRef[]) => Shown | undefined
  events: NonNullable<Report['events']>
  /** Since the ledger began, of the computes in the plan. */
  wakesCaused: number
  /** Null when the report is older than the last whole week. */
  advice: ReportAdvice | null
  /** Null when not known. */
  changes: ReportChanges | null
  /** Undefined without a daemon, or when the report is older than the last whole week. */
  planned: Readonly<{ budgets: readonly BudgetWithForecast[]; month: MonthView | undefined }> | undefined
}>

export function composeReport(input: ReportInput): Report {
  const { slot, madeAt, plan, prices, history, spans } = input
  const { onlyTeam } = plan
  const computes = history.computes.map((sums) => ({ ...sums, identity: input.identityOf(sums.ref) }))
  const awake = computes
    .filter(({ week }) => week.awake.high > 0)
    .toSorted((a, b) => b.week.spend.likely - a.week.spend.likely)
  const knownFrom = knownFromOf(input)
  const [weekBefore] = spans.earlier
  const isBeforeKnown = isKnown(weekBefore, knownFrom)
  const elapsed = Math.max(0, earliest(slot.to, madeAt) - slot.from)
  const report: Omit<Report, 'verdict'> = {
    schema_version: 2,
    account: input.account,
    slot: { id: slot.id, ...isoInterval(slot), late: slot.late, hours: (slot.to - slot.from) / HOUR },
    zone: input.zone,
    currency: prices.currency,
    made_at: toIso(madeAt),
    team: onlyTeam ?? null,
    redacted: [...plan.redact],
    known_from: knownFrom === undefined ? null : toIso(knownFrom),
    ...(input.partialProjects > 0 && { projects_partial: input.partialProjects }),
    recommendations: input.advice,
    changes: input.changes,
    spend: spendOf(input, awake, knownFrom),
    awake: awakeOf(awake),
    groups: groupsOf(computes, plan, isBeforeKnown),
    movers: isBeforeKnown && madeAt >= slot.to ? moversOf(computes, plan) : [],
    budgets: budgetsOf(input),
    observer: {
      extension_seconds: sumOf(awake, ({ week }) => week.observerOverhead) / 1000,
      micros: sumOf(awake, (compute) => averageCostOf(compute, compute.week.observerOverhead)),
      wakes_caused: input.wakesCaused,
    },
    unproductive: summariseUnproductive(awake, { elapsed, redact: plan.redact }),
    not_analysed: notAnalysed(awake, {
      redact: plan.redact,
      boundsOf: ({ ref, week }) => input.shownOf(week.spend, [ref])?.amount ?? week.spend,
    }),
    events: onlyTeam === undefined ? input.events : null,
    computes: awake.map((compute) => reportCompute(compute, { plan, elapsed, isBeforeKnown })),
    prices: pricesIn(prices, { from: (isBeforeKnown && weekBefore ? weekBefore : slot).from, to: slot.to }),
  }
  return { ...report, verdict: summarySentence(report) }
}

/** In the periods that hold the end of the week. */
function budgetsOf({ planned, plan: { onlyTeam, redact }, slot, madeAt }: ReportInput): Report['budgets'] {
  const at = earliest(madeAt, instant(slot.to - 1))
  const budgets = planned?.budgets.filter(({ team }) => (onlyTeam ?? team) === team)
  return budgets?.map((view) => reportBudget(view, { redact, at })) ?? null
}

function knownFromOf({ history: { firstDay }, countedSince }: ReportInput): Instant | undefined {
  const starts = [firstDay, countedSince].filter((start) => start !== undefined)
  return starts.length === 0 ? undefined : earliest(...starts)
}

const isKnown = (interval: Interval | undefined, knownFrom: Instant | undefined) =>
  interval !== undefined && knownFrom !== undefined && knownFrom <= interval.from

function spendOf(
  input: ReportInput,
  awake: readonly ReportedCompute[],
  knownFrom: Instant | undefined,
): Report['spend'] {
  const { history, spans, planned } = input
  const earlier = history.earlier.filter((_, index) => isKnown(spans.earlier[index], knownFrom))
  const total = sumOf(earlier, Number)
  const week = bounds(awake, (compute) => compute.week.spend)
  const { month } = spans
  return {
    week,
    ...shownWeek(input, week, awake),
    before: isKnown(spans.earlier[0], knownFrom) ? (history.earlier[0] ?? 0) : null,
    mean: earlier.length === 0 ? null : { weeks: earlier.length, micros: Math.round(total / earlier.length) },
    month: {
      ...isoInterval(month),
      micros: history.month,
      known_from: toIso(knownFrom !== undefined && knownFrom > month.from ? knownFrom : month.from),
    },
    forecast: monthForecast(planned?.month, month),
    days: spans.days.map((day, index) => ({
      ...isoInterval(day),
      date: day.date,
      micros: history.days[index]?.micros ?? 0,
      awake_seconds: (history.days[index]?.awake ?? 0) / 1000,
    })),
  }
}

function shownWeek({ shownOf }: ReportInput, week: Bounds<number>, awake: readonly ReportedCompute[]) {
  const computes = awake.map(({ ref }) => ref)
  const shown = shownOf(week, computes)
  if (!shown) return {}
  return { week_shown: { ...mapBounds<number>(shown.amount, Math.round), because: shownBecauseText(shown) } }
}

/** Null unless of the month that the report shows: after the turn of the month the view is of the next one. */
function monthForecast(view: MonthView | undefined, month: Interval): Report['spend']['forecast'] {
  const forecast = (view?.shown ?? view)?.forecast
  if (!view || !forecast || view.period.from !== month.from) return null
  return { period: isoInterval(view.period), ...forecastIn(Math.round, forecast) }
}

const bounds = <Item>(items: readonly Item[], of: (item: Item) => Bounds<number>) => ({
  low: sumOf(items, (item) => of(item).low),
  likely: sumOf(items, (item) => of(item).likely),
  high: sumOf(items, (item) => of(item).high),
})

/** A compute with only a high value above 0 may have been awake. */
const wasAwake = ({ week }: ReportedCompute) => week.awake.likely > 0

function awakeOf(awake: readonly ReportedCompute[]): Report['awake'] {
  const time = bounds(awake, ({ week }) => week.awake)
  return {
    seconds: mapBounds(time, millisInSeconds),
    cu_seconds: sumOf(awake, ({ week }) => week.cuTime) / 1000,
    wakes: sumOf(awake, ({ week }) => week.wakes),
    computes: awake.filter(wasAwake).length,
  }
}

const isUnnamed = (name: string | null) => (name === null ? 1 : 0)

/** The plan, else teams if any compute has one, else projects. */
function groupsOf(
  computes: readonly ReportedCompute[],
  { groupBy, redact }: ReportPlan,
  isBeforeKnown: boolean,
): Report['groups'] {
  const hasTeams = computes.some(({ identity }) => identity.owner.team !== '')
  const by = groupBy ?? (hasTeams ? 'team' : 'project')
  const nameOf = (key: string | null, [first]: readonly ReportedCompute[]) =>
    by === 'project' && first ? (nameCompute(first.ref, first.identity, redact).project_name ?? key) : key
  const groups = Map.groupBy(computes, ({ ref, identity }) => reportGroupOf(ref, identity, by))
  const rows = [...groups].map(([key, members]) => ({
    name: nameOf(key, members),
    computes: members.filter(wasAwake).length,
    micros: sumOf(members, ({ week }) => week.spend.likely),
    before_micros: isBeforeKnown ? sumOf(members, ({ before }) => before.spend.likely) : null,
    awake_seconds: sumOf(members, ({ week }) => week.awake.likely) / 1000,
  }))
  const spent = rows.filter((row) => row.computes > 0 || (row.before_micros ?? 0) > 0)
  return { by, rows: spent.toSorted((a, b) => isUnnamed(a.name) - isUnnamed(b.name) || b.micros - a.micros) }
}

const spendChange = ({ week, before }: ReportedCompute) => Math.abs(week.spend.likely - before.spend.likely)

function moversOf(computes: readonly ReportedCompute[], { redact }: ReportPlan): Report['movers'] {
  const largest = createTopK<ReportedCompute>(MAX_MOVERS, spendChange)
  for (const compute of computes) if (spendChange(compute) > 0) largest.add(compute)
  return largest.all().map(({ ref, identity, week, before }) => ({
    ...nameCompute(ref, identity, redact),
    micros: week.spend.likely,
    before_micros: before.spend.likely,
    by: splitSpendDifference(week, before),
  }))
}

/** `elapsed`: milliseconds of the week that are over. */
type ComputeContext = Readonly<{ plan: ReportPlan; elapsed: number; isBeforeKnown: boolean }>

function reportCompute(
  { ref, identity, week, before }: ReportedCompute,
  { plan, elapsed, isBeforeKnown }: ComputeContext,
): ReportCompute {
  const { owner, branchId } = identity
  return {
    ...nameCompute(ref, identity, plan.redact),
    branch_id: branchId || null,
    team: owner.team || null,
    tier: owner.tier || null,
    cost_centre: owner.costCentre ?? null,
    spend_micros: { ...week.spend },
    spend_before_micros: isBeforeKnown ? before.spend.likely : null,
    awake_seconds: week.awake.likely / 1000,
    awake_share: elapsed === 0 ? 0 : week.awake.likely / elapsed,
    cu_seconds: week.cuTime / 1000,
    idle_tail_seconds: week.idleTail / 1000,
    extension_seconds: week.observerOverhead / 1000,
    wakes: week.wakes,
  }
}

function pricesIn({ periods }: Prices, { from, to }: Interval): Report['prices'] {
  return periods.flatMap(({ from: since, perCuHour }, index) => {
    const until = periods[index + 1]?.from
    if ((since >= to && index > 0) || (until !== undefined && until <= from)) return []
    return [{ from: index === 0 ? null : toIso(since), cu_hour_micros: perCuHour satisfies Micros }]
  })
}

/** Micros that add up to the difference exactly. */
type SpendDifference = Readonly<{ awake: number; size: number; price: number }>
type WeekUsage = Pick<WeekSums, 'awake' | 'cuTime' | 'spend'>

/**
 * Splits the difference in spend of one compute, in this order:
 * 1. `awake`: the change of awake time, at the size and price of before;
 * 2. `size`: the change of size, at the price of before;
 * 3. `price`: the rest.
 *
 * Without spend in one of the two weeks all of it is `awake`.
 */
export function splitSpendDifference(now: WeekUsage, before: WeekUsage): SpendDifference {
  const difference = now.spend.likely - before.spend.likely
  if (now.cuTime === 0 || before.cuTime === 0 || now.awake.likely === 0 || before.awake.likely === 0)
    return { awake: difference, size: 0, price: 0 }
  const price = before.spend.likely / before.cuTime
  const size = before.cuTime / before.awake.likely
  const awake = Math.round((now.awake.likely - before.awake.likely) * size * price)
  const withSize = Math.round(now.cuTime * price) - before.spend.likely
  return { awake, size: withSize - awake, price: difference - withSize }
}
