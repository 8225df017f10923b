// Applies a sweep to the ledger, in three ordinary functions: `prepareSweep`, `applyChunk` for each chunk of facts, `finishSweep`.
//
// 1. The writes of every chunk are true by themselves: a caller may commit some and lose the rest. Applying a sweep again changes no total.
// 2. Projects come last, because an entry of a project says that its computes were looked at.
// 3. All three take the ledger before the sweep. Each compute is in one chunk only.
import { internEntry } from '../model/ledger/interning.ts'
import type { ComputeEntry, Ledger } from '../model/ledger/ledger.ts'
import type { ProjectEntry } from '../model/ledger/project-entry.ts'
import type { Utilisation } from '../model/ledger/metering.ts'
import type { AwakeSlice } from '../model/ledger/quantities.ts'
import type { Look, Sweep } from '../model/observation.ts'
import type { Event } from '../model/output/event-kinds.ts'
import { eventWrites, type Write } from '../model/ports/store.ts'
import { computeKey, knownDelay, shortestDelay, type ComputeRef } from '../model/service/compute.ts'
import type { AppliedFacts, ApplyContext, EntryBefore, LedgerContext } from './apply-facts.ts'
import { applyFacts, newComputeEntry } from './apply-facts.ts'
import { applyProjects } from './apply-projects.ts'
import { backfill, needsBackfill, placeholderLookOfDeleted } from './backfill.ts'
import { deletedComputeOf } from './deleted-computes.ts'
import { eventsBetween, reconciliationEvents } from './events.ts'
import { pastDelaysOf } from './evidence/past-delay.ts'
import { groupFactsByCompute, type ComputeFacts } from './facts.ts'
import { accountUtilisation, sizesFromMetering, type MeteredProject } from './metering/sizes-from-metering.ts'
import type { Instant } from '../model/units.ts'
import { addReadingCounts } from './readings/reading-state.ts'

/** Computes of one chunk: a commit of 50 takes about 2 ms of the event loop. */
const COMPUTES_PER_CHUNK = 50
/** Operations of one chunk: a first sight may bring months of operations of one compute. */
const OPERATIONS_PER_CHUNK = 1000
/** Projects of one commit. */
const PROJECTS_PER_COMMIT = 500

/** What a chunk changes. */
export type AppliedChunk = Readonly<{
  writes: readonly Write[]
  /** Slices that this chunk settled, for budgets: each slice of awake time is settled once. */
  slices: readonly AwakeSlice[]
  /** Compute key → `gapBucket` of the gap between client activities that ended, for statistics. */
  gaps: ReadonlyMap<string, number>
}>

export type PreparedSweep = Readonly<{
  facts: readonly ComputeFacts[]
  /** Project id → entry, of the projects that the sweep changed. */
  projects: ReadonlyMap<string, ProjectEntry>
  /** Utilisation of the ranges of the whole account. */
  utilisation: Utilisation
}>

export function prepareSweep(ledger: Ledger, sweep: Sweep, context: LedgerContext): PreparedSweep {
  const projects = applyProjects(ledger, sweep, context.prices)
  return {
    projects,
    utilisation: accountUtilisation(meteredProjects(ledger, projects)),
    facts: [...groupFactsByCompute(ledger, sweep, { projects, now: context.now }).values()],
  }
}

/** `facts` in chunks, each short enough for one turn of the event loop. */
export function chunksOf(facts: readonly ComputeFacts[]): readonly (readonly ComputeFacts[])[] {
  const chunks: ComputeFacts[][] = []
  let operations = 0
  for (const one of facts) {
    const last = chunks.at(-1)
    operations += one.operations.length
    if (last && last.length < COMPUTES_PER_CHUNK && operations <= OPERATIONS_PER_CHUNK) last.push(one)
    else {
      chunks.push([one])
      operations = one.operations.length
    }
  }
  return chunks
}

/** Applies `facts` to their entries. */
export function applyChunk(
  ledger: Ledger,
  facts: readonly ComputeFacts[],
  { prepared, context }: { readonly prepared: PreparedSweep; readonly context: LedgerContext },
): AppliedChunk {
  const applied: AppliedFacts[] = []
  const events: Event[] = []
  for (const one of facts) {
    const before = ledger.computes.get(computeKey(one.ref))
    const project = projectOf(ledger, prepared, one.ref)
    const result = applyToEntry(before, one, {
      ...context,
      isAlreadyCounted: ledger.deleted.has(computeKey(one.ref)),
      metered: sizesFromMetering(withOnlySizing(project, one, before), prepared.utilisation),
      delayOf: (compute) => shortestDelay(compute, project?.project),
      knownDelayOf: (compute) => knownDelay(compute, project?.project),
    })
    if (!result) continue
    events.push(...eventsBetween(before, result.entry, context.now))
    applied.push(result)
  }
  return {
    writes: [...writesOf(ledger, applied, context.now), ...eventWrites(events)],
    slices: applied.flatMap(({ slices }) => slices),
    gaps: new Map(
      applied.flatMap(({ entry: { ref }, gap }) => (gap === undefined ? [] : [[computeKey(ref), gap]])),
    ),
  }
}

/** Writes of the changed projects and of the reading counts, each list to be committed by itself. */
export function finishSweep(
  ledger: Ledger,
  sweep: Sweep,
  { prepared, context }: { readonly prepared: PreparedSweep; readonly context: LedgerContext },
): readonly (readonly Write[])[] {
  const about = { account: ledger.account, at: context.now }
  const events = (entries: readonly ProjectEntry[]): readonly Event[] =>
    entries.flatMap((entry) =>
      reconciliationEvents(ledger.projects.get(entry.project.projectId), entry, about),
    )
  return [
    ...slicesOf([...prepared.projects.values()], PROJECTS_PER_COMMIT).map((entries) => [
      ...entries.map((entry) => ({ kind: 'project', entry }) as const),
      ...eventWrites(events(entries)),
    ]),
    ...(sweep.readings.length + sweep.refusals.length > 0
      ? [[{ kind: 'reading-counts', counts: addReadingCounts(ledger.readings, sweep) } as const]]
      : []),
  ]
}

const slicesOf = <Item>(items: readonly Item[], length: number): readonly (readonly Item[])[] =>
  Array.from({ length: Math.ceil(items.length / length) }, (_, index) =>
    items.slice(index * length, (index + 1) * length),
  )

type EntryContext = ApplyContext & { readonly isAlreadyCounted: boolean }

/** The project, with the sizing of the compute where it has no other compute. */
function withOnlySizing(
  project: ProjectEntry | undefined,
  { looks }: ComputeFacts,
  before: ComputeEntry | undefined,
): MeteredProject | undefined {
  const isOnly = project?.listed?.endpointIds.length === 1
  return project && { ...project, sizing: isOnly ? (looks.at(-1) ?? before)?.compute.sizing : undefined }
}

/** Undefined where operations alone tell of a compute that still exists: an entry needs a look or a deletion. */
function applyToEntry(before: ComputeEntry | undefined, facts: ComputeFacts, context: EntryContext) {
  if (before) return applyOrBackfill({ before, isNew: false }, facts, context)
  const look = facts.looks.at(-1)
  if (look) return applyToNewEntry(look, facts, context)
  // Operations also report computes that were created and deleted between two looks.
  if (!facts.deletion || context.isAlreadyCounted) return undefined
  return applyToNewEntry(placeholderLookOfDeleted(facts, facts.deletion.from), facts, context)
}

function applyToNewEntry(look: Look, facts: ComputeFacts, context: EntryContext): AppliedFacts {
  const before = newComputeEntry(facts.ref, look, context.isAlreadyCounted)
  return applyOrBackfill({ before, isNew: true }, facts, context)
}

function applyOrBackfill(entry: EntryBefore, facts: ComputeFacts, given: ApplyContext): AppliedFacts {
  const delay = given.delayOf(facts.looks.at(-1)?.compute ?? entry.before.compute)
  const context = { ...given, pastDelays: pastDelaysOf(facts.operations, delay) }
  return needsBackfill(entry.before, facts)
    ? backfill(entry, facts, context)
    : applyFacts(entry, facts, context)
}

const writesOf = (ledger: Ledger, applied: readonly AppliedFacts[], now: Instant): readonly Write[] =>
  applied.flatMap(({ entry, closed, rollups, days, gaps, settings }): readonly Write[] => {
    const deleted = deletedComputeOf(entry, ledger.deleted.get(computeKey(entry.ref)), now)
    return [
      { kind: 'compute', entry: internEntry(entry) },
      ...closed.map((interval) => ({ kind: 'interval', interval }) as const),
      ...rollups.map((rollup) => ({ kind: 'rollup', rollup }) as const),
      ...days.map((day) => ({ kind: 'day', day }) as const),
      ...gaps.map((gap) => ({ kind: 'gap', gap }) as const),
      ...settings.map((setting) => ({ kind: 'setting', setting }) as const),
      ...(deleted ? [{ kind: 'deleted-compute', compute: deleted } as const] : []),
    ]
  })

const projectOf = (ledger: Ledger, { projects }: PreparedSweep, { projectId }: ComputeRef) =>
  projects.get(projectId) ?? ledger.projects.get(projectId)

/** All projects, the changed ones as they are after the sweep. */
export const meteredProjects = (ledger: Ledger, changed: ReadonlyMap<string, ProjectEntry>) =>
  [...ledger.projects].map(([projectId, entry]) => {
    const { project, metering, listed } = changed.get(projectId) ?? entry
    const [endpointId, another] = listed?.endpointIds ?? []
    const isAlone = endpointId !== undefined && another === undefined && project.activeSeconds !== undefined
    const key = isAlone ? computeKey({ account: ledger.account, projectId, endpointId }) : ''
    return { project, metering, sizing: ledger.computes.get(key)?.compute.sizing }
  })
