// Reads the operations that a sweep has room for.
import type { UnreadableOperations, SweepProblem, PendingRetries } from '../../model/observation.ts'
import type { Operation } from '../../model/service/operation.ts'
import type { Ports } from '../../model/ports/ports.ts'
import { serviceErrorText } from '../../model/service/service-error.ts'
import { runYielding } from '../../std/cooperative.ts'
import { seconds } from '../../model/units.ts'
import { selectOperations, updatePendingOperations } from './select-operations.ts'
import { findOperationCandidates, type OperationsContext } from './operation-candidates.ts'
import { forEachParallel } from '../../std/parallel.ts'
import { isProjectFault } from './retry.ts'

/** Requests in flight at once; the request budget is kept by the client. Doubled, a large account is read no faster. */
const REQUESTS_AT_ONCE = 8

export type OperationsResult = {
  readonly operations: Operation[]
  /** Projects whose operations were read. */
  readonly read: string[]
  /** Of what happened there may be more than they tell. */
  readonly lost: UnreadableOperations[]
  readonly problems: SweepProblem[]
  /** What is needed and was not read. */
  readonly waiting: PendingRetries['operations']
  /** Requests that were made. */
  readonly asked: number
}

type OperationsStart = OperationsContext & {
  readonly waiting: PendingRetries['operations']
  readonly room: number
}

/** As far as there is room: those that are needed, then those that only name what the records date. */
export async function readOperations(
  { clock, service }: Pick<Ports, 'clock' | 'service'>,
  { waiting, room, ...seen }: OperationsStart,
  signal: AbortSignal,
): Promise<OperationsResult> {
  const found = {
    operations: [] as Operation[],
    read: [] as string[],
    lost: [] as UnreadableOperations[],
    problems: [] as SweepProblem[],
  }
  const [done, failed] = [new Set<string>(), new Set<string>()]
  const wanted = await runYielding(findOperationCandidates(seen, clock.now()), () =>
    clock.sleep(seconds(0), signal),
  )
  const chosen = selectOperations(wanted, { waiting, room }, clock.now())
  await forEachParallel(chosen, REQUESTS_AT_ONCE, async ([projectId, from]) => {
    const answer = await service.listOperations(projectId, from, signal)
    const where = `operations of project ${projectId}`
    if (answer.ok) {
      // What happened before the part that cannot be read stays to be asked for; what came after it counts.
      if (answer.value.cut) failed.add(projectId)
      else {
        done.add(projectId)
        found.read.push(projectId)
      }
      for (const operation of answer.value.items) found.operations.push(operation)
      for (const { endpointId } of answer.value.lost ?? []) found.lost.push({ projectId, endpointId })
      for (const message of answer.value.problems) found.problems.push({ where, message })
      return
    }
    if (answer.error.kind === 'gone') {
      done.add(projectId)
      return
    }
    if (isProjectFault(answer.error)) failed.add(projectId)
    found.problems.push({ where, message: serviceErrorText(answer.error) })
  })
  const left = updatePendingOperations(waiting, { needed: wanted.needed, read: done, failed }, clock.now())
  return { ...found, waiting: left, asked: chosen.length }
}
