// Why a change is not sent now.
import { isInTransition } from '../model/service/compute.ts'
import type { Change, Hold } from '../model/policy/change.ts'
import { after, seconds, type Instant, type Ratio } from '../model/units.ts'
import { isShorter, type Seen } from './settings.ts'

/** Rules apart from the compute. */
export type ChangeRules = Readonly<{
  /** A kill switch, or a mode that sends no changes; undefined where changes may be sent. */
  stoppedBy: Extract<Hold['because'], 'kill-switch' | 'mode'> | undefined
  /** Whether the service refuses the API key. */
  isKeyRefused: boolean
  /** When the delay of this compute was last shortened by a change; undefined if never. */
  shortenedAt: Instant | undefined
  /** By other changes of the project; undefined where none holds it. */
  siblings: Hold | undefined
  /** Probability that a client connects while a change is made, given how long the compute has slept. */
  arrival: (seen: Seen) => Ratio
}>

/** Probability of a client from which a change waits, 5 %: a client that connects meanwhile waits 0.35 s (changing.md, §2). */
export const MAX_ARRIVAL = 0.05
/** A shorter delay at most once an hour, seconds. Source: changing.md, §2. */
const DELAY_PACE = seconds(3600)

/** Undefined when nothing holds the change. */
export function holdOf(
  { change, seen, rules }: Readonly<{ change: Change; seen: Seen; rules: ChangeRules }>,
  now: Instant,
): Hold | undefined {
  if (isBusy(seen)) return { because: 'project-busy', until: undefined }
  if (rules.siblings) return rules.siblings
  if (change.kind === 'delay') return delayHold(change, rules.shortenedAt, now)
  const isIdle = seen.compute.state === 'idle'
  // the next start of a suspended compute is as good as a restart
  if (change.kind === 'restart' && (change.when === 'idle' || isIdle))
    return { because: 'next-start', until: undefined }
  if (change.when === 'now') return undefined
  if (!isIdle) return { because: 'awake', until: undefined }
  return rules.arrival(seen) < MAX_ARRIVAL ? undefined : { because: 'client-expected', until: undefined }
}

const isBusy = ({ compute, others, openOperations }: Seen) =>
  openOperations > 0 || [compute, ...others].some(isInTransition)

function delayHold(
  { desired, before }: Change,
  shortenedAt: Instant | undefined,
  now: Instant,
): Hold | undefined {
  if (shortenedAt === undefined || !isShorter(desired.autosuspendDelay, before.autosuspendDelay))
    return undefined
  const until = after(shortenedAt, DELAY_PACE)
  return until > now ? { because: 'delay-pace', until } : undefined
}
