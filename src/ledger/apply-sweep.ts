// Applies a sweep to the ledger, in three ordinary functions: `prepareSweep`, `applyChunk` for each chunk of facts, `finishSweep`.
//
// 1. The writes of every chunk are true by themselves: a caller may commit some and lose the rest. Applying a sweep again changes no total.
// 2. Projects come last, because an entry of a project says that its computes were looked at.
// 3. All three take the ledger before the sweep. Each compute is in one chunk only.
import { internEntry } from '../model/ledger/interning.ts'
import type { ComputeEntry, Ledger } from '../model/ledger/ledger.ts'
import type { ProjectEntry, RetiredTotals } from '../model/ledger/project-entry.ts'
import type { Utilisation } from '../model/ledger/metering.ts'
import type { AwakeSlice } from '../model/ledger/quantities.ts'
import type { Look, Sweep } from '../model/observation.ts'
import type { Event } from '../model/output/event-kinds.ts'
import { eventWrites, type Write } from '../model/ports/store.ts'
import { computeKey, shortestDelay, type ComputeRef } from '../model/service/compute.ts'
import type { AppliedFacts, ApplyContext, EntryBefore, LedgerContext } from './apply-facts.ts'
import { applyFacts, newComputeEntry } from './apply-facts.ts'
import { applyProjects } from './apply-projects.ts'
import { backfill, needsBackfill, placeholderLookOfDeleted } from './backfill.ts'
import { eventsBetween, reconciliationEvents } from './events.ts'
import { groupFactsByCompute, type ComputeFacts } from './facts.ts'
import { accountUtilisation, sizesFromMetering, type MeteredProject } from './metering/sizes-from-metering.ts'
import { addReadingCounts } from './readings/reading-state.ts'
import { addRetired, projectsToArchive, retireCompute, trimRetiredIds, wasRetired } from './retention.ts'

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
  /** For the next chunk: holds the totals of computes that this chunk retired. */
  prepared: PreparedSweep
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
    facts: [...groupFactsByCompute(ledger, sweep, context.now).values()],
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
  const retired = new Map<string, ProjectEntry>()
  for (const one of facts) {
    const before = ledger.computes.get(computeKey(one.ref))
    const project = retired.get(one.ref.projectId) ?? projectOf(ledger, prepared, one.ref)
    const result = applyToEntry(before, one, {
      ...context,
      retired: project?.retired,
      metered: sizesFromMetering(withOnlySizing(project, one, before), prepared.utilisation),
      delayOf: (compute) => shortestDelay(compute, project?.project),
    })
    if (!result) continue
    events.push(...eventsBetween(before, result.entry, context.now))
    const retiredEntry = retireCompute(result.entry, context.now)
    if (retiredEntry && project) retired.set(one.ref.projectId, addRetired(project, retiredEntry))
    applied.push(retiredEntry && project ? { ...result, entry: retiredEntry } : result)
  }
  return {
    writes: [...writesOf(ledger, applied, retired), ...eventWrites(events)],
    slices: applied.flatMap(({ slices }) => slices),
    gaps: new Map(
      applied.flatMap(({ entry: { ref }, gap }) => (gap === undefined ? [] : [[computeKey(ref), gap]])),
    ),
    prepared:
      retired.size === 0 ? prepared : { ...prepared, projects: new Map([...prepared.projects, ...retired]) },
  }
}

/** Writes of the changed projects, of the archived ones, and of the reading counts, each list to be committed by itself. */
export function finishSweep(
  ledger: Ledger,
  sweep: Sweep,
  { prepared, context }: { readonly prepared: PreparedSweep; readonly context: LedgerContext },
): readonly (readonly Write[])[] {
  const about = { account: ledger.account, at: context.now }
  const changed = [...prepared.projects.values()].map(trimRetiredIds)
  const archived = projectsToArchive(ledger, { changed: prepared.projects, list: sweep.list }, context.now)
  const events = (entries: readonly ProjectEntry[]): readonly Event[] =>
    entries.flatMap((entry) =>
      reconciliationEvents(ledger.projects.get(entry.project.projectId), entry, about),
    )
  return [
    ...slicesOf(changed, PROJECTS_PER_COMMIT).map((entries) => [
      ...projectWrites(entries),
      ...eventWrites(events(entries)),
    ]),
    ...slicesOf(archived, PROJECTS_PER_COMMIT).map(projectWrites),
    ...(sweep.readings.length + sweep.refusals.length > 0
      ? [[{ kind: 'reading-counts', counts: addReadingCounts(ledger.readings, sweep) } as const]]
      : []),
  ]
}

const projectWrites = (entries: readonly ProjectEntry[]): readonly Write[] =>
  entries.map((entry) => ({ kind: 'project', entry }))

const slicesOf = <Item>(items: readonly Item[], length: number): readonly (readonly Item[])[] =>
  Array.from({ length: Math.ceil(items.length / length) }, (_, index) =>
    items.slice(index * length, (index + 1) * length),
  )

type EntryContext = ApplyContext & { readonly retired: RetiredTotals | undefined }

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
  if (!facts.deletion) return undefined
  const lastLook = placeholderLookOfDeleted(facts, facts.deletion.from)
  return wasRetired(context.retired, lastLook.compute) ? undefined : applyToNewEntry(lastLook, facts, context)
}

function applyToNewEntry(look: Look, facts: ComputeFacts, context: EntryContext): AppliedFacts {
  const before = newComputeEntry(facts.ref, look, wasRetired(context.retired, look.compute))
  return applyOrBackfill({ before, isNew: true }, facts, context)
}

const applyOrBackfill = (entry: EntryBefore, facts: ComputeFacts, context: ApplyContext): AppliedFacts =>
  needsBackfill(entry.before, facts) ? backfill(entry, facts, context) : applyFacts(entry, facts, context)

/**
 * The totals of a retired compute go to its project in the same commit, so that both are stored or neither. The project keeps its listing
 * from before the sweep: others of its computes may be in a chunk that is never stored.
 */
const writesOf = (
  ledger: Ledger,
  applied: readonly AppliedFacts[],
  retired: ReadonlyMap<string, ProjectEntry>,
): readonly Write[] => [
  ...projectWrites(
    [...retired].map(([projectId, entry]) => ({ ...entry, listed: ledger.projects.get(projectId)?.listed })),
  ),
  ...applied.flatMap(({ entry, closed, rollups, days }): readonly Write[] => [
    { kind: 'compute', entry: entry.isRetired ? entry : internEntry(entry) },
    ...closed.map((interval) => ({ kind: 'interval', interval }) as const),
    ...rollups.map((rollup) => ({ kind: 'rollup', rollup }) as const),
    ...days.map((day) => ({ kind: 'day', day }) as const),
  ]),
]

const projectOf = (ledger: Ledger, { projects }: PreparedSweep, { projectId }: ComputeRef) =>
  projects.get(projectId) ?? ledger.projects.get(projectId)

/** All projects, the changed ones as they are after the sweep. */
const meteredProjects = (ledger: Ledger, changed: ReadonlyMap<string, ProjectEntry>) =>
  [...ledger.projects].map(([projectId, entry]) => {
    const { project, metering, listed } = changed.get(projectId) ?? entry
    const [endpointId, another] = listed?.endpointIds ?? []
    const isAlone = endpointId !== undefined && another === undefined && project.activeSeconds !== undefined
    const key = isAlone ? computeKey({ account: ledger.account, projectId, endpointId }) : ''
    return { project, metering, sizing: ledger.computes.get(key)?.compute.sizing }
  })
