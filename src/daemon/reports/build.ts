// The report of a week from stored history, read compute by compute; only sums per compute stay in memory.
import { isoWeeksBefore } from '../../calendar/iso-week.ts'
import { periodOf } from '../../calendar/period.ts'
import type { Zone } from '../../calendar/zone.ts'
import type { Clock } from '../../model/ports/clock.ts'
import {
  computeKey,
  effectiveDelay,
  isComputeRef,
  targetKey,
  type ComputeRef,
  type TargetRef,
} from '../../model/service/compute.ts'
import type { CountedPast } from '../../model/ledger/counted-past.ts'
import type { Ledger } from '../../model/ledger/ledger.ts'
import { isLookedAt } from '../../model/ledger/project-entry.ts'
import { NO_OWNER, type Owners } from '../../model/policy/owner.ts'
import type { History } from '../../model/ports/history.ts'
import type { Outbox } from '../../model/ports/outbox.ts'
import type { Prices } from '../../model/ledger/quantities.ts'
import type { ReportPlan, ReportSlot } from '../../model/output/report.ts'
import { selectorTargetIn } from '../../ledger/branch-moves.ts'
import { shownAmount } from '../../ledger/metering/shown-amount.ts'
import type { AccountView } from '../../model/output/snapshot.ts'
import { matchesSelector, type Selector } from '../../model/policy/selector.ts'
import { toIso } from '../../model/time.ts'
import { DAY, earliest, instant, type Instant, type Interval } from '../../model/units.ts'
import { createHistoryAggregator } from '../../outputs/report/aggregate.ts'
import type { HistoryAggregator, ReportSpans } from '../../outputs/report/aggregate.ts'
import { isInReportPlan, type ComputeIdentity } from '../../outputs/report/ownership.ts'
import { composeReport, type ReportInput } from '../../outputs/report/report.ts'
import type { Report } from '../../outputs/report/schema.ts'
import { eventText, eventTextWithoutNames } from '../../model/output/event-kinds.ts'
import { hourlyRollups } from '../history/hourly.ts'
import { isMonthBudget } from '../accounts/month-budget.ts'
import { inTurns } from '../turns.ts'
import { readReportAdvice, type ReportAdviceSource } from './advice.ts'
import { readReportChanges, type ReportJournal } from './changes.ts'

export type ReportSource = Readonly<{
  history: History & Pick<Outbox, 'eventsAfter'>
  ledger: Ledger
  advice: ReportAdviceSource['advice']
  /** Undefined where no changes are made. */
  changes?: ReportJournal | undefined
  prices: Prices
  /** Zone in which the days of the history begin. */
  zone: Zone
  owners: Owners
  plan: ReportPlan
  /** Why no compute of the account is read, if so. */
  unread: string | undefined
  /** View of the running daemon; undefined without one. */
  view: Pick<AccountView, 'budgets' | 'month'> | undefined
  /** Usage before the first look as the service counted it. */
  past?: CountedPast | undefined
}>

/** Weeks of the mean: evens out one odd week, follows a growing fleet. */
const MEAN_WEEKS = 4
const WEEK_MS = 7 * DAY
/** Retention of hourly rollups and of changes that ended, ms (store/sqlite/retention.ts). */
const HOURS_RETAINED_FOR = 93 * DAY

type ReportsRequest = Readonly<{
  slot: ReportSlot
  madeAt: Instant
  /** Each gets a report of its own. */
  plans: readonly ReportPlan[]
}>

/** Report by the source's own plan. @throws when the store fails */
export async function buildReport(
  source: ReportSource,
  request: Omit<ReportsRequest, 'plans'>,
  clock: Pick<Clock, 'yield'>,
): Promise<Report> {
  const [report] = await buildReports(source, { ...request, plans: [source.plan] }, clock)
  if (!report) throw new Error('one plan is one report')
  return report
}

/** In the order of the plans; history is read once. @throws when the store fails */
export async function buildReports(
  source: ReportSource,
  { slot, madeAt, plans }: ReportsRequest,
  clock: Pick<Clock, 'yield'>,
): Promise<readonly Report[]> {
  const { ledger, prices, zone, view } = source
  const spans = reportSpans(slot, zone)
  const hasHours = madeAt - slot.from < HOURS_RETAINED_FOR
  const identityOf = createIdentities(source, hasHours ? source.unread : 'readings are kept for 93 days')
  const aggregations = plans.map((plan) => ({
    plan,
    aggregator: createHistoryAggregator(spans, source.past),
  }))
  await aggregateHistory(source, spans, (ref) => {
    const identity = identityOf(ref)
    return aggregations.flatMap(({ plan, aggregator }) =>
      isInReportPlan(plan, identity) ? [aggregator] : [],
    )
  })
  const [, monthState] = Object.entries(ledger.budgets).find(([name]) => isMonthBudget({ name })) ?? []
  const common = {
    account: ledger.account,
    slot,
    zone: zone.name,
    madeAt,
    prices,
    spans,
    identityOf,
    shownOf: shownIn(source.past, slot),
    partialProjects: [...ledger.projects.values()].filter((entry) => !isLookedAt(entry)).length,
    countedSince: monthState?.since,
    events: await eventsIn(source, slot),
  }
  const isCurrent = madeAt < slot.to + WEEK_MS
  const advice = isCurrent ? await readReportAdvice(source, { slot, plans, identityOf }) : []
  const { account } = ledger
  const fitsPlan = (plan: ReportPlan, match: Selector) =>
    plan.onlyTeam === undefined ||
    [...ledger.computes.values()].some(
      ({ ref }) =>
        isInReportPlan(plan, identityOf(ref)) && matchesSelector(match, selectorTargetIn(ledger, ref)),
    )
  const planned = { account, currency: prices.currency, slot, plans, identityOf, fitsPlan, isCurrent }
  const changes = hasHours ? await readReportChanges(source.changes, planned) : []
  const reports: Report[] = []
  for await (const [index, { plan, aggregator }] of inTurns(aggregations.entries(), clock)) {
    const report = composeReport({
      ...common,
      plan,
      history: aggregator.done(),
      wakesCaused: wakesCausedIn(ledger, plan, identityOf),
      planned: isCurrent ? plannedIn(view, plan) : undefined,
      advice: advice[index] ?? null,
      changes: changes[index] ?? null,
    })
    reports.push(report)
  }
  return reports
}

/** What is expected of the month is expected of all teams. */
const plannedIn = (view: ReportSource['view'], { onlyTeam }: ReportPlan) =>
  view && { budgets: view.budgets, month: onlyTeam === undefined ? view.month : undefined }

const shownIn =
  (past: CountedPast | undefined, interval: Interval): ReportInput['shownOf'] =>
  (spend, refs) =>
    past &&
    shownAmount(spend, {
      past,
      computes: refs.flatMap((ref) => past.computes.get(computeKey(ref)) ?? []),
      interval,
      isLikelyShown: true,
    })

function reportSpans({ from, to }: ReportSlot, zone: Zone): ReportSpans {
  const days = []
  for (let at = from; at < to; at = zone.dayOf(at).to) days.push(zone.dayOf(at))
  const last = instant(to - 1)
  const month = periodOf({ per: 'month', zone, anchor: 1 }, last) ?? zone.dayOf(last)
  const earlier = isoWeeksBefore(from, MEAN_WEEKS, zone)
  return { week: { from, to }, days, earlier, month: { from: month.from, to } }
}

async function aggregateHistory(
  { history, ledger }: ReportSource,
  { week, earlier, month }: ReportSpans,
  aggregatorsOf: (ref: ComputeRef) => readonly HistoryAggregator[],
): Promise<void> {
  const from = earliest(month.from, ...earlier.map((interval) => interval.from))
  for await (const row of history.days(ledger.account, { from, to: week.to }))
    for (const aggregator of aggregatorsOf(row.ref)) aggregator.addDay(row)
  for await (const rollup of hourlyRollups(history, ledger, week))
    for (const aggregator of aggregatorsOf(rollup.ref)) aggregator.addRollup(rollup)
}

const EVENTS_PER_PAGE = 500
/** A week in which everything failed must not make the report unreadable. */
const MAX_LISTED_EVENTS = 200

async function eventsIn({ history, ledger: { account }, plan }: ReportSource, slot: ReportSlot) {
  const collector = createEventCollector(slot)
  const textOf = plan.redact.includes('names') ? eventTextWithoutNames : eventText
  for (let id = 0; ;) {
    // oxlint-disable-next-line no-await-in-loop -- one page after the other
    const page = await history.eventsAfter(account, id, EVENTS_PER_PAGE)
    for (const { event } of page) collector.add(event, textOf(event))
    const last = page.at(-1)
    if (!last || page.length < EVENTS_PER_PAGE) return collector.done()
    id = last.id
  }
}

/** `add` expects events in order of time. */
export function createEventCollector({ from, to }: Interval) {
  const listed: ReportInput['events']['told'] = []
  let unlisted = 0
  return {
    add({ at, kind }: Readonly<{ at: Instant; kind: string }>, what: string): void {
      if (at < from || at >= to) return
      if (listed.length < MAX_LISTED_EVENTS) listed.push({ at: toIso(at), kind, what })
      else unlisted += 1
    },
    done: (): ReportInput['events'] => ({ told: listed, left: unlisted }),
  }
}

/** Cached: every row asks. */
function createIdentities(source: ReportSource, unread: string | undefined): ReportInput['identityOf'] {
  const identities = new Map<string, ComputeIdentity>()
  return (ref) => {
    const key = targetKey(ref)
    const identity = identities.get(key) ?? identityIn(source, ref, unread)
    identities.set(key, identity)
    return identity
  }
}

function identityIn(
  { ledger, owners }: ReportSource,
  ref: TargetRef,
  unread: string | undefined,
): ComputeIdentity {
  const project = ledger.projects.get(ref.projectId)?.project
  if (!isComputeRef(ref))
    return {
      projectName: project?.name,
      name: undefined,
      branchId: undefined,
      owner: project ? owners.ofProject(ref.account, project) : NO_OWNER,
      autosuspendOff: undefined,
      unreadBecause: undefined,
    }
  const entry = ledger.computes.get(computeKey(ref))
  const target = selectorTargetIn(ledger, ref)
  return {
    projectName: project?.name,
    name: target.name,
    branchId: target.branchId,
    owner: owners.of(target),
    autosuspendOff: entry && effectiveDelay(entry.compute, project) === 'never',
    unreadBecause: unread ?? entry?.reading.problem,
  }
}

/** Since the ledger began. */
function wakesCausedIn(
  { computes, deleted }: Ledger,
  plan: ReportPlan,
  identityOf: ReportInput['identityOf'],
): number {
  const isInPlan = (ref: ComputeRef) => isInReportPlan(plan, identityOf(ref))
  let caused = 0
  for (const { ref, totals } of computes.values()) if (isInPlan(ref)) caused += totals.wakesCaused
  for (const { ref, wakesCaused } of deleted.values())
    if (wakesCaused > 0 && isInPlan(ref)) caused += wakesCaused
  return caused
}
