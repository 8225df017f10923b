// Fleets that reports are made of, each from a short description of its weeks.
import { isoWeekInterval, isoWeeksBefore } from '../../../src/calendar/iso-week.ts'
import type { Zone } from '../../../src/calendar/zone.ts'
import type { DayRow } from '../../../src/model/ledger/quantities.ts'
import { createEventCollector } from '../../../src/daemon/reports/build.ts'
import type { Change } from '../../../src/model/policy/change.ts'
import { NO_OWNER } from '../../../src/model/policy/owner.ts'
import type { ReportPlan } from '../../../src/model/output/report.ts'
import { COARSE_STEP, type Rollup } from '../../../src/model/ledger/rollup.ts'
import { cuMillis, instant, micros, millis, ratio } from '../../../src/model/units.ts'
import type { Instant, Interval } from '../../../src/model/units.ts'
import { createHistoryAggregator, type ReportSpans } from '../../../src/outputs/report/aggregate.ts'
import { isInReportPlan, type ComputeIdentity } from '../../../src/outputs/report/ownership.ts'
import { composeReport, type ReportInput } from '../../../src/outputs/report/report.ts'
import type { Report } from '../../../src/outputs/report/schema.ts'
import {
  adviceOf,
  BROKEN_WITHHELD,
  BUSY_NO_WAKE,
  BUSY_RECOMMENDATIONS,
  BUSY_WITHHELD,
  jsonIn,
  type FleetAdvice,
} from './fleet-advice.ts'
import { budget } from './fleet-budgets.ts'
import { BUSY_CHANGES, changesIn } from './fleet-changes.ts'
import { refOf, rollupAt } from '../../store/build.ts'
import { zoneOf } from '../../support/zones.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** One compute: what it did on each day of a week, the same every day. */
export type Described = {
  readonly endpointId: string
  readonly projectId?: string
  readonly place?: Partial<ComputeIdentity>
  /** Hours awake a day in the week; and in the weeks before, by default the same. */
  readonly hours: number
  readonly hoursBefore?: number
  readonly cu?: number
  readonly cuBefore?: number
  /** Of what is likely, more or less. */
  readonly unsure?: number
  readonly priceBefore?: number
  readonly wakes?: number
  /** `culpritKey` → share of its time awake. */
  readonly heldBy?: Readonly<Record<string, number>>
}

export type Fleet = FleetAdvice & {
  readonly computes: readonly Described[]
  readonly week?: string
  readonly zone?: Zone
  /** Weeks that are known, the week itself included; 5 by default. */
  readonly known?: number
  readonly plan?: Partial<ReportPlan>
  readonly planned?: ReportInput['planned']
  /** Undefined: not known. */
  readonly changes?: readonly Change[]
  /** Hours after the week began → what happened. */
  readonly events?: readonly (readonly [hours: number, kind: string, what: string])[]
}

function eventsOf({ events = [] }: Fleet, week: Interval): ReportInput['events'] {
  const gathering = createEventCollector(week)
  for (const [hours, kind, what] of events)
    gathering.add({ at: instant(week.from + hours * HOUR), kind }, what)
  return gathering.done()
}

export const PRICE = 106_000
const PLAN: ReportPlan = { groupBy: undefined, onlyTeam: undefined, redact: [] }

const WHOLE = { week: '2026-W47', zone: zoneOf('UTC'), known: 5, planned: { budgets: [], month: undefined } }

export function inputOf(fleet: Fleet): ReportInput {
  const { week: id, zone: place, known, planned } = { ...WHOLE, ...fleet }
  const week = isoWeekInterval(id, place)
  if (!week) throw new Error(`${id} is no week`)
  const earlier = isoWeeksBefore(week.from, 4, place)
  const last = place.dayOf(instant(week.to - 1))
  const month = { from: monthBegin(last.date, place), to: week.to }
  const stretches: ReportSpans = { week, days: daysIn(week.from, week.to, place), earlier, month }
  const gathering = createHistoryAggregator(stretches)
  const plan = { ...PLAN, ...fleet.plan }
  const computes = fleet.computes.filter((one) => isInReportPlan(plan, placeOf(one)))
  const knownFrom = [week, ...earlier][known - 1]?.from ?? week.from
  for (const one of computes)
    for (const row of rowsOf(one, { from: knownFrom, week: week.from, to: week.to, place }))
      gathering.addDay(row)
  for (const one of computes) for (const rollup of rollupsOf(one, week.from)) gathering.addRollup(rollup)
  const places = new Map(computes.map((one) => [one.endpointId, placeOf(one)]))
  const identityOf: ReportInput['identityOf'] = ({ endpointId = '' }) =>
    places.get(endpointId) ?? placeOf({ endpointId, hours: 0 })
  const slot = { id, ...week, late: false }
  return {
    account: 'main',
    slot,
    zone: place.name,
    madeAt: instant(week.to + 8 * HOUR),
    plan,
    prices: { currency: 'USD', periods: [{ from: instant(0), perCuHour: micros(PRICE) }] },
    spans: stretches,
    history: gathering.done(),
    partialProjects: 0,
    countedSince: fleet.computes.length === 0 ? knownFrom : undefined,
    identityOf,
    shownOf: () => undefined,
    advice: adviceOf(fleet, {
      plan,
      slot,
      minSaving: micros(1_000_000),
      identityOf,
      jsonOf: jsonIn(identityOf),
    }),
    changes: changesIn(fleet.changes, { plan, slot, identityOf }),
    events: eventsOf(fleet, week),
    wakesCaused: (fleet.events ?? []).filter(([, kind]) => kind === 'wake-caused').length,
    planned: plannedFor(plan, planned),
  }
}

/** What is expected of the month is expected of all. */
const plannedFor = ({ onlyTeam }: ReportPlan, planned: ReportInput['planned']): ReportInput['planned'] =>
  onlyTeam === undefined || !planned ? planned : { ...planned, month: undefined }

const placeOf = ({ place }: Described): ComputeIdentity => ({
  projectName: undefined,
  name: undefined,
  branchId: 'br-one',
  owner: NO_OWNER,
  autosuspendOff: false,
  unreadBecause: undefined,
  ...place,
})

const monthBegin = (date: string, place: Zone): Instant => {
  let day = place.dayOf(instant(Date.parse(`${date.slice(0, 7)}-02T00:00:00Z`)))
  while (day.date.slice(0, 7) === date.slice(0, 7)) day = place.dayOf(instant(day.from - 1))
  return day.to
}

function daysIn(from: Instant, to: Instant, place: Zone): ReportSpans['days'] {
  const days = []
  for (let at = from; at < to; at = place.dayOf(at).to) days.push(place.dayOf(at))
  return days
}

type Time = { readonly from: Instant; readonly week: Instant; readonly to: Instant; readonly place: Zone }

const rowsOf = (one: Described, { from, week, to, place }: Time): readonly DayRow[] => {
  const now = { cu: 1, unsure: 0, wakes: 0, price: PRICE, ...one }
  const { hoursBefore = one.hours, cuBefore = now.cu, priceBefore = PRICE } = one
  const before = { ...now, hours: hoursBefore, cu: cuBefore, price: priceBefore }
  return daysIn(from, to, place).flatMap((day) => rowOf(day.from >= week ? now : before, day))
}

type Use = Described & {
  readonly cu: number
  readonly unsure: number
  readonly wakes: number
  readonly price: number
}

function rowOf(use: Use, day: ReportSpans['days'][number]): readonly DayRow[] {
  const likely = Math.min(use.hours * HOUR, day.to - day.from)
  const [low, high] = [likely * (1 - use.unsure), likely * (1 + use.unsure)]
  const used = (time: number) => cuMillis(time * use.cu)
  if (likely === 0) return []
  return [
    {
      ref: refOf(use.endpointId, use.projectId),
      ...day,
      awake: { low: millis(low), likely: millis(likely), high: millis(high) },
      cuTime: { [use.price]: { low: used(low), likely: used(likely), high: used(high) } },
      idleTail: millis(use.wakes * 300_000),
      observerOverhead: millis(1000),
      wakes: use.wakes,
      version: 1,
    },
  ]
}

const rollupsOf = ({ endpointId, projectId, hours, heldBy }: Described, week: Instant): readonly Rollup[] =>
  Array.from({ length: heldBy ? 7 : 0 }, (_, day) => ({
    ...rollupAt(refOf(endpointId, projectId), 0, COARSE_STEP),
    from: instant(week + day * DAY),
    time: { init: millis(0), active: millis(Math.min(hours, 24) * HOUR), idle: millis(0) },
    culprits: Object.entries(heldBy ?? {}).map(([culprit, share]) => ({ culprit, share: ratio(share) })),
  }))

const owner = (team: string, tier: string): ComputeIdentity['owner'] => ({
  team,
  tier,
  channel: undefined,
  costCentre: `cc-${team}`,
})

const QUIET: Fleet = { computes: [], recommendations: [], changes: [] }

const BUSY: Fleet = {
  computes: [
    {
      endpointId: 'ep-shop-main',
      projectId: 'p-shop',
      place: { projectName: 'shop', owner: owner('payments', 'prod') },
      hours: 24,
      cu: 4,
      cuBefore: 2,
      heldBy: { 'clients/web/shop/shop': 0.9, 'keep-alive/pool/shop/shop': 0.1 },
    },
    {
      endpointId: 'ep-shop-reports',
      projectId: 'p-shop',
      place: { projectName: 'shop', name: 'reports', owner: owner('payments', 'prod') },
      hours: 24,
      heldBy: { 'idle-in-transaction/psql/ann/shop': 1 },
    },
    {
      endpointId: 'ep-blog',
      projectId: 'p-blog',
      place: { projectName: 'blog', owner: owner('web', 'dev') },
      hours: 9,
      hoursBefore: 4,
      wakes: 6,
      heldBy: { 'clients/web/blog/blog': 1 },
    },
    {
      endpointId: 'ep-always-on',
      projectId: 'p-old',
      place: { projectName: 'old', autosuspendOff: true },
      hours: 24,
      cu: 0.25,
      heldBy: { 'autosuspend-off///': 1 },
    },
    {
      endpointId: 'ep-dearer',
      projectId: 'p-blog',
      place: { projectName: 'blog', owner: owner('web', 'dev') },
      hours: 2,
      priceBefore: 100_000,
      wakes: 3,
      heldBy: { 'clients/cron/blog/blog': 1 },
    },
  ],
  recommendations: BUSY_RECOMMENDATIONS,
  withheld: BUSY_WITHHELD,
  noWake: BUSY_NO_WAKE,
  changes: BUSY_CHANGES,
  planned: {
    budgets: [budget('payments', 212, 1), budget('web', 31, 0.02)],
    month: { ...budget('the month', 243, 0) },
  },
}

/** Counted from this week on, with wide bounds, without a reading, and made where no daemon runs. */
const BROKEN: Fleet = {
  events: [
    [-1, 'key-accepted', 'The API key is accepted again'],
    [9.5, 'service-unavailable', 'The service cannot be reached: connect ECONNREFUSED 127.0.0.1:443'],
    [11, 'service-available', 'The service answers again'],
    [30, 'problem', 'Part of the account could not be seen: project p-gone: an operation does not fit'],
    [40, 'wake-caused', 'A reading woke compute ep-shut'],
    [168, 'key-refused', 'The API key is refused'],
  ],
  known: 1,
  recommendations: [],
  withheld: BROKEN_WITHHELD,
  computes: [
    {
      endpointId: 'ep-gone',
      projectId: 'p-gone',
      place: { branchId: undefined },
      hours: 3,
      unsure: 0.5,
      wakes: 2,
    },
    {
      endpointId: 'ep-shut',
      place: { projectName: 'shut', unreadBecause: 'password authentication failed for user "dormouse"' },
      hours: 20,
      unsure: 0.02,
      wakes: 1,
    },
  ],
  planned: undefined,
}

export const FLEETS = { quiet: QUIET, busy: BUSY, broken: BROKEN } as const

export const told = (input: ReportInput): Report => composeReport(input)
