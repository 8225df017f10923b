// The weekly report of an account: everything that any format of it shows, worked out once.
import type { Bounds } from '../../model/ledger/ledger.ts'
import { createTopK } from '../../std/top-k.ts'
import type { Prices } from '../../model/ledger/price.ts'
import type { ReportGroup, ReportPlan } from '../../model/output/report.ts'
import type { MonthView } from '../../model/output/snapshot.ts'
import { forEachYielding, type Cooperative } from '../../std/cooperative.ts'
import { toIso, type Interval } from '../../model/time.ts'
import { earliest, type Instant, type Micros } from '../../model/units.ts'
import { reportBudgets } from './budgets.ts'
import { isoInterval } from '../text/dates.ts'
import type { ReportInput } from './input.ts'
import { splitSpendDifference } from './movers.ts'
import { notAnalysed } from './not-analysed.ts'
import { reportGroupOf, nameCompute } from './ownership.ts'
import type { Report, ReportCompute } from './schema.ts'
import { averageCostOf, summariseUnproductive, type ReportedCompute } from './unproductive.ts'
import { summarySentence } from './summary.ts'

const MOVERS = 5

/** Computes told in one step. Doubled, the event loop is held up for some 10 ms. */
const COMPUTES = 1000

export function* composeReport(input: ReportInput): Cooperative<Report> {
  const { slot, madeAt, plan, history, spans } = input
  const all: ReportedCompute[] = []
  yield* forEachYielding(history.computes, COMPUTES, (one) => {
    all.push({ ...one, identity: input.identityOf(one.ref) })
  })
  const awake = all
    .filter(({ week }) => week.awake.high > 0)
    .toSorted((a, b) => b.week.spend.likely - a.week.spend.likely)
  yield
  const knownFrom = knownFromOf(input)
  const [weekBefore] = spans.earlier
  const beforeKnown = isKnown(weekBefore, knownFrom)
  const over = Math.max(0, earliest(slot.to, madeAt) - slot.from)
  const computes: ReportCompute[] = []
  yield* forEachYielding(awake, COMPUTES, (one) => {
    computes.push(computeOf(one, { plan, over, beforeKnown }))
  })
  const groups = groupsOf(all, plan.groupBy ?? usualGroup(all), { beforeKnown, redact: plan.redact })
  yield
  const unproductive = summariseUnproductive(awake, { over, redact: plan.redact })
  yield
  const unsure = notAnalysed(awake, plan.redact)
  yield
  const told: Omit<Report, 'verdict'> = {
    ...headOf(input, knownFrom),
    spend: spendOf(input, awake, knownFrom),
    awake: awakeOf(awake),
    groups,
    movers: beforeKnown && madeAt >= slot.to ? moversOf(all, plan) : [],
    budgets: reportBudgets(input),
    observer: {
      extension_seconds: sum(awake, ({ week }) => week.extension) / 1000,
      micros: sum(awake, (one) => averageCostOf(one, one.week.extension)),
      wakes_caused: input.wakesCaused,
    },
    unproductive,
    not_analysed: [...unsure],
    events: plan.onlyTeam === undefined ? input.events : null,
    computes,
    prices: pricesIn(input.prices, {
      from: (beforeKnown && weekBefore ? weekBefore : slot).from,
      to: slot.to,
    }),
  }
  return { ...told, verdict: summarySentence(told) }
}

type Head =
  | 'schema_version'
  | 'account'
  | 'slot'
  | 'zone'
  | 'currency'
  | 'made_at'
  | 'team'
  | 'redacted'
  | 'known_from'

const headOf = (
  { account, slot, zone, prices, madeAt, plan }: ReportInput,
  knownFrom: Instant | undefined,
): Pick<Report, Head> => ({
  schema_version: 1,
  account,
  slot: { id: slot.id, ...isoInterval(slot), late: slot.late, hours: (slot.to - slot.from) / 3_600_000 },
  zone,
  currency: prices.currency,
  made_at: toIso(madeAt),
  team: plan.onlyTeam ?? null,
  redacted: [...plan.redact],
  known_from: knownFrom === undefined ? null : toIso(knownFrom),
})

const sum = <Item>(items: readonly Item[], of: (item: Item) => number): number =>
  items.reduce((total, item) => total + of(item), 0)

function knownFromOf({ history: { firstDay }, countedSince }: ReportInput): Instant | undefined {
  const known = [firstDay, countedSince].filter((one) => one !== undefined)
  return known.length === 0 ? undefined : earliest(...known)
}

const isKnown = (stretch: Interval | undefined, knownFrom: Instant | undefined): boolean =>
  stretch !== undefined && knownFrom !== undefined && knownFrom <= stretch.from

function spendOf(
  { history, spans, planned }: ReportInput,
  awake: readonly ReportedCompute[],
  knownFrom: Instant | undefined,
): Report['spend'] {
  const known = history.earlier.filter((_, index) => isKnown(spans.earlier[index], knownFrom))
  const { month } = spans
  return {
    week: bounds(awake, ({ week }) => week.spend),
    before: isKnown(spans.earlier[0], knownFrom) ? (history.earlier[0] ?? 0) : null,
    mean:
      known.length === 0
        ? null
        : { weeks: known.length, micros: Math.round(sum(known, (one) => one) / known.length) },
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

/** Of the same month only: at its turn, the one that runs is another. */
function monthForecast(view: MonthView | undefined, month: Interval): Report['spend']['forecast'] {
  if (!view?.forecast || view.period.from !== month.from) return null
  const { p10, p50, p90, learning, days } = view.forecast
  return {
    period: isoInterval(view.period),
    p10: Math.round(p10),
    p50: Math.round(p50),
    p90: Math.round(p90),
    learning,
    days,
  }
}

const bounds = <Item>(
  items: readonly Item[],
  of: (item: Item) => Bounds<number>,
): { low: number; likely: number; high: number } => ({
  low: sum(items, (one) => of(one).low),
  likely: sum(items, (one) => of(one).likely),
  high: sum(items, (one) => of(one).high),
})

/** Most likely: of others it is not ruled out. */
const wasAwake = ({ week }: ReportedCompute): boolean => week.awake.likely > 0

function awakeOf(awake: readonly ReportedCompute[]): Report['awake'] {
  const { low, likely, high } = bounds(awake, ({ week }) => week.awake)
  return {
    seconds: { low: low / 1000, likely: likely / 1000, high: high / 1000 },
    cu_seconds: sum(awake, ({ week }) => week.cuTime) / 1000,
    wakes: sum(awake, ({ week }) => week.wakes),
    computes: awake.filter(wasAwake).length,
  }
}

const usualGroup = (all: readonly ReportedCompute[]): ReportGroup =>
  all.some(({ identity }) => identity.owner.team !== '') ? 'team' : 'project'

const shownProject = ([one]: readonly ReportedCompute[], redact: ReportPlan['redact']): string | null => {
  const named = one && nameCompute(one.ref, one.identity, redact)
  return named ? (named.project_name ?? named.project_id) : null
}

const isLast = (name: string | null): number => (name === null ? 1 : 0)

function groupsOf(
  all: readonly ReportedCompute[],
  by: ReportGroup,
  { beforeKnown, redact }: { readonly beforeKnown: boolean; readonly redact: ReportPlan['redact'] },
): Report['groups'] {
  const groups = new Map<string | null, ReportedCompute[]>()
  for (const one of all) {
    const name = reportGroupOf(one.ref, one.identity, by)
    const group = groups.get(name)
    if (group) group.push(one)
    else groups.set(name, [one])
  }
  const rows = [...groups].map(([key, members]) => ({
    name: by === 'project' ? shownProject(members, redact) : key,
    computes: members.filter(wasAwake).length,
    micros: sum(members, ({ week }) => week.spend.likely),
    before_micros: beforeKnown ? sum(members, ({ before }) => before.spend.likely) : null,
    awake_seconds: sum(members, ({ week }) => week.awake.likely) / 1000,
  }))
  const told = rows.filter((row) => row.computes > 0 || (row.before_micros ?? 0) > 0)
  return { by, rows: told.toSorted((a, b) => isLast(a.name) - isLast(b.name) || b.micros - a.micros) }
}

const moved = ({ week, before }: ReportedCompute): number => Math.abs(week.spend.likely - before.spend.likely)

function moversOf(all: readonly ReportedCompute[], { redact }: ReportPlan): Report['movers'] {
  const largest = createTopK<ReportedCompute>(MOVERS, moved)
  for (const one of all) if (moved(one) > 0) largest.add(one)
  return largest.all().map(({ ref, identity, week, before }) => ({
    ...nameCompute(ref, identity, redact),
    micros: week.spend.likely,
    before_micros: before.spend.likely,
    by: splitSpendDifference(week, before),
  }))
}

function computeOf(
  { ref, identity, week, before }: ReportedCompute,
  {
    plan,
    over,
    beforeKnown,
  }: { readonly plan: ReportPlan; readonly over: number; readonly beforeKnown: boolean },
): ReportCompute {
  const { owner, branchId } = identity
  return {
    ...nameCompute(ref, identity, plan.redact),
    branch_id: branchId || null,
    team: owner.team || null,
    tier: owner.tier || null,
    cost_centre: owner.costCentre ?? null,
    spend_micros: { ...week.spend },
    spend_before_micros: beforeKnown ? before.spend.likely : null,
    awake_seconds: week.awake.likely / 1000,
    awake_share: over === 0 ? 0 : week.awake.likely / over,
    cu_seconds: week.cuTime / 1000,
    idle_tail_seconds: week.idleTail / 1000,
    extension_seconds: week.extension / 1000,
    wakes: week.wakes,
  }
}

/** Those that hold at some time of a span. */
function pricesIn({ periods }: Prices, { from, to }: Interval): Report['prices'] {
  return periods.flatMap(({ from: since, perCuHour }, index) => {
    const until = periods[index + 1]?.from
    if (since >= to && index > 0) return []
    if (until !== undefined && until <= from) return []
    return [{ from: index === 0 ? null : toIso(since), cu_hour_micros: perCuHour satisfies Micros }]
  })
}
