import { computeKey, type ComputeRef } from '../model/service/compute.ts'
import type { ComputeEntry, Ledger } from '../model/ledger/ledger.ts'
import type { ProjectEntry } from '../model/ledger/project-entry.ts'
import type { Deletion, ListedActivity, Look, ReadingAttempt, Sweep } from '../model/observation.ts'
import type { Operation } from '../model/service/operation.ts'
import type { Instant } from '../model/units.ts'
import { deletionsIn } from './evidence/deletions.ts'
import { meteredUntil } from './metering/sizes-from-metering.ts'

/** Facts of one compute in one sweep; all empty when only its settlement is due. */
export type ComputeFacts = Readonly<{
  ref: ComputeRef
  looks: readonly Look[]
  operations: readonly Operation[]
  /** Operations of its project were read without a failure. */
  operationsRead: boolean
  /** An unreadable operation may be of this compute. */
  operationsLost: boolean
  readings: readonly ReadingAttempt[]
  deletion: Deletion | undefined
  /** Before the looks; undefined where the project has other computes, or its compute slept. */
  listed?: ListedActivity | undefined
}>

type Endpoint = Pick<ComputeRef, 'projectId' | 'endpointId'>

/** Stands for every compute of a project. */
const ANY_COMPUTE = '*'

/** Projects that the sweep changed, and the time at which it is applied. */
type SweptProjects = Readonly<{ projects: ReadonlyMap<string, ProjectEntry>; now: Instant }>

/** `computeKey` → facts, of the computes that were observed or whose settlement is due. */
export function groupFactsByCompute(
  ledger: Ledger,
  sweep: Sweep,
  swept: SweptProjects,
): ReadonlyMap<string, ComputeFacts> {
  const { account } = sweep
  const keyOf = ({ projectId, endpointId }: Endpoint) => computeKey({ account, projectId, endpointId })
  const ofComputes = sweep.operations.flatMap((operation) => {
    const { projectId, endpointId } = operation
    return endpointId === undefined ? [] : [{ projectId, endpointId, operation }]
  })
  const looks = Map.groupBy(sweep.looks, ({ compute }) => keyOf(compute))
  const operations = Map.groupBy(ofComputes, keyOf)
  const readings = Map.groupBy(sweep.readings, ({ ref }) => keyOf(ref))
  const read = new Set(sweep.operationsReadOf)
  const lost = new Set(
    sweep.unreadableOperations.map(({ projectId, endpointId = ANY_COMPUTE }) => `${projectId}/${endpointId}`),
  )
  const listed = new Map(listedActivities(ledger, sweep).map((one) => [keyOf(one), one]))
  const facts = new Map<string, ComputeFacts>()
  const endpoints: readonly Endpoint[] = [
    ...sweep.looks.map(({ compute }) => compute),
    ...ofComputes,
    ...sweep.readings.map(({ ref }) => ref),
    ...listed.values(),
    ...unobservedOf(ledger, sweep, swept),
  ]
  for (const { projectId, endpointId } of endpoints) {
    const ref = { account, projectId, endpointId }
    const key = computeKey(ref)
    if (facts.has(key)) continue
    facts.set(key, {
      ref,
      looks: looks.get(key) ?? [],
      operations: (operations.get(key) ?? []).map(({ operation }) => operation),
      operationsRead: read.has(projectId),
      operationsLost: lost.has(`${projectId}/${endpointId}`) || lost.has(`${projectId}/${ANY_COMPUTE}`),
      readings: readings.get(key) ?? [],
      deletion: undefined,
      listed: listed.get(key)?.activity,
    })
  }
  for (const [key, deletion] of deletionsIn(ledger, sweep, facts)) {
    const one = facts.get(key)
    if (one) facts.set(key, { ...one, deletion })
  }
  return facts
}

type ActiveEndpoint = Endpoint & { readonly activity: ListedActivity }

/** Activity of awake computes without others in their projects, before and after the sweep. */
function listedActivities({ account, projects, computes }: Ledger, sweep: Sweep): readonly ActiveEndpoint[] {
  const listed = new Map(sweep.listedComputes.map(({ projectId, endpointIds }) => [projectId, endpointIds]))
  return sweep.activities.flatMap((activity) => {
    const { projectId } = activity
    const before = projects.get(projectId)?.listed?.endpointIds ?? []
    const [endpointId = '', ...others] = new Set([...before, ...(listed.get(projectId) ?? [])])
    const entry = computes.get(computeKey({ account, projectId, endpointId }))
    return others.length === 0 && entry && isAwake(entry) ? [{ projectId, endpointId, activity }] : []
  })
}

const isAwake = ({ deletedAt, compute }: ComputeEntry) =>
  deletedAt === undefined && compute.state === 'active'

/** Perhaps without observations: their project was listed or its operations read, or their settlement is due. */
function unobservedOf(ledger: Ledger, sweep: Sweep, { projects, now }: SweptProjects): readonly ComputeRef[] {
  const observed = new Set([...sweep.operationsReadOf, ...sweep.listedComputes.map((one) => one.projectId)])
  const metered = meteredFurther(ledger, projects)
  const refs: ComputeRef[] = []
  for (const { ref, deletedAt, settlesAt } of ledger.computes.values()) {
    const isOfObservedProject = deletedAt === undefined && observed.has(ref.projectId)
    const isDue = settlesAt !== undefined && (settlesAt <= now || metered.has(ref.projectId))
    if (isOfObservedProject || isDue) refs.push(ref)
  }
  return refs
}

/** Projects whose metering reaches another instant: what waits for it in their computes may be final. */
function meteredFurther(ledger: Ledger, projects: SweptProjects['projects']): ReadonlySet<string> {
  const found = new Set<string>()
  for (const [projectId, { metering }] of projects)
    if (meteredUntil(metering) !== meteredUntil(ledger.projects.get(projectId)?.metering))
      found.add(projectId)
  return found
}
