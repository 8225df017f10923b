import type { Event } from '../../model/output/event-kinds.ts'
import { firstProblems } from '../../std/first-problems.ts'
import { isReached, type Sweep, type SweepProblem } from '../../model/observation.ts'
import { HOUR, type Instant } from '../../model/units.ts'

/** Text of a problem → end of the last sweep with it: a lasting problem is reported once. */
export type ProblemsSeen = ReadonlyMap<string, Instant>

export type OutboxState = Readonly<{
  /** Not in the store yet, so nobody was notified. */
  pendingEvents: readonly Event[]
  /** Problems of the last sweep. */
  problems: readonly string[]
  problemsSeen: ProblemsSeen
}>

export const newOutbox = (): OutboxState => ({ pendingEvents: [], problems: [], problemsSeen: new Map() })

export const nextOutbox = (
  { problemsSeen }: OutboxState,
  sweep: Sweep,
  pendingEvents: readonly Event[],
): OutboxState => ({
  pendingEvents,
  problems: sweep.problems.map(problemText),
  problemsSeen: problemsSeenAfter(problemsSeen, sweep),
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
  before: Pick<OutboxState, 'problemsSeen'> & { readonly status: Sweep['service'] | undefined },
  sweep: Sweep,
): readonly Event[] {
  const about = { account: sweep.account, at: sweep.endedAt }
  const fresh = freshIn(before.problemsSeen, sweep)
  const problems = fresh.map((problem): Event => ({ ...about, kind: 'problem', ...problem }))
  if (before.status === sweep.service) return isReached(sweep.service) ? problems : []
  switch (sweep.service) {
    case 'unauthorized':
      return [{ ...about, kind: 'key-refused' }]
    case 'unavailable':
      return [{ ...about, kind: 'service-unavailable', message: sweep.problems[0]?.message ?? 'no answer' }]
    case 'ok':
    case 'degraded':
      return [...recovered(before.status, about), ...problems]
  }
}

function recovered(
  before: Sweep['service'] | undefined,
  about: Pick<Event, 'account' | 'at'>,
): readonly Event[] {
  if (before === 'unauthorized') return [{ ...about, kind: 'key-accepted' }]
  return before === 'unavailable' ? [{ ...about, kind: 'service-available' }] : []
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
