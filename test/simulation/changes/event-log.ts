// What happened in one seed: a line for each event, their digest, counts, and the first violated invariant.
import { createHash } from 'node:crypto'

export const COUNTED = [
  'changes_sent',
  'changes_done',
  'uncertain_answers',
  'crashes_inside_change',
  'foreign_changes_during_change',
  'windows_closed_while_waiting',
  'quiet_restarts',
  'reverts',
  'budget_rungs',
  'holds',
] as const
export type Counted = (typeof COUNTED)[number]

export type Invariant =
  | 'observing wakes no compute'
  | 'a change takes effect at most once'
  | 'restarts keep to window, idle and deny'
  | 'nothing is sent while the kill switch or a brake is engaged'
  | 'nothing is sent for a compute while a hold or a freeze stands over it'
  | 'a value of a person stays'
  | 'the bounds of the ledger contain the truth'
  | 'every change ends in a named state'
  | 'nothing acknowledged is lost'
  | 'a revert is never reverted'
  | 'each rung of a budget fires once per period'
  | 'memory is bounded'
  | 'the daemon goes on'

export type Violation = Readonly<{
  invariant: Invariant
  /** ms. */
  at: number
  detail: string
  /** Lines of the newest events before it, oldest first. */
  last: readonly string[]
}>

/** Events that a failing seed prints. */
const SHOWN = 30

export type EventLog = ReturnType<typeof createEventLog>

export function createEventLog(now: () => number) {
  const hash = createHash('sha256')
  const last: string[] = []
  const counts = new Map<Counted, number>()
  const { promise: violated, resolve } = Promise.withResolvers<void>()
  let violation: Violation | undefined
  const note = (event: string, fields: object = {}): void => {
    const line = `${new Date(now()).toISOString()} ${event} ${JSON.stringify(fields)}`
    hash.update(line).update('\n')
    last.push(line)
    if (last.length > SHOWN) last.shift()
  }
  return {
    note,
    count: (name: Counted, by = 1): void => void counts.set(name, (counts.get(name) ?? 0) + by),
    counts: (): Readonly<Record<Counted, number>> =>
      Object.fromEntries(COUNTED.map((name) => [name, counts.get(name) ?? 0])) as Record<Counted, number>,
    /** The first one ends the seed. */
    violate: (invariant: Invariant, detail: object): void => {
      if (violation) return
      note('violation', { invariant, ...detail })
      violation = { invariant, at: now(), detail: JSON.stringify(detail), last: [...last] }
      resolve()
    },
    violation: (): Violation | undefined => violation,
    /** Resolves with the first violation. */
    violated,
    /** Of all lines; to be called once. */
    digest: (): string => hash.digest('hex'),
  }
}
