// Applies a long history of operations at once, mostly at the first sight of a compute.
import type { Compute } from '../model/service/compute.ts'
import type { DayRow } from '../model/ledger/quantities.ts'
import type { Evidence } from '../model/ledger/evidence.ts'
import type { ComputeEntry } from '../model/ledger/ledger.ts'
import type { Look } from '../model/observation.ts'
import { awakeEffect, type Operation } from '../model/service/operation.ts'
import { after, earliest, instant, seconds, type Instant } from '../model/units.ts'
import { nextDayVersion, publishedDays } from './settle/days.ts'
import { splitEvidence, appendEvidence, addOperations, addSizeObservation } from './evidence/evidence.ts'
import type { AppliedFacts, ApplyContext, EntryBefore } from './apply-facts.ts'
import { applyFacts } from './apply-facts.ts'
import { provisionalOperations } from './evidence/evidence-of-facts.ts'
import type { ComputeFacts } from './facts.ts'
import { ANY_SIZE } from './settle/sizing.ts'

/** Operations applied in one step, 40: each step sorts its evidence, and each has a fixed cost. */
const OPERATIONS_PER_STEP = 40

/** Whether there are too many operations for one step. */
export const needsBackfill = (before: ComputeEntry, facts: ComputeFacts): boolean =>
  provisionalOperations(before, facts).length > OPERATIONS_PER_STEP

/** Applies the operations in steps, each settled as of its own time: months cost no more evidence than minutes. Later evidence waits. */
export function backfill(
  { before, isNew }: EntryBefore,
  facts: ComputeFacts,
  context: ApplyContext,
): AppliedFacts {
  const operations = provisionalOperations(before, facts).toSorted((a, b) => a.updatedAt - b.updatedAt)
  const parts: AppliedFacts[] = []
  const look = facts.looks.at(-1) ?? {
    compute: before.compute,
    askedAt: before.evidence.states.at(-1)?.askedAt ?? before.observedAt,
    answeredAt: before.observedAt,
  }
  let [evidence, remaining] = splitEvidence(addKnownSizes(before.evidence, operations, look), instant(0))
  let entry = before
  let first = 0
  for (; first + OPERATIONS_PER_STEP < operations.length; first += OPERATIONS_PER_STEP) {
    const batch = operations.slice(first, first + OPERATIONS_PER_STEP)
    // Instants of the interface are in whole seconds.
    const appliedAt = after(batch.at(-1)?.updatedAt ?? context.now, seconds(1))
    const past = {
      ...facts,
      looks: [],
      readings: [],
      operations: batch,
      deletion: undefined,
      listed: undefined,
    }
    const [due, later] = splitEvidence(remaining, appliedAt)
    // The operations that would explain an undated transition are read.
    const begin = { ...entry, evidence: appendEvidence(evidence, due), transitionAt: undefined }
    const part = applyFacts({ before: begin, isNew }, past, { ...context, now: appliedAt })
    parts.push(part)
    entry = part.entry
    evidence = entry.evidence
    remaining = later
  }
  const rest = { ...facts, operations: operations.slice(first) }
  // State that applyFacts compares with its new value is restored, so that the difference is counted once.
  const { totals, current, reading, transitionAt } = before
  const unapplied = { totals, current, reading, transitionAt }
  const end = { ...entry, ...unapplied, evidence: appendEvidence(evidence, remaining) }
  const last = applyFacts({ before: end, isNew }, rest, context)
  parts.push(last)
  return {
    closed: parts.flatMap(({ closed }) => closed),
    slices: parts.flatMap(({ slices }) => slices),
    rollups: parts.flatMap(({ rollups }) => rollups),
    gap: last.gap,
    gaps: parts.flatMap(({ gaps }) => gaps),
    settings: parts.flatMap(({ settings }) => settings),
    ...mergeDays(before, parts, last.entry),
  }
}

/** Changes of settings between two equal size observations that still let the size in between be inferred, 1: two may change it and change it back. */
const MAX_INFERRED_CHANGES = 1

/** Adds size observations back to the beginning, and all changes of settings. */
function addKnownSizes(
  evidence: Evidence,
  operations: readonly Operation[],
  look: Pick<Look, 'compute' | 'askedAt' | 'answeredAt'>,
): Evidence {
  const applied = operations.filter((one) => one.action === 'apply_config' && awakeEffect(one) === undefined)
  const hasSeveralChanges = applied.length > MAX_INFERRED_CHANGES
  const observed = addSizeObservation(hasSeveralChanges ? [] : evidence.sizes, look)
  const [first, ...later] = hasSeveralChanges ? [...evidence.sizes, ...observed] : observed
  if (!first) return evidence
  const change = applied.findLast(({ updatedAt }) => updatedAt <= first.firstSeenAt)
  const since = after(change?.updatedAt ?? operations[0]?.createdAt ?? first.firstSeenAt, seconds(1))
  return {
    ...addOperations(evidence, applied),
    sizes: [{ ...first, firstSeenAt: earliest(first.firstSeenAt, since) }, ...later],
  }
}

/** Publishes a day once that several steps restated. */
function mergeDays(before: ComputeEntry, parts: readonly AppliedFacts[], entry: ComputeEntry) {
  const publishedBefore = publishedDays(before.days)
  const days = new Map<string, DayRow>()
  for (const day of parts.flatMap((part) => part.days))
    days.set(day.date, nextDayVersion(day, publishedBefore.get(day.date), entry.appliedAt))
  const open = entry.days.map((day) => ({
    ...day,
    lastRestated: days.get(day.settled.date) ?? day.lastRestated,
  }))
  return {
    entry: { ...entry, days: open },
    days: [...days.values()].filter((day) => day !== publishedBefore.get(day.date)),
  }
}

/** Placeholder for the last look at a compute that only operations report. It was deleted after the last operation; its size is unknown. */
export function placeholderLookOfDeleted(
  { ref: { projectId, endpointId }, operations }: ComputeFacts,
  deletedAt: Instant,
): Look {
  const createdAt = operations.map((one) => one.createdAt).reduce((a, b) => earliest(a, b))
  const compute: Compute = {
    endpointId,
    projectId,
    branchId: operations.findLast(({ branchId }) => branchId)?.branchId ?? '',
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
    updatedAt: deletedAt,
  }
  return { compute, askedAt: deletedAt, answeredAt: deletedAt, askedOn: seconds(0) }
}
