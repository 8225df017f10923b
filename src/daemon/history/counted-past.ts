// The past of an account as the service counted it: read once, at the first start, and stored.
import type { Zone } from '../../calendar/zone.ts'
import { settledPartOfOpen } from '../../ledger/budgets/from-history.ts'
import { overlap } from '../../ledger/interval-math.ts'
import { narrowPast } from '../../ledger/metering/counted-past.ts'
import { createDayCutter, isUtcDay, uncutDays, type DayPart } from '../../ledger/metering/day-parts.ts'
import type { ComputePast, CountedPast, CountedWindow } from '../../model/ledger/counted-past.ts'
import type { ComputeEntry, Ledger } from '../../model/ledger/ledger.ts'
import type { Bounds, DayRow } from '../../model/ledger/quantities.ts'
import { isLookedAt, type ProjectEntry } from '../../model/ledger/project-entry.ts'
import type { Clock } from '../../model/ports/clock.ts'
import type { History } from '../../model/ports/history.ts'
import { jobStateWrite, type Outbox } from '../../model/ports/outbox.ts'
import type { Service, ServiceOperations } from '../../model/ports/service.ts'
import { commit, type AccountStore } from '../../model/ports/store.ts'
import { serviceErrorText, type ServiceError } from '../../model/service/service-error.ts'
import { computeKey, largestCu, type ComputeRef } from '../../model/service/compute.ts'
import type { Consumption } from '../../model/service/consumption.ts'
import {
  DAY,
  HOUR,
  MINUTE,
  cuMillis,
  earliest,
  instant,
  type CuMillis,
  type Instant,
  type Interval,
} from '../../model/units.ts'
import { sumOf } from '../../std/sum.ts'
import { PROJECTS_PER_REQUEST, readConsumption, subscriberOf } from '../accounts/consumption.ts'
import type { DaemonEnvironment } from '../environment.ts'
import type { PassState } from '../pass/pass-state.ts'
import { STORED_PAST, encodePast, readStoredPast } from './stored-past.ts'

type CountedPastOptions = Readonly<{
  account: string
  clock: Clock
  service: Service
  history: Pick<History, 'days' | 'awakeTimes'> & Pick<Outbox, 'jobState'>
  store: Pick<AccountStore, 'commit'>
  epoch: number
  /** Zone of the account. */
  zone: Zone
  log: Pick<DaemonEnvironment['log'], 'error' | 'info'>
  /** Called once the past was read: outputs may show it before the next pass. */
  onRead: (past: CountedPast) => Promise<void>
}>

/** Days that the service keeps; one less, so that the first is whole. Source: service-facts.md, "Consumption". */
const DAYS_KEPT = 59
/** After the first turn the past is derived even if some project could not be looked at, 1 h in seconds. */
const LONGEST_WAIT = 3600
/** After a failure the past is read again 5 min later, in seconds: each time all days are read from the store. */
const RETRY_AFTER = 300

export async function createCountedPast(options: CountedPastOptions) {
  const { account, clock, history, zone, store, epoch, log } = options
  let past = await readStoredPast(history, account, zone)
  const since = clock.monotonic()
  let failedAt = -Infinity
  let running: Promise<void> | undefined

  async function derive({ ledger, clock: { offset } }: PassState, signal: AbortSignal) {
    const now = instant(clock.now() + offset)
    const found = await readPast(options, { ledger, now, signal })
    if (signal.aborted) return
    await commit(store, [jobStateWrite(STORED_PAST, encodePast(found))], { epoch })
    past = found
    log.info(
      { computes: found.computes.size },
      'the past of the account was compared with what the service counted',
    )
    await options.onRead(found)
  }

  return {
    /** Undefined before it was read. */
    current: () => past,
    /** Starts to read once all projects were looked at. Beside the passes; a failure is tried again. */
    refresh: (state: PassState, signal: AbortSignal) => {
      const now = clock.monotonic()
      const waited = now - since > LONGEST_WAIT
      const isEarly = state.polling.list.finished === undefined || now - failedAt < RETRY_AFTER
      if (past || running || isEarly) return
      if (!waited && !isWhollyLookedAt(state.ledger)) return
      running = derive(state, signal)
        .catch((err: unknown) => {
          failedAt = clock.monotonic()
          log.error({ err }, 'the past of the account could not be read')
        })
        .finally(() => {
          running = undefined
        })
    },
    idle: () => running,
  }
}

const isWhollyLookedAt = ({ projects }: Ledger) => [...projects.values()].every(isLookedAt)

type PastRequest = Readonly<{ ledger: Ledger; now: Instant; signal: AbortSignal }>
type ProjectRows = Readonly<{ projectId: string; rows: readonly DayRow[] }>

async function readPast(options: CountedPastOptions, request: PastRequest): Promise<CountedPast> {
  const { ledger, now, signal } = request
  const operations = options.service.at('report')
  const { orgId, failure } = await subscriberOf(operations, ledger.projects, signal)
  throwWhilePassing(failure, signal)
  const computes = new Map<string, ComputePast>()
  let batch: ProjectRows[] = []
  const narrowBatch = async () => {
    const consumption = await consumptionByProject(operations, { batch, orgId, now, signal })
    for (const { projectId, rows } of batch) {
      if (signal.aborted) return
      const counted = consumption.get(projectId) ?? []
      // oxlint-disable-next-line no-await-in-loop -- the awake times of one project in memory at a time
      for (const one of await narrowProject(options, { projectId, rows, counted }, request))
        computes.set(computeKey(one.ref), one)
    }
    batch = []
    await options.clock.yield()
  }
  for await (const rows of rowsByProject(
    options.history.days(options.account, { from: instant(0), to: now }),
  )) {
    if (signal.aborted) break
    if (!rows.rows.some(isUncertain)) continue
    if (batch.push(rows) === PROJECTS_PER_REQUEST) await narrowBatch()
  }
  if (batch.length > 0) await narrowBatch()
  return { until: now, untilDate: options.zone.dayOf(now).date, computes }
}

const isUncertain = ({ cuTime }: DayRow) => Object.values(cuTime).some(({ low, high }) => high > low)

/** The rows come project by project. */
async function* rowsByProject(days: AsyncIterable<DayRow>): AsyncGenerator<ProjectRows> {
  let rows: DayRow[] = []
  for await (const row of days) {
    const { projectId } = row.ref
    const last = rows[0]?.ref.projectId
    if (last !== undefined && last !== projectId) {
      yield { projectId: last, rows }
      rows = []
    }
    rows.push(row)
  }
  const last = rows[0]?.ref.projectId
  if (last !== undefined) yield { projectId: last, rows }
}

async function consumptionByProject(
  service: ServiceOperations,
  {
    batch,
    orgId,
    now,
    signal,
  }: Readonly<{
    batch: readonly ProjectRows[]
    orgId: string | undefined
    now: Instant
    signal: AbortSignal
  }>,
): Promise<ReadonlyMap<string, readonly Consumption[]>> {
  const from = instant(Math.floor(now / DAY - DAYS_KEPT) * DAY)
  const projectIds = batch.map(({ projectId }) => projectId)
  const { items, failure } = await readConsumption(service, { projectIds, orgId, from, to: now }, signal)
  throwWhilePassing(failure, signal)
  return Map.groupBy(items, ({ projectId }) => projectId)
}

/** @throws where the service may tell it later: what is stored without its count stays so */
function throwWhilePassing(failure: ServiceError | undefined, signal: AbortSignal): void {
  const isPassing = failure && ['unavailable', 'limited', 'unauthorized'].includes(failure.kind)
  if (isPassing && !signal.aborted) throw new Error(serviceErrorText(failure))
}

type CountedProject = ProjectRows & Readonly<{ counted: readonly Consumption[] }>

async function narrowProject(
  options: CountedPastOptions,
  { projectId, rows, counted }: CountedProject,
  request: PastRequest,
) {
  const { ledger } = request
  const sizingOf = (ref: ComputeRef) => {
    const entry = ledger.computes.get(computeKey(ref))
    return entry?.deletedAt === undefined ? entry?.compute.sizing : undefined
  }
  const project = ledger.projects.get(projectId)
  const late = lateUsage(rows, request)
  const windows = consumptionWindows(counted, { ...request, late })
  if (windows.length > 0) {
    const parts = await partsByUtcDay(options, { rows, windows }, request)
    return narrowPast({ parts, sizingOf, windows, basis: 'consumption' })
  }
  const whole = project && counterWindow(rows, project, { ...request, late })
  return narrowPast({
    parts: uncutDays(rows),
    sizingOf,
    windows: whole ? [whole] : [],
    basis: 'counters',
  })
}

/** Parts of the days of one project, none of which lies in two days of the service. */
async function partsByUtcDay(
  { account, history }: CountedPastOptions,
  { rows, windows }: Readonly<{ rows: readonly DayRow[]; windows: readonly CountedWindow[] }>,
  { ledger, now }: PastRequest,
): Promise<readonly DayPart[]> {
  if (rows.every(isUtcDay)) return uncutDays(rows)
  const computes = [...new Map(rows.map(({ ref }) => [computeKey(ref), ref])).values()]
  const counted = { from: earliest(...windows.map((window) => window.from)), to: now }
  const cutter = createDayCutter(rows, counted)
  const from = rows.reduce((first, row) => earliest(first, row.from), now)
  for await (const { ref, times } of history.awakeTimes(account, { from, to: now, computes }))
    cutter.add(ref, times)
  for (const ref of computes) {
    const entry = ledger.computes.get(computeKey(ref))
    if (entry) cutter.add(ref, unsettledTimes(entry))
  }
  return cutter.parts()
}

/** Likely awake time that the history does not have yet. */
function unsettledTimes(entry: ComputeEntry): readonly Interval[] {
  const open = settledPartOfOpen(entry)?.interval
  const settled = open?.to ? [{ from: open.from.likely, to: open.to.likely }] : []
  return [...settled, ...entry.provisional.map(({ likely }) => likely)]
}

/** Time that the service may not have counted yet, ms, at most and usually. Source: service-facts.md, "Consumption". */
const LATE = HOUR
const USUALLY_LATE = 15 * MINUTE

/** Usage that the service may not have counted yet. Likely: that of the ledger; most: of all computes awake in the last hour, at their largest. */
type LateUsage = Readonly<{ likely: CuMillis; most: CuMillis }>

const NOTHING_LATE: LateUsage = { likely: cuMillis(0), most: cuMillis(0) }

function lateUsage(rows: readonly DayRow[], { ledger, now }: PastRequest): LateUsage {
  const keys = new Set(rows.map(({ ref }) => computeKey(ref)))
  const entries = [...keys].flatMap((key) => ledger.computes.get(key) ?? [])
  const recent = { from: instant(now - USUALLY_LATE), to: now }
  const likely = sumOf(entries, ({ provisional }) =>
    sumOf(provisional, (slice) => overlap(slice.likely, recent) * slice.size.likely),
  )
  const isRecent = ({ current, compute }: ComputeEntry) =>
    current !== undefined || (compute.suspendedAt ?? 0) > now - LATE
  const mostCu = sumOf(entries.filter(isRecent), ({ compute }) => largestCu(compute.sizing))
  return { likely: cuMillis(likely), most: cuMillis(LATE * mostCu) }
}

/** The service rounds down to whole seconds. */
const countedSeconds = (counted: number, late: LateUsage): Bounds<CuMillis> => ({
  low: cuMillis(1000 * counted),
  likely: cuMillis(1000 * counted + late.likely),
  high: cuMillis(1000 * (counted + 1) + late.most),
})

type WindowContext = PastRequest & Readonly<{ late: LateUsage }>

/** The days of the service, which begin at midnight in UTC. */
const consumptionWindows = (
  consumption: readonly Consumption[],
  { late, now }: WindowContext,
): readonly CountedWindow[] =>
  consumption.flatMap(({ from, to, amounts }): CountedWindow[] => {
    const counted = amounts['compute_unit_seconds']
    if (counted === undefined) return []
    return [{ from, to, cuTime: countedSeconds(counted, to > now - LATE ? late : NOTHING_LATE) }]
  })

/** Share by which the counted active time may differ from the time awake by the ledger. */
const TOLERATED = 0.01

/** The counters hold for the whole past where their active time is that of the ledger. */
function counterWindow(
  rows: readonly DayRow[],
  { project: { activeSeconds, cpuUsedSeconds } }: ProjectEntry,
  { late, now }: WindowContext,
): CountedWindow | undefined {
  const awake = sumOf(rows, (row) => row.awake.likely)
  if (activeSeconds === undefined || Math.abs(1000 * activeSeconds - awake) > TOLERATED * awake + LATE)
    return undefined
  return { from: instant(0), to: instant(now + DAY), cuTime: countedSeconds(cpuUsedSeconds, late) }
}
