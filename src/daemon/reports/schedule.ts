// When a report is due: made once, kept, and given to its receivers, all in one transaction.
import { EMPTY_BATCH } from '../../ledger/apply-sweep.ts'
import { isoWeekIdOf, isoWeekInterval } from '../../calendar/iso-week.ts'
import { evaluateSchedule, type Schedule, type ScheduleState } from '../../calendar/schedule.ts'
import type { Delivery } from '../../model/output/delivery.ts'
import type { Clock } from '../../model/ports/clock.ts'
import type { Outbox } from '../../model/ports/outbox.ts'
import type { Store } from '../../model/ports/store.ts'
import { reportKey, type ReportSlot, type StoredReport } from '../../model/output/report.ts'
import { instant, seconds, type Instant } from '../../model/units.ts'

export type ReportJob = {
  readonly clock: Clock
  readonly store: Pick<Store, 'commit'> & Pick<Outbox, 'memory' | 'report'>
  /** As it is now. */
  readonly schedule: () => Schedule
  /** The receivers of reports as they are now, each of that about all or of the part of one team. */
  readonly sinks: () => readonly ReportReceiver[]
  readonly accounts: readonly string[]
  /** That about all, and the part of each of these teams, as JSON text. @throws when the store fails */
  readonly make: (
    account: string,
    slot: ReportSlot,
    asked: { readonly now: Instant; readonly teams: readonly string[] },
  ) => Promise<readonly ReportPart[]>
  /** Told of a turn that failed; it is made again at the next. */
  readonly failed: (account: string, cause: unknown) => void
}

type ReportReceiver = { readonly name: string; readonly team: string | undefined }

export type ReportPart = Pick<StoredReport, 'team' | 'json'>

const JOB = 'report'
/** Doubled, a report comes a minute later. */
const POLL = seconds(60)
/** Later than that a report says that it is, seconds. Doubled, one of the afternoon does not. */
const LATE = 2 * 3600
/** Reports of one week that people asked for. */
const MOST_BY_HAND = 100

/** Makes what is due until `signal` aborts. Never rejects. */
export async function runReportSchedule(job: ReportJob, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    for (const account of job.accounts) {
      try {
        // oxlint-disable-next-line no-await-in-loop -- one account after the other
        await reportTurn(job, account)
      } catch (cause) {
        job.failed(account, cause)
      }
    }
    // oxlint-disable-next-line no-await-in-loop -- waiting is the point
    await job.clock.sleep(POLL, signal)
  }
}

/** Of slots missed while nobody looked the last is made, within the catch-up; a week is reported once. */
async function reportTurn(job: ReportJob, account: string): Promise<void> {
  const { clock, store } = job
  const schedule = job.schedule()
  const before = (await store.memory(account, JOB)) as ScheduleState | undefined
  const now = clock.now()
  const { memory, due } = evaluateSchedule(schedule, before, now)
  const week = due && weekBefore(due.slot, schedule)
  const isNew = week !== undefined && !(await store.report(account, week.id))
  if (due && isNew) {
    const slot = { ...week, late: due.late > LATE }
    const made = await madeOf(job, { account, slot, now })
    await store.commit({ ...EMPTY_BATCH, account, ...made, memories: { [JOB]: memory } })
  } else if (JSON.stringify(memory) !== JSON.stringify(before)) {
    await store.commit({ ...EMPTY_BATCH, account, memories: { [JOB]: memory } })
  }
}

/** The last whole week, made anew and sent to all receivers. @returns its slot; undefined where too many were asked for. @throws when the store fails */
export async function sendReportNow(job: ReportJob, account: string): Promise<string | undefined> {
  const { clock, store } = job
  const now = clock.now()
  const week = weekBefore(now, job.schedule())
  if (!week) return undefined
  for (let nth = 1; nth <= MOST_BY_HAND; nth += 1) {
    const id = `${week.id}-manual-${nth}`
    // oxlint-disable-next-line no-await-in-loop -- the first number that is free
    if (await store.report(account, id)) continue
    // oxlint-disable-next-line no-await-in-loop -- once
    const made = await madeOf(job, { account, slot: { ...week, id, late: false }, now })
    // oxlint-disable-next-line no-await-in-loop -- once
    await store.commit({ ...EMPTY_BATCH, account, ...made })
    return id
  }
  return undefined
}

type Making = { readonly account: string; readonly slot: ReportSlot; readonly now: Instant }

/** Given to those who were to be sent it when it was begun, and still are. */
async function madeOf(
  { make, sinks }: ReportJob,
  { account, slot, now }: Making,
): Promise<{ readonly reports: readonly StoredReport[]; readonly deliveries: readonly Delivery[] }> {
  const asked = sinks()
  const teams = [...new Set(asked.flatMap(({ team }) => (team === undefined ? [] : [team])))]
  const parts = await make(account, slot, { now, teams })
  const still = new Set(sinks().map(({ name }) => name))
  const receivers = asked.filter(({ name }) => still.has(name))
  const deliveries = receivers.map(({ name, team }): Delivery => ({
    account,
    sink: name,
    kind: 'report',
    item: reportKey({ slot, team }),
    topic: '',
    madeAt: now,
    attempts: 0,
    nextAt: now,
    state: 'waiting',
    lastError: undefined,
    deliveredAt: undefined,
  }))
  return { reports: parts.map((part) => ({ account, slot, madeAt: now, ...part })), deliveries }
}

/** The last week that was over at `at`. */
function weekBefore(at: Instant, { zone }: Schedule): Omit<ReportSlot, 'late'> | undefined {
  const running = isoWeekInterval(isoWeekIdOf(at, zone), zone)
  const id = isoWeekIdOf(instant((running?.from ?? at) - 1), zone)
  const week = isoWeekInterval(id, zone)
  return week && { id, ...week }
}
