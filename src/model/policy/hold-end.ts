// When a hold of a change ends, beside the deadline of the change.
import type { Instant } from '../units.ts'
import type { Hold, HoldReason } from './hold.ts'

/** A hold, also as an answer of the API has it. */
type EndingHold = Readonly<{ because: string; until: Hold['until'] }>

/** Ends when a person does something. */
const ENDED_BY_PERSON: ReadonlySet<string> = new Set<HoldReason>([
  'approval',
  'kill-switch',
  'mode',
  'brake',
  'key-refused',
])

/** Lasts until a time that a person or the configuration set: no change goes before it. */
const TIMED: ReadonlySet<string> = new Set<HoldReason>(['freeze', 'hold', 'denied-window', 'outside-window'])

export const isEndedByPerson = ({ because }: EndingHold): boolean => ENDED_BY_PERSON.has(because)

export const isTimed = ({ because }: EndingHold): boolean => TIMED.has(because)

/** Whether it is known to hold the change until its deadline or longer. */
export const outlasts = (hold: EndingHold, deadline: Instant): boolean =>
  isTimed(hold) && hold.until !== undefined && hold.until >= deadline

/** Whether no window of the policy is known to open again. */
export const hasNoOpening = ({ because, until }: EndingHold): boolean =>
  because === ('outside-window' satisfies HoldReason) && until === undefined

/** Whether its windows show that it goes on: none of the policy opens again, or a freeze is always open. */
export const isEndless = (hold: EndingHold): boolean =>
  hasNoOpening(hold) || (hold.because === ('freeze' satisfies HoldReason) && hold.until === undefined)
