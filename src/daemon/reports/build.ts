// The report of a week out of what is kept: a compute after the other, with pauses, one entry of sums for each.
import { setImmediate } from 'node:timers/promises'
import { isoWeeksBefore } from '../../calendar/iso-week.ts'
import { periodOf } from '../../calendar/period.ts'
import type { Zone } from '../../calendar/zone.ts'
import { computeKey, effectiveDelay, type ComputeRef } from '../../model/service/compute.ts'
import type { Ledger } from '../../model/ledger/ledger.ts'
import type { Owners } from '../../model/policy/owner.ts'
import type { History } from '../../model/ports/history.ts'
import type { Outbox } from '../../model/ports/outbox.ts'
import type { Prices } from '../../model/ledger/price.ts'
import type { ReportPlan, ReportSlot } from '../../model/output/report.ts'
import { selectorTargetOf, type SelectorTarget } from '../../model/policy/selector.ts'
import type { AccountView } from '../../model/output/snapshot.ts'
import { runYielding } from '../../std/cooperative.ts'
import { earliest, instant, type Instant } from '../../model/units.ts'
import { createEventCollector } from '../../outputs/report/events.ts'
import {
  createHistoryAggregator,
  type HistoryAggregator,
  type ReportSpans,
} from '../../outputs/report/aggregate.ts'
import { isInReportPlan, type ComputeIdentity } from '../../outputs/report/ownership.ts'
import type { ReportInput } from '../../outputs/report/input.ts'
import { composeReport } from '../../outputs/report/report.ts'
import type { Report } from '../../outputs/report/schema.ts'
import { eventText } from '../../outputs/notify/messages.ts'
import { hourlyRollups } from '../history/hourly.ts'
import { isMonthBudget } from '../accounts/month-budget.ts'

export type ReportSource = {
  readonly history: History & Pick<Outbox, 'eventsAfter'>
  readonly ledger: Ledger
  readonly prices: Prices
  /** That of the days in the history. */
  readonly zone: Zone
  readonly owners: Owners
  readonly plan: ReportPlan
  /** Why nothing is read inside any compute; undefined where it is. */
  readonly unread: string | undefined
  /** As a running daemon sees it; undefined where none runs. */
  readonly view: Pick<AccountView, 'budgets' | 'month'> | undefined
}

/** Weeks that the mean is taken of. Doubled, it hardly follows a fleet that grows. */
const EARLIER = 4
const WEEK = 7 * 86_400_000
/** As long as hours are kept. Source: store/sqlite/retention.ts. */
const HOURS_KEPT = 93 * 86_400_000

export type ReportsRequest = {
  readonly slot: ReportSlot
  readonly madeAt: Instant
  /** A report for each. */
  readonly plans: readonly ReportPlan[]
}

/** @throws when the store fails */
export async function buildReport(source: ReportSource, slot: ReportSlot, madeAt: Instant): Promise<Report> {
  const [report] = await buildReports(source, { slot, madeAt, plans: [source.plan] })
  if (!report) throw new Error('one plan is one report')
  return report
}

/** In the order of the plans, out of one reading of the history. @throws when the store fails */
export async function buildReports(source: ReportSource, asked: ReportsRequest): Promise<readonly Report[]> {
  const { slot, madeAt, plans } = asked
  const { ledger, zone } = source
  const stretches = stretchesOf(slot, zone)
  const areHoursKept = madeAt - slot.from < HOURS_KEPT
  const placeOf = placesOf(source, areHoursKept ? source.unread : 'what readings told is kept for 93 days')
  const gatherings = plans.map((plan) => ({ plan, gathering: createHistoryAggregator(stretches) }))
  await gather(source, stretches, (ref) => {
    const place = placeOf(ref)
    return gatherings.flatMap(({ plan, gathering }) => (isInReportPlan(plan, place) ? [gathering] : []))
  })
  const events = await eventsIn(source, slot)
  const reports: Report[] = []
  for (const { plan, gathering } of gatherings) {
    const isTold = (ref: ComputeRef): boolean => isInReportPlan(plan, placeOf(ref))
    const telling = composeReport({
      ...commonOf(source, asked),
      plan,
      spans: stretches,
      history: gathering.done(),
      identityOf: placeOf,
      events,
      wakesCaused: wakesCausedIn(ledger, isTold) + (plan.onlyTeam === undefined ? awayIn(ledger) : 0),
      planned: plannedOf(source, asked, plan),
    })
    // oxlint-disable-next-line no-await-in-loop -- one after the other, with turns for others in between
    reports.push(await runYielding(telling, () => setImmediate()))
  }
  return reports
}

const commonOf = (
  { ledger, prices, zone }: ReportSource,
  { slot, madeAt }: ReportsRequest,
): Pick<ReportInput, 'account' | 'slot' | 'zone' | 'madeAt' | 'prices' | 'countedSince'> => ({
  account: ledger.account,
  slot,
  zone: zone.name,
  madeAt,
  prices,
  countedSince: Object.entries(ledger.budgets).find(([name]) => isMonthBudget({ name }))?.[1].since,
})

const plannedOf = (
  { view }: ReportSource,
  { slot, madeAt }: ReportsRequest,
  { onlyTeam }: ReportPlan,
): ReportInput['planned'] =>
  view && madeAt < slot.to + WEEK
    ? { budgets: view.budgets, month: onlyTeam === undefined ? view.month : undefined }
    : undefined

function stretchesOf({ from, to }: ReportSlot, zone: Zone): ReportSpans {
  const days = []
  for (let at = from; at < to; at = zone.dayOf(at).to) days.push(zone.dayOf(at))
  const last = instant(to - 1)
  const month = periodOf({ per: 'month', zone, anchor: 1 }, last) ?? zone.dayOf(last)
  return {
    week: { from, to },
    days,
    earlier: isoWeeksBefore(from, EARLIER, zone),
    month: { from: month.from, to },
  }
}

/** Each row for those that it belongs to. */
async function gather(
  { history, ledger }: ReportSource,
  stretches: ReportSpans,
  gatheringsOf: (ref: ComputeRef) => readonly HistoryAggregator[],
): Promise<void> {
  const { week, earlier, month } = stretches
  const from = earliest(month.from, ...earlier.map((one) => one.from))
  for await (const row of history.days(ledger.account, { from, to: week.to })) {
    for (const one of gatheringsOf(row.ref)) one.addDay(row)
  }
  for await (const rollup of hourlyRollups(history, ledger, week)) {
    for (const one of gatheringsOf(rollup.ref)) one.addRollup(rollup)
  }
}

/** Events read at a time. */
const PAGE = 500

async function eventsIn(
  { history, ledger: { account } }: ReportSource,
  slot: ReportSlot,
): Promise<NonNullable<Report['events']>> {
  const gathering = createEventCollector(slot)
  let id = 0
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- one page after the other
    const page = await history.eventsAfter(account, id, PAGE)
    for (const { event } of page) gathering.add(event, eventText(event))
    const last = page.at(-1)
    if (!last || page.length < PAGE) return gathering.done()
    id = last.id
  }
}

/** Remembered: every row asks. */
function placesOf(source: ReportSource, unread: string | undefined): (ref: ComputeRef) => ComputeIdentity {
  const known = new Map<string, ComputeIdentity>()
  return (ref) => {
    const key = computeKey(ref)
    const found = known.get(key) ?? placeIn(source, ref, unread)
    known.set(key, found)
    return found
  }
}

function placeIn(
  { ledger, owners }: ReportSource,
  ref: ComputeRef,
  unread: string | undefined,
): ComputeIdentity {
  const account = ledger.computes.get(computeKey(ref))
  const project = ledger.projects.get(ref.projectId)?.project
  const gone: SelectorTarget = {
    ref,
    projectName: project?.name,
    branchId: '',
    name: undefined,
    type: 'read_write',
  }
  const target = account ? selectorTargetOf(ref.account, account.compute, project) : gone
  return {
    projectName: project?.name,
    name: target.name,
    branchId: account?.compute.branchId,
    owner: owners.of(target),
    autosuspendOff: account && effectiveDelay(account.compute, project) === 'never',
    unreadBecause: unread ?? account?.reading.problem,
  }
}

const awayIn = ({ away }: Ledger): number => away?.wakesCaused ?? 0

function wakesCausedIn(ledger: Ledger, isTold: (ref: ComputeRef) => boolean): number {
  let caused = 0
  for (const { ref, totals } of ledger.computes.values()) if (isTold(ref)) caused += totals.wakesCaused
  for (const { project, departed } of ledger.projects.values())
    if (departed && isTold({ account: ledger.account, projectId: project.projectId, endpointId: '' }))
      caused += departed.wakesCaused
  return caused
}
