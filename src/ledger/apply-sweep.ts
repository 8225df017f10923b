// Folds a sweep into the ledger, in parts: each small enough not to hold up the event loop, each true by itself.
import { createUtc, type Zone } from '../calendar/zone.ts'
import { addArchived } from '../model/ledger/archived.ts'
import { internEntry } from '../model/ledger/interning.ts'
import { computeKey, effectiveDelay, type ComputeRef, type Sizing } from '../model/service/compute.ts'
import type { Utilisation } from '../model/ledger/metering.ts'
import type { DayRow } from '../model/ledger/day.ts'
import type { Event } from '../model/output/event.ts'
import type {
  ComputeEntry,
  RetiredTotals,
  Ledger,
  ProjectEntry,
  SettledInterval,
} from '../model/ledger/ledger.ts'
import type { Look, Sweep } from '../model/observation.ts'
import { asOrderedMap } from '../std/ordered-map.ts'
import type { Batch } from '../model/ports/store.ts'
import type { Prices } from '../model/ledger/price.ts'
import type { Rollup } from '../model/ledger/rollup.ts'
import type { Preset } from '../model/service/sizes.ts'
import type { AwakeSlice } from '../model/ledger/slice.ts'
import type { Cooperative } from '../std/cooperative.ts'
import type { Instant } from '../model/units.ts'
import { projectsToArchive } from './retention/archive-projects.ts'
import { sizesFromMetering, accountUtilisation, type MeteredProject } from './metering/sizes-from-metering.ts'
import { retireCompute, trimRetiredIds, wasRetired, addRetired } from './retention/retired-computes.ts'
import { reconciliationEvents, eventsBetween } from './events.ts'
import { groupFactsByCompute } from './facts.ts'
import {
  applyFacts,
  newComputeEntry,
  type EntryBefore,
  type ComputeFacts,
  type AppliedFacts,
  type ApplyContext,
} from './apply-facts.ts'
import { placeholderLookOfDeleted, backfill, needsBackfill } from './backfill.ts'
import { applyProjects } from './apply-projects.ts'
import { addReadingCounts } from './readings/reading-counts.ts'

/** Computes folded in one part. Doubled, the store is written to half as often, and for twice as long. */
const COMPUTES = 50
/** Facts folded in one turn. Doubled, the event loop is held up twice as long, most of all while everything is new. */
const TURN = 5
/** Projects written in one part. */
const PROJECTS = 500

export type LedgerContext = {
  readonly prices: Prices
  readonly preset: Preset
  /** The share of awake time that readings may add. */
  readonly overhead: number
  readonly now: Instant
  /** The days of the account's zone; UTC when nothing is said. */
  readonly dayOf?: Zone['dayOf']
}

/** A part of what a sweep changes: the new state of some accounts, and what happened to them. */
export type LedgerBatch = Batch & {
  readonly slices: {
    /** What became final in this part: each stretch of awake time is among them once, in whichever part. */
    readonly settled: readonly AwakeSlice[]
    /** What is not final of the computes of this part; that of the others stands in their accounts, as `unsettled`. */
    readonly provisional: readonly AwakeSlice[]
  }
}

/**
 * What `sweep` changes in `ledger`. Folding a sweep a second time changes no total, so that parts that were kept may be
 * folded again when the rest was lost. A project is marked as looked at after its computes, for the same reason. A part
 * without anything only gives up a turn.
 */
export function* applySweep(ledger: Ledger, sweep: Sweep, context: LedgerContext): Generator<LedgerBatch> {
  const nothing: LedgerBatch = { ...EMPTY_BATCH, account: ledger.account }
  const projects = yield* withoutParts(applyProjects(ledger, sweep, context.prices), nothing)
  const habit = yield* withoutParts(accountUtilisation(newest(ledger, projects)), nothing)
  const facts = yield* withoutParts(groupFactsByCompute(ledger, sweep, context.now), nothing)
  const here = { ...context, dayOf: context.dayOf ?? createUtc().dayOf }
  let open = openPart()
  let folded = 0
  for (const one of facts.values()) {
    yield* withoutParts(foldInto(open, one, { known: { ledger, projects, habit }, context: here }), nothing)
    folded += 1
    if (open.computes.length >= COMPUTES) {
      yield { ...nothing, ...open }
      open = openPart()
    } else if (folded % TURN === 0) yield nothing
  }
  if (open.computes.length > 0) yield { ...nothing, ...open }
  const changed = [...projects.values()].map(trimRetiredIds)
  for (let first = 0; first < changed.length; first += PROJECTS) {
    const some = changed.slice(first, first + PROJECTS)
    const about = { account: ledger.account, at: context.now }
    const events = some.flatMap((one) =>
      reconciliationEvents(ledger.projects.get(one.project.projectId), one, about),
    )
    yield { ...nothing, projects: some, events }
  }
  const gone = yield* withoutParts(
    projectsToArchive(ledger, { changed: projects, list: sweep.list }, context.now),
    nothing,
  )
  for (let first = 0; first < gone.length; first += PROJECTS)
    yield { ...nothing, projects: gone.slice(first, first + PROJECTS) }
  if (sweep.readings.length + sweep.refusals.length > 0)
    yield { ...nothing, readings: addReadingCounts(ledger.readings, sweep) }
}

/** Steps that make no part: each gives up a turn. */
function* withoutParts<Result>(
  steps: Cooperative<Result>,
  nothing: LedgerBatch,
): Generator<LedgerBatch, Result> {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    yield nothing
  }
}

/** Whether there is anything in it to be kept. */
export const isEmptyBatch = ({ computes, projects, readings }: LedgerBatch): boolean =>
  computes.length + projects.length === 0 && readings === undefined

/** A batch that changes nothing, but for its account. */
export const EMPTY_BATCH = {
  readings: undefined,
  projects: [],
  computes: [],
  settled: [],
  rollups: [],
  events: [],
  days: [],
  budgets: {},
  counters: undefined,
  reports: [],
  deliveries: [],
  memories: {},
  slices: { settled: [], provisional: [] },
}

/** Adds what `facts` change to `part`. A compute that was never looked at has no account: operations alone do not make one. */
function* foldInto(
  part: OpenPart,
  facts: ComputeFacts,
  { known, context }: { readonly known: Growing; readonly context: LedgerContext },
): Cooperative<void> {
  const before = known.ledger.computes.get(computeKey(facts.ref))
  const project = projectOf(known, facts.ref)
  const folded = yield* foldSteps(before, facts, {
    ...context,
    departed: project?.retired,
    counted: sizesFromMetering(
      project && { ...project, sizing: onlySizing(project, facts, before) },
      known.habit,
    ),
    delayOf: (compute) => effectiveDelay(compute, project?.project),
  })
  if (!folded) return
  addTo(part, folded, eventsBetween(before, folded.account, context.now))
  const departed = retireCompute(folded.account, context.now)
  if (departed) depart(known, part, departed)
}

/** Of the compute that `facts` are of, where its project has no other. */
const onlySizing = (
  { listed }: ProjectEntry,
  { looks }: ComputeFacts,
  before: ComputeEntry | undefined,
): Sizing | undefined =>
  listed?.endpointIds.length === 1 ? (looks.at(-1)?.compute ?? before?.compute)?.sizing : undefined

function* foldSteps(
  before: ComputeEntry | undefined,
  facts: ComputeFacts,
  context: FirstContext,
): Cooperative<AppliedFacts | undefined> {
  if (before) return yield* foldFrom({ before, isNew: false }, facts, context)
  const look = facts.looks.at(-1)
  if (look) return yield* foldNew(look, facts, context)
  // Operations tell of computes, too, that came and went before anybody looked, or between two looks.
  if (!facts.gone) return undefined
  const last = placeholderLookOfDeleted(facts, facts.gone.from)
  return wasRetired(context.departed, last.compute) ? undefined : yield* foldNew(last, facts, context)
}

/** Beside what every fold needs: who left the project before. */
type FirstContext = ApplyContext & { readonly departed: RetiredTotals | undefined }

function* foldNew(look: Look, facts: ComputeFacts, context: FirstContext): Cooperative<AppliedFacts> {
  const before = newComputeEntry(facts.ref, look, wasRetired(context.departed, look.compute))
  return yield* foldFrom({ before, isNew: true }, facts, context)
}

function* foldFrom(
  begin: EntryBefore,
  facts: ComputeFacts,
  context: ApplyContext,
): Cooperative<AppliedFacts> {
  if (needsBackfill(begin.before, facts)) return yield* backfill(begin, facts, context)
  return applyFacts(begin, facts, context)
}

type OpenPart = {
  readonly computes: ComputeEntry[]
  readonly projects: ProjectEntry[]
  readonly settled: SettledInterval[]
  readonly rollups: Rollup[]
  readonly events: Event[]
  readonly days: DayRow[]
  readonly slices: { readonly settled: AwakeSlice[]; readonly provisional: AwakeSlice[] }
}

const openPart = (): OpenPart => ({
  computes: [],
  projects: [],
  settled: [],
  rollups: [],
  events: [],
  days: [],
  slices: { settled: [], provisional: [] },
})

function addTo(part: OpenPart, folded: AppliedFacts, events: readonly Event[]): void {
  part.computes.push(internEntry(folded.account))
  for (const interval of folded.closed) part.settled.push(interval)
  for (const day of folded.days) part.days.push(day)
  for (const slice of folded.slices) part.slices.settled.push(slice)
  for (const slice of folded.account.provisional) part.slices.provisional.push(slice)
  for (const rollup of folded.rollups) part.rollups.push(rollup)
  for (const event of events) part.events.push(event)
}

/**
 * The sums of a compute that left for good go to its project in the same part, so that both are kept or neither. Whether the project was
 * looked at is not said yet: others of its computes may be in a part that is never kept.
 */
function depart(known: Growing, part: OpenPart, gone: ComputeEntry): void {
  const { ledger, projects } = known
  const project = projectOf(known, gone.ref)
  if (!project) return
  const after = addRetired(project, gone)
  part.computes.splice(-1, 1, gone)
  const { projectId } = gone.ref
  const { listed } = ledger.projects.get(projectId) ?? { listed: undefined }
  const index = part.projects.findIndex((one) => one.project.projectId === projectId)
  part.projects.splice(index === -1 ? part.projects.length : index, 1, { ...after, listed })
  projects.set(projectId, after)
}

type Growing = {
  readonly ledger: Ledger
  readonly projects: Map<string, ProjectEntry>
  /** Where ranges of the account are on average. */
  readonly habit: Utilisation
}

type Known = { readonly ledger: Ledger; readonly projects: ReadonlyMap<string, ProjectEntry> }

const projectOf = ({ ledger, projects }: Known, { projectId }: ComputeRef): ProjectEntry | undefined =>
  projects.get(projectId) ?? ledger.projects.get(projectId)

/** All projects, those that changed as they are now. */
function* newest(ledger: Ledger, changed: ReadonlyMap<string, ProjectEntry>): Generator<MeteredProject> {
  for (const [projectId, project] of ledger.projects) {
    const { project: record, metering, listed } = changed.get(projectId) ?? project
    const [endpointId, another] = listed?.endpointIds ?? []
    const isAlone = endpointId !== undefined && another === undefined && record.activeSeconds !== undefined
    const key = isAlone ? computeKey({ account: ledger.account, projectId, endpointId }) : ''
    yield { project: record, metering, sizing: ledger.computes.get(key)?.compute.sizing }
  }
}

/** A ledger that grows by the parts of one sweep; `before` stays as it is. */
export function createLedgerBuilder(before: Ledger): {
  readonly ledger: () => Ledger
  readonly add: (part: Batch) => void
} {
  let { readings, counters, archived } = before
  let computes = asOrderedMap(before.computes)
  let projects = asOrderedMap(before.projects)
  const budgets = new Map(Object.entries(before.budgets))
  return {
    ledger: () => ({
      ...before,
      computes,
      projects,
      ...(archived && { archived }),
      readings,
      counters,
      budgets: Object.fromEntries(budgets),
    }),
    add: (part) => {
      for (const one of part.computes) {
        const key = computeKey(one.ref)
        computes = one.isRetired ? computes.without(key) : computes.with(key, one)
      }
      for (const one of part.projects) {
        const { projectId } = one.project
        projects = one.isArchived ? projects.without(projectId) : projects.with(projectId, one)
        if (one.isArchived) archived = addArchived(archived, one)
      }
      for (const [name, state] of Object.entries(part.budgets)) {
        if (state) budgets.set(name, state)
        else budgets.delete(name)
      }
      readings = part.readings ?? readings
      counters = part.counters ?? counters
    },
  }
}
