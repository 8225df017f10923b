import type { Event } from '../../model/output/event-kinds.ts'
import type { Sweep, SweepProblem } from '../../model/observation.ts'
import type { Instant } from '../../model/units.ts'
import type { PassState, ProblemsSeen } from './pass-state.ts'

/** How long a problem has to be away to be told again, ms: a project is not in every sweep, and its problem lasts in between. Doubled, one that comes back is told later. */
const AWAY = 3_600_000
/** Problems remembered. Doubled, twice as many broken records are told once only. */
const REMEMBERED = 1000

/** What changed between two sweeps in how the service answers; a state that lasts is told once. */
export function eventsOfSweep(before: PassState, sweep: Sweep): readonly Event[] {
  const about = { account: sweep.account, at: sweep.endedAt }
  const problems = freshIn(before.problemsSeen, sweep).map((problem): Event => ({
    ...about,
    kind: 'problem',
    ...problem,
  }))
  if (before.service === sweep.service) return sweep.service === 'ok' ? problems : []
  switch (sweep.service) {
    case 'unauthorized':
      return [{ ...about, kind: 'key-refused' }]
    case 'unavailable':
      return [{ ...about, kind: 'service-unavailable', message: sweep.problems[0]?.message ?? 'no answer' }]
    case 'ok':
      return [...recovered(before.service, about), ...problems]
  }
}

function recovered(before: PassState['service'], about: Pick<Event, 'account' | 'at'>): readonly Event[] {
  if (before === 'unauthorized') return [{ ...about, kind: 'key-accepted' }]
  return before === 'unavailable' ? [{ ...about, kind: 'service-available' }] : []
}

/** With those of this sweep; who was not seen for longest is forgotten first. */
export function problemsSeenAfter(before: ProblemsSeen, { problems, endedAt }: Sweep): ProblemsSeen {
  const seen = new Map([...before].filter(([, at]) => isRecent(at, endedAt)))
  for (const problem of problems) {
    const text = problemText(problem)
    seen.delete(text)
    seen.set(text, endedAt)
  }
  return new Map([...seen].slice(-REMEMBERED))
}

export const problemText = ({ where, message }: SweepProblem): string => `${where}: ${message}`

/** Those that were not seen lately, each once. */
function freshIn(seen: ProblemsSeen, { problems, endedAt }: Sweep): readonly SweepProblem[] {
  const fresh = new Map<string, SweepProblem>()
  for (const problem of problems) {
    const text = problemText(problem)
    const at = seen.get(text)
    if (at === undefined || !isRecent(at, endedAt)) fresh.set(text, problem)
  }
  return [...fresh.values()]
}

const isRecent = (at: Instant, now: Instant): boolean => now - at < AWAY
