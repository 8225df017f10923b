// Folds a sweep into the ledger, in parts: each small enough not to hold up the event loop, each true by itself.
import { createUtc, type Zone } from '../calendar/zone.ts'
import { computeKey, effectiveDelay, type ComputeRef } from '../model/compute.ts'
import type { DayRow } from '../model/day.ts'
import type { Event } from '../model/event.ts'
import type { ComputeAccount, Ledger, ProjectAccount, SettledInterval } from '../model/ledger.ts'
import type { Sweep } from '../model/observation.ts'
import type { Batch } from '../model/ports.ts'
import type { Prices } from '../model/price.ts'
import type { Rollup } from '../model/rollup.ts'
import type { Preset } from '../model/sizes.ts'
import type { AwakeSlice } from '../model/slice.ts'
import type { Instant } from '../model/units.ts'
import { departing, withDeparted } from './departed.ts'
import { eventsBetween } from './events.ts'
import { factsByCompute } from './facts.ts'
import { fold, type Facts } from './fold.ts'
import { projectsAfter } from './projects.ts'
import { countedReadings } from './reading-counts.ts'

/** Computes folded in one part. Doubled, the event loop is held up twice as long, some 20 ms. */
const COMPUTES = 100
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
 * folded again when the rest was lost. A project is marked as looked at after its computes, for the same reason.
 */
export function* account(ledger: Ledger, sweep: Sweep, context: AccountContext): Generator<Part> {
  const projects = projectsAfter(ledger, sweep)
  const nothing = { ...NOTHING, account: ledger.account }
  const facts = [...factsByCompute(ledger, sweep, context.now)]
  const here = { ...context, dayOf: context.dayOf ?? createUtc().dayOf }
  for (let first = 0; first < facts.length; first += COMPUTES) {
    const some = facts.slice(first, first + COMPUTES)
    const folded = foldedAll({ ledger, projects }, some, here)
    const left = projectsLeft({ ledger, projects }, folded.computes)
    for (const one of left) projects.set(one.project.projectId, one)
    yield { ...nothing, ...folded, projects: left }
  }
  const changed = [...projects.values()]
  for (let first = 0; first < changed.length; first += PROJECTS) {
    yield { ...nothing, projects: changed.slice(first, first + PROJECTS) }
  }
  if (sweep.readings.length + sweep.refusals.length > 0)
    yield { ...nothing, readings: countedReadings(ledger.readings, sweep) }
}

const NOTHING = {
  readings: undefined,
  projects: [],
  computes: [],
  settled: [],
  rollups: [],
  events: [],
  days: [],
  slices: { settled: [], provisional: [] },
}

type Known = { readonly ledger: Ledger; readonly projects: ReadonlyMap<string, ProjectAccount> }

function foldedAll(
  { ledger, projects }: Known,
  facts: readonly (readonly [string, Facts])[],
  context: AccountContext,
): Pick<Part, 'computes' | 'settled' | 'rollups' | 'events' | 'days' | 'slices'> {
  const computes: ComputeAccount[] = []
  const settled: SettledInterval[] = []
  const rollups: Rollup[] = []
  const events: Event[] = []
  const days: DayRow[] = []
  const slices: AwakeSlice[] = []
  for (const [key, seen] of facts) {
    const before = ledger.computes.get(key)
    const known = projectOf({ ledger, projects }, seen.ref)
    const folded = fold(before, seen, {
      ...context,
      departedUntil: known?.departed?.until,
      delayOf: (compute) => effectiveDelay(compute, known?.project),
    })
    if (!folded) continue
    computes.push((known && departing(folded.account, context.now)) ?? folded.account)
    settled.push(...folded.closed)
    days.push(...folded.days)
    slices.push(...folded.slices)
    rollups.push(...folded.rollups)
    events.push(...eventsBetween(before, folded.account, context.now))
  }
  const provisional = computes.flatMap(({ unsettled }) => unsettled)
  return { computes, settled, rollups, events, days, slices: { settled: slices, provisional } }
}

/** The projects that computes left for good, with their sums: in the same part, so that both are kept or neither. */
function projectsLeft(known: Known, computes: readonly ComputeAccount[]): readonly ProjectAccount[] {
  const left = new Map<string, ProjectAccount>()
  for (const compute of computes.filter(({ departed }) => departed)) {
    const { projectId } = compute.ref
    const project = left.get(projectId) ?? projectOf(known, compute.ref)
    if (project) left.set(projectId, withDeparted(project, compute))
  }
  return [...left.values()]
}

const projectOf = ({ ledger, projects }: Known, { projectId }: ComputeRef): ProjectAccount | undefined =>
  projects.get(projectId) ?? ledger.projects.get(projectId)

/** A ledger that grows by the parts of one sweep; `before` stays as it is. */
export function growing(before: Ledger): {
  readonly ledger: () => Ledger
  readonly add: (part: Batch) => void
} {
  const computes = new Map(before.computes)
  const projects = new Map(before.projects)
  let { readings } = before
  return {
    ledger: () => ({ ...before, computes, projects, readings }),
    add: (part) => {
      for (const one of part.computes) {
        if (one.departed) computes.delete(computeKey(one.ref))
        else computes.set(computeKey(one.ref), one)
      }
      for (const one of part.projects) projects.set(one.project.projectId, one)
      readings = part.readings ?? readings
    },
  }
}
