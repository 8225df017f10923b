// Operations that are listed but unreadable: which compute they may concern, and their latest creation time.
import { z } from 'zod'
import { awakeEffect, type UnreadableOperation, type Operation } from '../../model/service/operation.ts'
import type { Result } from '../../std/result.ts'
import { fromIso } from '../../model/time.ts'
import type { Instant } from '../../model/units.ts'
import { idSchema, type ItemResult, type DecodeProblems } from './lenient.ts'

/** Operations that start or suspend a compute without naming it. */
export const operationsWithoutCompute = (operations: readonly Operation[]): readonly UnreadableOperation[] =>
  operations
    .filter((operation) => operation.endpointId === undefined && awakeEffect(operation) !== undefined)
    .map(asUnreadable)

const asUnreadable = ({ endpointId, createdAt }: Operation): UnreadableOperation => ({
  endpointId,
  createdBy: createdAt,
})

/**
 * Operations of a list, newest first, that are not among its `own` items: they do not fit, name another project or repeat an id.
 */
export function unreadableOperationsIn(
  list: Result<readonly ItemResult<Operation>[], DecodeProblems>,
  own: readonly Operation[],
): readonly UnreadableOperation[] {
  if (!list.ok) return [{ endpointId: undefined, createdBy: undefined }]
  const remaining = new Map(own.map(({ operationId, projectId }) => [operationId, projectId]))
  let before: Instant | undefined
  return list.value.flatMap((result): UnreadableOperation[] => {
    if (!result.ok) return [readableParts(result.raw, before)]
    const { operationId, projectId, createdAt } = result.value
    before = createdAt
    const isOwn = remaining.get(operationId) === projectId
    if (isOwn) remaining.delete(operationId)
    return isOwn ? [] : [asUnreadable(result.value)]
  })
}

const computeField = z.object({ endpoint_id: idSchema('ep-') })
const timeField = z.object({ created_at: z.string().transform(fromIso) })

/** @param before creation of the operation listed before, which is newer */
const readableParts = (raw: unknown, before: Instant | undefined): UnreadableOperation => ({
  endpointId: computeField.safeParse(raw).data?.endpoint_id,
  createdBy: timeField.safeParse(raw).data?.created_at ?? before,
})
