import type { Event } from '../model/event.ts'
import type { Sweep } from '../model/observation.ts'
import type { AccountState } from './state.ts'

/** What changed between two sweeps in how the service answers; a state that lasts is told once. */
export function eventsOfSweep(before: AccountState, after: AccountState, sweep: Sweep): readonly Event[] {
  const about = { account: sweep.account, at: sweep.endedAt }
  const fresh = sweep.problems.filter(
    ({ where, message }) => !before.problems.includes(`${where}: ${message}`),
  )
  const problems = fresh.map((problem): Event => ({ ...about, kind: 'problem', ...problem }))
  if (before.service === after.service) return sweep.service === 'ok' ? problems : []
  switch (sweep.service) {
    case 'unauthorized':
      return [{ ...about, kind: 'key-refused' }]
    case 'unavailable':
      return [{ ...about, kind: 'service-unavailable', message: sweep.problems[0]?.message ?? 'no answer' }]
    case 'ok':
      return [...recovered(before.service, about), ...problems]
  }
}

function recovered(before: AccountState['service'], about: Pick<Event, 'account' | 'at'>): readonly Event[] {
  if (before === 'unauthorized') return [{ ...about, kind: 'key-accepted' }]
  return before === 'unavailable' ? [{ ...about, kind: 'service-available' }] : []
}
