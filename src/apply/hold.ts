// Why a change is not sent now.
import type { AwakeRungs } from '../model/policy/change-policy.ts'
import { isInTransition } from '../model/service/compute.ts'
import type { Change } from '../model/policy/change.ts'
import type { Hold } from '../model/policy/hold.ts'
import { after, seconds, type Instant, type Ratio } from '../model/units.ts'
import { awakeHold, type AwakeUse } from './awake-rungs.ts'
import { isShorter, type ComparedCompute, type Seen } from './settings.ts'

/** Rules apart from the compute. */
export type ChangeRules = Readonly<{
  /** A kill switch, or a mode that sends no changes; undefined where changes may be sent. */
  stoppedBy: Extract<Hold['because'], 'kill-switch' | 'mode'> | undefined
  /** By a freeze, a person or the policy of the compute; undefined where they allow the change now. */
  policy: Hold | undefined
  /** Undefined where the policy allows no restart of the awake compute now. */
  rungs: AwakeRungs | undefined
  /** Undefined where no rung needs it. */
  use: AwakeUse | undefined
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
  const { compute } = seen
  // defaults are set at any time: no operation changes them, and nothing restarts
  if (!compute) return rules.siblings
  if (isBusy({ ...seen, compute })) return { because: 'project-busy', until: undefined }
  if (rules.siblings) return rules.siblings
  return change.kind === 'delay'
    ? delayHold(change, { seen: { ...seen, compute }, rules }, now)
    : restartHold(change, { seen: { ...seen, compute }, rules }, now)
}

type SeenCompute = Seen & ComparedCompute

/** Hold of a change that restarts the compute. */
function restartHold(
  { kind, when }: Change,
  { seen, rules }: Readonly<{ seen: SeenCompute; rules: Pick<ChangeRules, 'arrival' | 'rungs' | 'use'> }>,
  now: Instant,
): Hold | undefined {
  const isIdle = seen.compute.state === 'idle'
  // the next start of a suspended compute is as good as a restart
  if (kind === 'restart' && (when !== 'now' || isIdle)) return { because: 'next-start', until: undefined }
  if (when === 'now') return undefined
  if (!isIdle) return awakeHold(rules.rungs, rules.use, now)
  return rules.arrival(seen) < MAX_ARRIVAL ? undefined : { because: 'client-expected', until: undefined }
}

const isBusy = ({ compute, others, openOperations }: SeenCompute) =>
  openOperations > 0 || [compute, ...others].some(isInTransition)

function delayHold(
  { when, desired, before }: Change,
  { seen, rules: { shortenedAt } }: Readonly<{ seen: SeenCompute; rules: Pick<ChangeRules, 'shortenedAt'> }>,
  now: Instant,
): Hold | undefined {
  if (when === 'policy' && seen.compute.state === 'idle') return { because: 'asleep', until: undefined }
  if (shortenedAt === undefined || !isShorter(desired.autosuspendDelay, before.autosuspendDelay))
    return undefined
  const until = after(shortenedAt, DELAY_PACE)
  return until > now ? { because: 'delay-pace', until } : undefined
}
