// Folds a sweep into the ledger, in parts: each small enough not to hold up the event loop, each true by itself.
import { createUtc, type Zone } from '../calendar/zone.ts'
import { computeKey, effectiveDelay, type ComputeRef } from '../model/compute.ts'
import type { DayRow } from '../model/day.ts'
import type { Event } from '../model/event.ts'
import type { ComputeAccount, Ledger, ProjectAccount, SettledInterval } from '../model/ledger.ts'
import type { Look, Sweep } from '../model/observation.ts'
import type { Batch } from '../model/ports.ts'
import type { Prices } from '../model/price.ts'
import type { Rollup } from '../model/rollup.ts'
import type { Preset } from '../model/sizes.ts'
import type { AwakeSlice } from '../model/slice.ts'
import type { Steps } from '../model/steps.ts'
import type { Instant } from '../model/units.ts'
import { departing, withDeparted } from './departed.ts'
import { eventsBetween } from './events.ts'
import { factsByCompute } from './facts.ts'
import { fold, newAccount, type Facts, type Folded, type FoldContext } from './fold.ts'
import { deletedLook, foldHistory, hasHistory } from './history.ts'
import { projectsAfter } from './projects.ts'
import { countedReadings } from './reading-counts.ts'

/** Computes folded in one part. Doubled, the event loop is held up twice as long, some 20 ms. */
const COMPUTES = 50
/** Projects written in one part. */
const PROJECTS = 500

export type AccountContext = {
  readonly prices: Prices
  readonly preset: Preset
  /** The share of awake time that readings may add. */
  readonly overhead: number
  readonly now: Instant
  /** The days of the account's zone; UTC when nothing is said. */
  readonly dayOf?: Zone['dayOf']
}

/** A part of what a sweep changes: the new state of some accounts, and what happened to them. */
export type Part = Batch & {
  readonly events: readonly Event[]
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
export function* account(ledger: Ledger, sweep: Sweep, context: AccountContext): Generator<Part> {
  const projects = projectsAfter(ledger, sweep)
  const nothing: Part = { ...NOTHING, account: ledger.account }
  const here = { ...context, dayOf: context.dayOf ?? createUtc().dayOf }
  let open = openPart()
  for (const facts of factsByCompute(ledger, sweep, context.now).values()) {
    const steps = foldInto(open, facts, { known: { ledger, projects }, context: here })
    while (!steps.next().done) yield nothing
    if (open.computes.length < COMPUTES) continue
    yield { ...nothing, ...open }
    open = openPart()
  }
  if (open.computes.length > 0) yield { ...nothing, ...open }
  const changed = [...projects.values()]
  for (let first = 0; first < changed.length; first += PROJECTS) {
    yield { ...nothing, projects: changed.slice(first, first + PROJECTS) }
  }
  if (sweep.readings.length + sweep.refusals.length > 0)
    yield { ...nothing, readings: countedReadings(ledger.readings, sweep) }
}

/** Whether there is anything in it to be kept. */
export const isEmpty = ({ computes, projects, readings }: Part): boolean =>
  computes.length + projects.length === 0 && readings === undefined

/** A batch that changes nothing, but for its account. */
export const NOTHING = {
  readings: undefined,
  projects: [],
  computes: [],
  settled: [],
  rollups: [],
  events: [],
  days: [],
  budgets: {},
  slices: { settled: [], provisional: [] },
}

/** Adds what `facts` change to `part`. A compute that was never looked at has no account: operations alone do not make one. */
function* foldInto(
  part: OpenPart,
  facts: Facts,
  { known, context }: { readonly known: Growing; readonly context: AccountContext },
): Steps<void> {
  const before = known.ledger.computes.get(computeKey(facts.ref))
  const project = projectOf(known, facts.ref)
  // Nobody that is seen for the first time with all of the project was ever counted, whoever leaves in the same part.
  const isFirstSight = known.ledger.projects.get(facts.ref.projectId)?.listed === undefined
  const folded = yield* foldSteps(before, facts, {
    ...context,
    isFirstSight,
    departedUntil: isFirstSight ? undefined : project?.departed?.until,
    delayOf: (compute) => effectiveDelay(compute, project?.project),
  })
  if (!folded) return
  addTo(part, folded, eventsBetween(before, folded.account, context.now))
  const departed = departing(folded.account, context.now)
  if (departed) depart(known, part, departed)
}

function* foldSteps(
  before: ComputeAccount | undefined,
  facts: Facts,
  context: FoldContext & { readonly isFirstSight: boolean },
): Steps<Folded | undefined> {
  if (before) return fold({ before, isNew: false }, facts, context)
  const look = facts.looks.at(-1)
  if (look) return yield* foldNew(look, facts, context)
  // The operations of a project that is seen for the first time tell of computes that are deleted, too.
  if (!context.isFirstSight || facts.operations.length === 0) return undefined
  const last = deletedLook(facts)
  return yield* foldNew(last, { ...facts, goneAt: last.answeredAt }, context)
}

function* foldNew(look: Look, facts: Facts, context: FoldContext): Steps<Folded> {
  if (hasHistory(facts)) return yield* foldHistory(facts, look, context)
  return fold({ before: newAccount(facts.ref, look, context.departedUntil), isNew: true }, facts, context)
}

type OpenPart = {
  readonly computes: ComputeAccount[]
  readonly projects: ProjectAccount[]
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

function addTo(part: OpenPart, folded: Folded, events: readonly Event[]): void {
  part.computes.push(folded.account)
  part.settled.push(...folded.closed)
  part.days.push(...folded.days)
  part.slices.settled.push(...folded.slices)
  part.slices.provisional.push(...folded.account.unsettled)
  part.rollups.push(...folded.rollups)
  part.events.push(...events)
}

/** The sums of a compute that left for good go to its project in the same part, so that both are kept or neither. */
function depart({ ledger, projects }: Growing, part: OpenPart, gone: ComputeAccount): void {
  const project = projectOf({ ledger, projects }, gone.ref)
  if (!project) return
  const after = withDeparted(project, gone)
  part.computes.splice(-1, 1, gone)
  part.projects.push(after)
  projects.set(gone.ref.projectId, after)
}

type Growing = { readonly ledger: Ledger; readonly projects: Map<string, ProjectAccount> }

type Known = { readonly ledger: Ledger; readonly projects: ReadonlyMap<string, ProjectAccount> }

const projectOf = ({ ledger, projects }: Known, { projectId }: ComputeRef): ProjectAccount | undefined =>
  projects.get(projectId) ?? ledger.projects.get(projectId)

/** A ledger that grows by the parts of one sweep; `before` stays as it is. */
export function growing(before: Ledger): {
  readonly ledger: () => Ledger
  readonly add: (part: Batch) => void
} {
  const computes = new Map(before.computes)
  const projects = new Map(before.projects)
  const budgets = new Map(Object.entries(before.budgets))
  let { readings } = before
  return {
    ledger: () => ({ ...before, computes, projects, readings, budgets: Object.fromEntries(budgets) }),
    add: (part) => {
      for (const one of part.computes) {
        if (one.departed) computes.delete(computeKey(one.ref))
        else computes.set(computeKey(one.ref), one)
      }
      for (const one of part.projects) projects.set(one.project.projectId, one)
      for (const [name, state] of Object.entries(part.budgets)) {
        if (state) budgets.set(name, state)
        else budgets.delete(name)
      }
      readings = part.readings ?? readings
    },
  }
}
