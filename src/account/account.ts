// Folds a sweep into the ledger.
import { computeKey, effectiveDelay, type ComputeRef, type Project } from '../model/compute.ts'
import type { Event } from '../model/event.ts'
import type { ComputeAccount, Ledger, SettledInterval } from '../model/ledger.ts'
import type { Look, ReadingAttempt, Sweep } from '../model/observation.ts'
import type { Operation } from '../model/operation.ts'
import type { Prices } from '../model/price.ts'
import type { Instant } from '../model/units.ts'
import { eventsBetween } from './events.ts'
import { fold, type Facts } from './fold.ts'
import { countedReadings } from './reading-counts.ts'

export type AccountContext = {
  readonly prices: Prices
  /** The share of awake time that readings may add. */
  readonly overhead: number
  readonly now: Instant
}

export type Accounted = {
  readonly ledger: Ledger
  /** The computes whose account is another than before. */
  readonly changed: readonly ComputeRef[]
  /** Intervals that are summed up now and never again. */
  readonly settled: readonly SettledInterval[]
  readonly events: readonly Event[]
}

/** The ledger after `sweep`. Folding the looks and operations of a sweep a second time changes no total. */
export function account(ledger: Ledger, sweep: Sweep, context: AccountContext): Accounted {
  const projects = withProjects(ledger.projects, sweep.projects)
  const computes = new Map(ledger.computes)
  const changed: ComputeRef[] = []
  const settled: SettledInterval[] = []
  const events: Event[] = []
  for (const [key, facts] of factsByCompute(ledger, sweep)) {
    const before = ledger.computes.get(key)
    const project = projects.get(facts.ref.projectId)
    const folded = fold(before, facts, { ...context, delayOf: (compute) => effectiveDelay(compute, project) })
    if (!folded) continue
    computes.set(key, folded.account)
    changed.push(facts.ref)
    settled.push(...folded.closed)
    events.push(...eventsBetween(before, folded.account, context.now))
  }
  return {
    ledger: {
      ...ledger,
      computes,
      projects,
      readings: countedReadings(ledger.readings, sweep),
      listedAt: withListed(ledger.listedAt, sweep),
    },
    changed,
    settled,
    events,
  }
}

const withListed = (known: Ledger['listedAt'], { listed }: Sweep): Ledger['listedAt'] =>
  listed.length === 0
    ? known
    : new Map([...known, ...listed.map(({ projectId, answeredAt }) => [projectId, answeredAt] as const)])

/** Projects that left the list are kept: their computes' accounts name them. */
function withProjects(
  known: ReadonlyMap<string, Project>,
  listed: readonly Project[] | undefined,
): ReadonlyMap<string, Project> {
  if (!listed) return known
  return new Map([...known, ...listed.map((project) => [project.projectId, project] as const)])
}

type Gathered = {
  readonly ref: ComputeRef
  readonly looks: Look[]
  readonly operations: Operation[]
  readonly operationsRead: boolean
  readonly readings: ReadingAttempt[]
  goneAt: Instant | undefined
}

/** `computeKey` → what the sweep tells of it; those that are awake, or gone and not yet settled, are there also when it tells nothing. */
function factsByCompute(ledger: Ledger, sweep: Sweep): ReadonlyMap<string, Facts> {
  const byKey = new Map<string, Gathered>()
  const read = new Set(sweep.operationsOf)
  const about = (projectId: string, endpointId: string): Gathered => {
    const ref = { account: sweep.account, projectId, endpointId }
    const key = computeKey(ref)
    const facts = byKey.get(key) ?? {
      ref,
      looks: [],
      operations: [],
      operationsRead: read.has(projectId),
      readings: [],
      goneAt: undefined,
    }
    byKey.set(key, facts)
    return facts
  }
  for (const look of sweep.looks) about(look.compute.projectId, look.compute.endpointId).looks.push(look)
  for (const operation of sweep.operations) {
    if (operation.endpointId !== undefined) {
      about(operation.projectId, operation.endpointId).operations.push(operation)
    }
  }
  for (const reading of sweep.readings)
    about(reading.ref.projectId, reading.ref.endpointId).readings.push(reading)
  for (const { ref, goneAt } of gone(ledger, sweep)) about(ref.projectId, ref.endpointId).goneAt = goneAt
  for (const known of ledger.computes.values()) {
    if (goesOn(known) || read.has(known.ref.projectId)) about(known.ref.projectId, known.ref.endpointId)
  }
  return byKey
}

/** Whether time alone changes an account: the compute is awake, or it is gone and not all of it is settled. */
const goesOn = ({ open, goneAt, evidence }: ComputeAccount): boolean =>
  open !== undefined || (goneAt !== undefined && evidence.operations.length + evidence.sightings.length > 0)

/** Computes that a whole list of their project no longer holds. */
function gone(ledger: Ledger, sweep: Sweep): { readonly ref: ComputeRef; readonly goneAt: Instant }[] {
  const listedAt = new Map(sweep.listed.map(({ projectId, answeredAt }) => [projectId, answeredAt]))
  const seen = new Set(sweep.looks.map(({ compute }) => compute.endpointId))
  return [...ledger.computes.values()].flatMap(({ ref, goneAt }: ComputeAccount) => {
    const answeredAt = listedAt.get(ref.projectId)
    if (answeredAt === undefined || goneAt !== undefined || seen.has(ref.endpointId)) return []
    return [{ ref, goneAt: answeredAt }]
  })
}
