// Reads the operations that a sweep has requests for.
import type { UnreadableOperations, SweepProblem, PendingRetries } from '../../model/observation.ts'
import type { Operation } from '../../model/service/operation.ts'
import type { Ports } from '../../model/ports/ports.ts'
import { serviceErrorText, type ServiceError } from '../../model/service/service-error.ts'
import { selectOperations, updatePendingOperations } from './select-operations.ts'
import { findOperationCandidates, type OperationsContext } from './operation-candidates.ts'
import { failed } from '../../std/result.ts'
import { forEachParallel } from '../../std/parallel.ts'
import type { RequestGate } from '../request-gate.ts'
import { isProjectFault } from './retry.ts'

/** Requests in flight at once; the rate limiter of the client keeps the request allowance. */
const MAX_CONCURRENT = 8

export type OperationsResult = Readonly<{
  operations: Operation[]
  /** Projects whose operations were read. */
  read: string[]
  /** Operations whose record does not fit. */
  unreadable: UnreadableOperations[]
  problems: SweepProblem[]
  /** Projects whose operations are needed and were not read. */
  retries: PendingRetries['operations']
  /** Requests that were made. */
  requestsMade: number
}>

/** Answer of a service that has the list, but not now. */
const ABSENT: ServiceError = { kind: 'gone', message: 'no list of operations' }

type OperationsStart = OperationsContext & {
  readonly waiting: PendingRetries['operations']
  /** Requests that may be made. */
  readonly room: number
}

export async function readOperations(
  { clock, service }: Pick<Ports, 'clock' | 'service'>,
  { waiting, room, ...context }: OperationsStart,
  gate: RequestGate,
): Promise<OperationsResult> {
  const result = {
    operations: [] as Operation[],
    read: [] as string[],
    unreadable: [] as UnreadableOperations[],
    problems: [] as SweepProblem[],
  }
  const [done, failures] = [new Set<string>(), new Set<string>()]
  const candidates = findOperationCandidates(context, clock.now())
  await clock.yield()
  const selected = selectOperations(candidates, { waiting, room }, clock.now())
  // A service that has listed operations has such a list: an answer without one has failed.
  const isListed = context.ledger.counters.operations.length > 0
  await forEachParallel(selected, MAX_CONCURRENT, async ([projectId, from]) => {
    const answer = await gate.ask(async (signal) => {
      const operations = await service.listOperations(projectId, from, signal)
      return operations.ok && operations.value.isAbsent && isListed ? failed(ABSENT) : operations
    })
    if (!answer) return
    const where = `operations of project ${projectId}`
    if (answer.ok) {
      done.add(projectId)
      result.read.push(projectId)
      for (const operation of answer.value.items) result.operations.push(operation)
      for (const { endpointId } of answer.value.lost ?? []) result.unreadable.push({ projectId, endpointId })
      for (const message of answer.value.problems) result.problems.push({ where, message })
      return
    }
    if (isProjectFault(answer.error)) failures.add(projectId)
    result.problems.push({ where, message: serviceErrorText(answer.error) })
  })
  const retries = updatePendingOperations(
    waiting,
    { needed: candidates.needed, read: done, failed: failures },
    clock.now(),
  )
  return { ...result, retries, requestsMade: gate.asked() }
}
