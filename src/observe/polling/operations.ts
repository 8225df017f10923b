// Reads the operations that a sweep has requests for.
import type { UnreadableOperations, SweepProblem, PendingRetries } from '../../model/observation.ts'
import type { Operation } from '../../model/service/operation.ts'
import type { Ports } from '../../model/ports/ports.ts'
import type { OperationListing } from '../../model/ports/service.ts'
import { serviceErrorText, type ServiceError } from '../../model/service/service-error.ts'
import { selectOperations, updatePendingOperations, type OperationsToRead } from './select-operations.ts'
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
  /** Whether some were left because as many operations are in memory as may be. */
  isFull: boolean
}>

/**
 * Operations after which a sweep reads no more, 10,000, some 10 MB: they are in memory until the sweep is stored. The histories of other
 * projects wait for the next sweep, so that the first start over rich histories is stored bit by bit.
 */
const MAX_OPERATIONS = 10_000

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
  let [requestsMade, isFull] = [0, false]
  const readOne = async ([projectId, from]: OperationsToRead): Promise<void> => {
    if (requestsMade >= room) return
    if (result.operations.length >= MAX_OPERATIONS) {
      isFull = true
      return
    }
    const answer = await gate.ask(async (signal) => {
      const operations = await service.listOperations(projectId, from, signal)
      return operations.ok && operations.value.isAbsent && isListed ? failed(ABSENT) : operations
    })
    if (!answer) return
    requestsMade += (answer.ok ? answer.value.requests : undefined) ?? 1
    if (answer.ok) {
      done.add(projectId)
      addOperations(result, projectId, answer.value)
      return
    }
    if (isProjectFault(answer.error)) failures.add(projectId)
    result.problems.push({ where: whereOf(projectId), message: serviceErrorText(answer.error) })
  }
  const { histories = [], recent = [] } = Object.groupBy(selected, ([projectId]) =>
    candidates.atFirstSight.has(projectId) ? 'histories' : 'recent',
  )
  await forEachParallel(recent, MAX_CONCURRENT, readOne)
  // one after the other: each may hold months of operations
  await forEachParallel(histories, 1, readOne)
  const retries = updatePendingOperations(
    waiting,
    { needed: candidates.needed, read: done, failed: failures },
    clock.now(),
  )
  return { ...result, retries, requestsMade, isFull }
}

const whereOf = (projectId: string): string => `operations of project ${projectId}`

function addOperations(
  { operations, read, unreadable, problems }: Omit<OperationsResult, 'retries' | 'requestsMade' | 'isFull'>,
  projectId: string,
  { items, lost = [], problems: lines }: OperationListing,
): void {
  read.push(projectId)
  for (const operation of items) operations.push(operation)
  for (const { endpointId } of lost) unreadable.push({ projectId, endpointId })
  for (const message of lines) problems.push({ where: whereOf(projectId), message })
}
