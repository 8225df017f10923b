// Operations of which nothing is known but that they are listed: whose they may be, and when they were created at the latest.
import { z } from 'zod'
import { awakeEffect, type UnreadableOperation, type Operation } from '../../model/service/operation.ts'
import type { Result } from '../../std/result.ts'
import { fromIso } from '../../model/time.ts'
import type { Instant } from '../../model/units.ts'
import { idSchema, type ItemResult, type DecodeProblems } from './lenient.ts'

/** It starts or suspends nobody knows whom. */
const isUnaddressed = (one: Operation): boolean =>
  one.endpointId === undefined && awakeEffect(one) !== undefined

export const operationsWithoutCompute = (operations: readonly Operation[]): readonly UnreadableOperation[] =>
  operations.filter(isUnaddressed).map(lostAs)

const lostAs = ({ endpointId, createdAt }: Operation): UnreadableOperation => ({
  endpointId,
  createdBy: createdAt,
})

/**
 * Those of a list, newest first, that are not among its `own`: what does not fit, what names another project, and what uses the id
 * of one before it.
 */
export function unreadableOperationsIn(
  list: Result<readonly ItemResult<Operation>[], DecodeProblems>,
  own: readonly Operation[],
): readonly UnreadableOperation[] {
  if (!list.ok) return [{ endpointId: undefined, createdBy: undefined }]
  const kept = new Map(own.map(({ operationId, projectId }) => [operationId, projectId]))
  let before: Instant | undefined
  return list.value.flatMap((result): UnreadableOperation[] => {
    if (!result.ok) return [toldBy(result.raw, before)]
    const { operationId, projectId, createdAt } = result.value
    before = createdAt
    const isOwn = kept.get(operationId) === projectId
    if (isOwn) kept.delete(operationId)
    return isOwn ? [] : [lostAs(result.value)]
  })
}

const ofCompute = z.object({ endpoint_id: idSchema('ep-') })
const ofTime = z.object({ created_at: z.string().transform(fromIso) })

const toldBy = (raw: unknown, before: Instant | undefined): UnreadableOperation => ({
  endpointId: ofCompute.safeParse(raw).data?.endpoint_id,
  createdBy: ofTime.safeParse(raw).data?.created_at ?? before,
})
