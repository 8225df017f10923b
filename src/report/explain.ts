// Why things are as they are, in the words that the command line, the API and the page share.
import type { WhyAwake } from '../model/ledger.ts'
import { toIso } from '../model/time.ts'

/** Why a compute is awake or asleep, one line. */
export function whyText(why: WhyAwake): string {
  switch (why.because) {
    case 'asleep':
      return why.since === undefined ? 'asleep' : `asleep since ${toIso(why.since)}`
    case 'starting':
      return 'starting'
    case 'disabled':
      return 'disabled'
    case 'autosuspend-off':
      return 'autosuspend is off'
    case 'clients':
      return `${why.working} working: ${why.application || 'unnamed application'}`
    case 'idle-in-transaction':
      return `${why.count} idle in transaction`
    case 'replication':
      return `${why.count} replication`
    case 'subscription':
      return `${why.count} subscription`
    case 'autovacuum':
      return `${why.count} autovacuum`
    case 'recent-activity':
      return `in use${why.application ? ` by ${why.application}` : ''}, last at ${toIso(why.at)}`
    case 'idle-tail':
      return `nobody since ${toIso(why.since)}; suspends about ${toIso(why.until)}`
    case 'unknown':
      return 'not known'
  }
}
