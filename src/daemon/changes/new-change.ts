// A change before it is stored.
import { planRevert, type ChangePlan } from '../../apply/plan.ts'
import type { Change, ChangeState } from '../../model/policy/change.ts'
import type { Random } from '../../model/ports/clock.ts'
import { after, seconds, type Instant } from '../../model/units.ts'
import { digest } from '../advice/evaluate.ts'

/** How long a change waits unless it is said. Source: changing.md, §3. */
export const DEFAULT_WAIT = seconds(14 * 86_400)

/** Hexadecimal digits of an id: enough for those that a person reads aloud, and the journal refuses a second one. */
const ID_LENGTH = 8

type NewChangeContext = Readonly<{ random: Random; now: Instant; until: Instant | undefined }>

export const newChange = (
  { ref, kind, desired, before, hadDefaultDelay, when, planHash }: ChangePlan,
  { random, now, until }: NewChangeContext,
) => ({
  id: shortId('ch', random),
  version: 1,
  ref,
  kind,
  desired,
  before,
  ...(hadDefaultDelay && { hadDefaultDelay }),
  when,
  planHash,
  promised: undefined,
  createdAt: now,
  deadline: until ?? after(now, DEFAULT_WAIT),
})

/** `ch-1a2b3c4d`. */
export const shortId = (prefix: string, random: Random): string =>
  `${prefix}-${random.uuid().replaceAll('-', '').slice(0, ID_LENGTH)}`

export const scheduledAt = (now: Instant, approvedBy: string | undefined): ChangeState => ({
  at: 'scheduled',
  approvedBy,
  notBefore: now,
  attempts: 0,
})

type RevertContext = Omit<NewChangeContext, 'until'> &
  Readonly<{
    because: string
    /** At once, whoever is connected. */
    isUrgent: boolean
    /** Whether a person is asked first. */
    isProposed: boolean
  }>

/** The change that takes another one back, at a moment that suits its policy. */
export const newRevert = (
  change: Change,
  { because, isUrgent, isProposed, random, now }: RevertContext,
): Change => ({
  ...newChange(planRevert(change, isUrgent ? 'now' : 'policy', digest), { random, now, until: undefined }),
  origin: { by: 'revert', of: change.id, name: change.origin.name },
  reason: `takes back ${change.id}: ${because}`,
  state: isProposed ? { at: 'proposed' } : scheduledAt(now, undefined),
})

/** Whether the change was made of the recommendation. */
export const isFrom = (origin: Change['origin'], id: string): boolean => 'id' in origin && origin.id === id
