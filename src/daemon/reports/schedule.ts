// The schedule of the weekly report. What is due is made once; report and deliveries are stored in one transaction.
/* oxlint-disable no-await-in-loop -- one poll, account and report after the other */
import { z } from 'zod'
import { isoWeekIdOf, isoWeekInterval } from '../../calendar/iso-week.ts'
import type { Zone } from '../../calendar/zone.ts'
import {
  evaluateSchedule,
  slotAfter,
  slotUntil,
  type Schedule,
  type ScheduleState,
} from '../../calendar/schedule.ts'
import type { Clock } from '../../model/ports/clock.ts'
import { jobStateWrite, type JobState, type Outbox } from '../../model/ports/outbox.ts'
import { commit, deliveryWrites, type Store, type Write } from '../../model/ports/store.ts'
import { reportKey, type ReportSlot, type StoredReport } from '../../model/output/report.ts'
import { instant, seconds, type Instant, type Seconds } from '../../model/units.ts'
import { newDelivery } from '../notify/event-queue.ts'

export type ReportJob = Readonly<{
  clock: Clock
  store: Pick<Store, 'account'> & Pick<Outbox, 'jobState' | 'report'>
  /** A reload may change it. */
  schedule: () => Schedule
  /** The current ones; with a team, they get the report of that team only. */
  sinks: () => readonly ReportReceiver[]
  accounts: readonly string[]
  /** The report about all teams, and one for each of these. @throws when the store fails */
  make: (order: ReportOrder, teams: readonly string[]) => Promise<readonly ReportPart[]>
  /** When the last report was due, at each poll. */
  recordDue: (at: Instant) => void
  /** A report could not be made or stored; it is tried again after a while. */
  failed: (account: string, cause: unknown) => void
}>

type ReportOrder = Readonly<{ account: string; slot: ReportSlot; now: Instant }>

type ReportReceiver = Readonly<{ name: string; team: string | undefined }>

export type ReportPart = Pick<StoredReport, 'team' | 'json'>

const stateSchema = z.object({ doneUntil: z.number().transform(instant) })

const STORED_STATE: JobState<ScheduleState> = {
  job: 'report',
  decode: (json) => stateSchema.safeParse(json).data,
}

/** Cron text has no finer unit than a minute. */
const POLL_INTERVAL = seconds(60)
/** Longest time between two attempts at a report that fails, s: making one reads months of history, and a full disk stays full for hours. */
const MAX_PAUSE = 3600
/** Seconds after its slot from which a report is late, 2 h: longer than any restart, shorter than a working day. */
const LATE_AFTER = 2 * 3600
/** Reports of one week that people can request by hand. */
const MAX_MANUAL = 100

/** Makes what is due until `signal` aborts. Never rejects. */
export async function runReportSchedule(job: ReportJob, signal: AbortSignal): Promise<void> {
  const pauses = new Map<string, Readonly<{ since: number; pause: Seconds }>>()
  const recordDue = createDueRecorder(job)
  while (!signal.aborted) {
    await recordDue()
    for (const account of job.accounts) {
      const before = pauses.get(account)
      if (before && job.clock.monotonic() - before.since < before.pause) continue
      const failure = await makeIfDue(job, account).then(
        () => undefined,
        (cause: unknown) => ({ cause }),
      )
      pauses.delete(account)
      if (!failure) continue
      const pause = seconds(Math.min(MAX_PAUSE, 2 * (before?.pause ?? POLL_INTERVAL / 2)))
      pauses.set(account, { since: job.clock.monotonic(), pause })
      job.failed(account, failure.cause)
    }
    await job.clock.sleep(POLL_INTERVAL, signal)
  }
}

/** Reads the store only at a new slot. */
function createDueRecorder(job: ReportJob): () => Promise<void> {
  let due: Readonly<{ slot: Instant; at: Instant }> | undefined
  return async () => {
    const slot = lastDue(job.schedule(), job.clock.now())
    if (slot !== undefined && slot !== due?.slot) due = { slot, at: await dueAt(job, slot) }
    if (due) job.recordDue(due.at)
  }
}

/** The first slot of the last week that has one until `now`: a week is reported once. */
function lastDue(schedule: Schedule, now: Instant): Instant | undefined {
  const slot = slotUntil(schedule, now)
  const week = slot && isoWeekInterval(isoWeekIdOf(slot, schedule.zone), schedule.zone)
  return week && slotAfter(schedule, instant(week.from - 1))
}

/** The slot, or when all accounts had the report of its week, if that was before: an earlier schedule had another slot. */
async function dueAt({ store, accounts, schedule }: ReportJob, slot: Instant): Promise<Instant> {
  const week = weekBefore(slot, schedule().zone)
  if (!week) return slot
  const stored = await Promise.all(
    accounts.map((account) => store.report(account, week.id).catch(() => undefined)),
  )
  return instant(Math.min(slot, Math.max(...stored.map((report) => report?.madeAt ?? slot))))
}

/** Makes the report of the last missed slot alone, within the catch-up time. A week is reported once. */
async function makeIfDue(job: ReportJob, account: string) {
  const { clock, store } = job
  const schedule = job.schedule()
  const before = await store.jobState(account, STORED_STATE)
  const now = clock.now()
  const { memory, due } = evaluateSchedule(schedule, before, now)
  const week = due && weekBefore(due.slot, schedule.zone)
  const isNew = week !== undefined && !(await store.report(account, week.id))
  const slot = due && isNew ? { ...week, late: due.late > LATE_AFTER } : undefined
  const reports = slot ? await makeReports(job, { account, slot, now }) : []
  if (slot || JSON.stringify(memory) !== JSON.stringify(before))
    await commit(store.account(account), [...reports, jobStateWrite(STORED_STATE, memory)])
}

/** Makes last week's report anew for all receivers. @returns its slot; undefined after 100 of the same week. @throws when the store fails */
export async function sendReportNow(job: ReportJob, account: string): Promise<string | undefined> {
  const { clock, store } = job
  const now = clock.now()
  const week = weekBefore(now, job.schedule().zone)
  if (!week) return undefined
  for (let nth = 1; nth <= MAX_MANUAL; nth += 1) {
    const slot = { ...week, id: `${week.id}-manual-${nth}`, late: false }
    if (await store.report(account, slot.id)) continue
    await commit(store.account(account), await makeReports(job, { account, slot, now }))
    return slot.id
  }
  return undefined
}

/** Reports and their deliveries, to receivers that were configured when making began and still are when it ends. */
async function makeReports({ make, sinks }: ReportJob, order: ReportOrder) {
  const { account, slot, now } = order
  const before = sinks()
  const teams = [...new Set(before.flatMap(({ team }) => team ?? []))]
  const parts = await make(order, teams)
  const current = new Set(sinks().map(({ name }) => name))
  const receivers = before.filter(({ name }) => current.has(name))
  const deliveries = receivers.map(({ name: sink, team }) =>
    newDelivery({ account, sink, kind: 'report', item: reportKey({ slot, team }), topic: '' }, now),
  )
  return [
    ...parts.map((part): Write => ({ kind: 'report', report: { account, slot, madeAt: now, ...part } })),
    ...deliveryWrites(deliveries),
  ]
}

export function weekBefore(at: Instant, zone: Zone): Omit<ReportSlot, 'late'> | undefined {
  const current = isoWeekInterval(isoWeekIdOf(at, zone), zone)
  const id = isoWeekIdOf(instant((current?.from ?? at) - 1), zone)
  const week = isoWeekInterval(id, zone)
  return week && { id, ...week }
}
