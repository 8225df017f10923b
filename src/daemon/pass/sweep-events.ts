import { enum as oneOf } from 'zod'
import type { Event } from '../../model/output/event-kinds.ts'
import type { JobState } from '../../model/ports/outbox.ts'
import { firstProblems } from '../../std/first-problems.ts'
import { isReached, type ServiceStatus, type Sweep, type SweepProblem } from '../../model/observation.ts'
import { HOUR, type Instant } from '../../model/units.ts'

/** What the last event about the service said: kept over a restart, so that the end of an outage is announced, and its begin not again. */
export type AnnouncedStatus = Exclude<ServiceStatus, 'degraded'>

export const ANNOUNCED_STATUS: JobState<AnnouncedStatus> = {
  job: 'service-announced',
  decode: (json) => oneOf(['ok', 'unauthorized', 'unavailable']).safeParse(json).data,
}

/** Kinds of events that announce a status. */
export const STATUS_EVENTS: ReadonlySet<Event['kind']> = new Set([
  'key-refused',
  'key-accepted',
  'service-unavailable',
  'service-available',
])

/** An answer with problems is an answer. */
export const announcedAfter = ({ service }: Pick<Sweep, 'service'>): AnnouncedStatus =>
  service === 'degraded' ? 'ok' : service

/** Text of a problem → end of the last sweep with it: a lasting problem is reported once. */
export type ProblemsSeen = ReadonlyMap<string, Instant>

export type OutboxState = Readonly<{
  /** Not in the store yet, so nobody was notified. */
  pendingEvents: readonly Event[]
  /** Problems of the last sweep. */
  problems: readonly string[]
  problemsSeen: ProblemsSeen
  /** In the store, or among the pending events. */
  announced: AnnouncedStatus
}>

/** @param announced by an earlier process */
export const newOutbox = (announced: AnnouncedStatus = 'ok'): OutboxState => ({
  pendingEvents: [],
  problems: [],
  problemsSeen: new Map(),
  announced,
})

export const nextOutbox = (
  { problemsSeen }: OutboxState,
  sweep: Sweep,
  pendingEvents: readonly Event[],
): OutboxState => ({
  pendingEvents,
  problems: sweep.problems.map(problemText),
  problemsSeen: problemsSeenAfter(problemsSeen, sweep),
  announced: announcedAfter(sweep),
})

/** The first hundred problems, and one that counts the others. */
export const withFewProblems = (sweep: Sweep): Sweep => ({
  ...sweep,
  problems: firstProblems(sweep.problems, (message) => ({ where: 'account', message })),
})

/** A project is not in every sweep, and its problem lasts in between. */
const REPORT_AGAIN_AFTER = HOUR
/** Different problems within that time that are reported, 1,000, some 200 kB: somebody else decides how many there are. */
const MAX_REMEMBERED = 1000

/** A change of how the service answers, and new problems. */
export function eventsOfSweep(
  { announced, problemsSeen }: Pick<OutboxState, 'announced' | 'problemsSeen'>,
  sweep: Sweep,
): readonly Event[] {
  const fresh = isReached(sweep.service) ? freshIn(problemsSeen, sweep) : []
  const about = { account: sweep.account, at: sweep.endedAt }
  return [
    ...statusEvents(announced, sweep),
    ...fresh.map((problem): Event => ({ ...about, kind: 'problem', ...problem })),
  ]
}

/** None where the status is as announced. */
function statusEvents(
  announced: AnnouncedStatus,
  sweep: Pick<Sweep, 'account' | 'endedAt' | 'service' | 'problems'>,
): readonly Event[] {
  const status = announcedAfter(sweep)
  if (status === announced) return []
  const about = { account: sweep.account, at: sweep.endedAt }
  switch (status) {
    case 'unauthorized':
      return [{ ...about, kind: 'key-refused' }]
    case 'unavailable':
      return [{ ...about, kind: 'service-unavailable', message: sweep.problems[0]?.message ?? 'no answer' }]
    case 'ok':
      return [{ ...about, kind: announced === 'unauthorized' ? 'key-accepted' : 'service-available' }]
  }
}

/** Reported within the last hour, and the new ones that there is room for. */
export function problemsSeenAfter(before: ProblemsSeen, { problems, endedAt }: Sweep): ProblemsSeen {
  const seen = new Map([...before].filter(([, at]) => isRecent(at, endedAt)))
  for (const problem of problems) {
    const text = problemText(problem)
    if (seen.has(text) || seen.size < MAX_REMEMBERED) seen.set(text, endedAt)
  }
  return seen
}

const problemText = ({ where, message }: SweepProblem): string => `${where}: ${message}`

/** Not reported lately, each once. */
function freshIn(seen: ProblemsSeen, sweep: Sweep) {
  const after = problemsSeenAfter(seen, sweep)
  const byText = new Map(sweep.problems.map((problem) => [problemText(problem), problem]))
  return [...byText].flatMap(([text, problem]) =>
    after.has(text) && !isRecent(seen.get(text), sweep.endedAt) ? [problem] : [],
  )
}

const isRecent = (at: Instant | undefined, now: Instant) => at !== undefined && now - at < REPORT_AGAIN_AFTER
