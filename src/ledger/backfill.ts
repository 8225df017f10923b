// The account of a compute of which the operations tell a long history at once: mostly when it is seen for the first time.
import type { Compute } from '../model/service/compute.ts'
import type { DayRow } from '../model/ledger/day.ts'
import type { Evidence } from '../model/ledger/evidence.ts'
import type { ComputeEntry } from '../model/ledger/ledger.ts'
import type { Look } from '../model/observation.ts'
import { awakeEffect, type Operation } from '../model/service/operation.ts'
import { after, earliest, instant, seconds, type Instant } from '../model/units.ts'
import { nextDayVersion } from './settle/days.ts'
import { splitEvidence, appendEvidence, addOperations, addSizeObservation } from './evidence/evidence.ts'
import { applyFacts, unsettledOperations, type AppliedFacts } from './apply-facts.ts'
import type { ApplyContext, EntryBefore } from './context.ts'
import type { ComputeFacts } from './facts.ts'
import { ANY_SIZE } from './settle/sizing.ts'

/** Operations folded at once. Doubled, a fold sorts four times as much; halved, there are twice as many. */
const STEP = 40

/** Whether there is so much to fold that it has to be folded as it went, in order of time. */
export const needsBackfill = (before: ComputeEntry, facts: ComputeFacts): boolean =>
  unsettledOperations(before, facts).length > STEP

/**
 * Folds the operations in order of time, as of when each was done, so that what was long over then is settled before the next
 * come: months cost no more evidence than minutes. What the account knows of later times waits until then.
 */
export function backfill(
  { before, isNew }: EntryBefore,
  facts: ComputeFacts,
  context: ApplyContext,
): AppliedFacts {
  const operations = unsettledOperations(before, facts).toSorted((a, b) => a.updatedAt - b.updatedAt)
  const parts: AppliedFacts[] = []
  const seen = facts.looks.at(-1) ?? {
    compute: before.compute,
    askedAt: before.evidence.states.at(-1)?.askedAt ?? before.observedAt,
    answeredAt: before.observedAt,
  }
  let [evidence, waiting] = splitEvidence(withSizes(before.evidence, operations, seen), instant(0))
  let account = before
  let first = 0
  for (; first + STEP < operations.length; first += STEP) {
    const some = operations.slice(first, first + STEP)
    // A second later: instants are written in whole ones.
    const then = after(some.at(-1)?.updatedAt ?? context.now, seconds(1))
    const past = { ...facts, looks: [], readings: [], operations: some, deletion: undefined }
    const [known, later] = splitEvidence(waiting, then)
    // What was awaited of the operations is there.
    const begin = { ...account, evidence: appendEvidence(evidence, known), transitionAt: undefined }
    const part = applyFacts({ before: begin, isNew }, past, { ...context, now: then })
    parts.push(part)
    account = part.account
    evidence = account.evidence
    waiting = later
  }
  const rest = { ...facts, operations: operations.slice(first) }
  const end = { ...account, ...unstepped(before), evidence: appendEvidence(evidence, waiting) }
  const last = applyFacts({ before: end, isNew }, rest, context)
  parts.push(last)
  return { ...together(parts), ...daysOnce(before, { parts, account: last.account, now: context.now }) }
}

/** What comes of the difference between two folds is worked out once: to what it was before all steps. */
const unstepped = ({
  totals,
  current,
  reading,
  transitionAt,
}: ComputeEntry): Pick<ComputeEntry, 'totals' | 'current' | 'reading' | 'transitionAt'> => ({
  totals,
  current,
  reading,
  transitionAt,
})

/** Of one that is known: a size seen before and after is that between, unless it was changed and changed back. */
const MOST_CHANGES = 1

/** With what is known of its sizes from the beginning, and with the changes of settings that are to come. */
function withSizes(
  evidence: Evidence,
  operations: readonly Operation[],
  look: Pick<Look, 'compute' | 'askedAt' | 'answeredAt'>,
): Evidence {
  const applied = operations.filter((one) => one.action === 'apply_config' && awakeEffect(one) === undefined)
  const hasChanges = applied.length > MOST_CHANGES
  const seen = addSizeObservation(hasChanges ? [] : evidence.sizes, look)
  const [first, ...later] = hasChanges ? [...evidence.sizes, ...seen] : seen
  if (!first) return evidence
  const change = applied.findLast(({ updatedAt }) => updatedAt <= first.firstSeenAt)
  const since = after(change?.updatedAt ?? operations[0]?.createdAt ?? first.firstSeenAt, seconds(1))
  return {
    ...addOperations(evidence, applied),
    sizes: [{ ...first, firstSeenAt: earliest(first.firstSeenAt, since) }, ...later],
  }
}

const together = (parts: readonly AppliedFacts[]): Pick<AppliedFacts, 'closed' | 'slices' | 'rollups'> => ({
  closed: parts.flatMap(({ closed }) => closed),
  slices: parts.flatMap(({ slices }) => slices),
  rollups: parts.flatMap(({ rollups }) => rollups),
})

/** A day that several steps restated is told once. */
function daysOnce(
  before: ComputeEntry,
  {
    parts,
    account,
    now,
  }: { readonly parts: readonly AppliedFacts[]; readonly account: ComputeEntry; readonly now: Instant },
): Pick<AppliedFacts, 'account' | 'days'> {
  const toldBefore = new Map(before.days.map(({ settled, lastRestated }) => [settled.date, lastRestated]))
  const days = new Map<string, DayRow>()
  for (const day of parts.flatMap((part) => part.days)) days.set(day.date, day)
  for (const [date, day] of days) days.set(date, nextDayVersion(day, toldBefore.get(date), now))
  return {
    account: {
      ...account,
      days: account.days.map((day) => ({
        ...day,
        lastRestated: days.get(day.settled.date) ?? day.lastRestated,
      })),
    },
    days: [...days.values()].filter((day) => day !== toldBefore.get(day.date)),
  }
}

/**
 * The last that was to be seen of a compute that only operations tell of: it was deleted after the last of them. Nobody knows
 * what size it had.
 */
export function placeholderLookOfDeleted(
  { ref: { projectId, endpointId }, operations }: ComputeFacts,
  goneAt: Instant,
): Look {
  const createdAt = operations.map((one) => one.createdAt).reduce((a, b) => earliest(a, b))
  const compute: Compute = {
    endpointId,
    projectId,
    branchId: '',
    name: undefined,
    regionId: '',
    host: '',
    type: 'read_write',
    state: 'idle',
    pendingState: undefined,
    sizing: { min: ANY_SIZE.min, max: ANY_SIZE.max },
    autosuspendDelay: undefined,
    poolerEnabled: false,
    disabled: false,
    lastActive: undefined,
    startedAt: undefined,
    suspendedAt: undefined,
    createdAt,
    updatedAt: goneAt,
  }
  return { compute, askedAt: goneAt, answeredAt: goneAt, askedOn: seconds(0) }
}
