// Evidence of one compute with the facts of a sweep.
import type { AutosuspendDelay } from '../../model/service/compute.ts'
import type { ComputeEntry } from '../../model/ledger/ledger.ts'
import type { Operation } from '../../model/service/operation.ts'
import type { Preset } from '../../model/service/sizes.ts'
import { ALLOWED_LATENESS } from '../../model/inference/transition.ts'
import type { Instant } from '../../model/units.ts'
import { attributeSinceReading } from '../attribution/attribution.ts'
import type { ComputeFacts } from '../facts.ts'
import {
  addOwnActions,
  addDeletion,
  addLook,
  addMeasuredSize,
  addOperations,
  addOperationsRead,
  type OwnActions,
} from './evidence.ts'
import { addOwnSession } from './own-sessions.ts'

type FactsContext = Readonly<{
  now: Instant
  delay: AutosuspendDelay
  preset: Preset
  /** Actions of Dormouse on the compute; undefined where there were none. */
  ownActions: OwnActions | undefined
}>

export function evidenceWith(
  before: ComputeEntry,
  facts: ComputeFacts,
  { now, delay, preset, ownActions }: FactsContext,
) {
  const { evidence, reading } = before
  const attributed = attributeSinceReading(before, facts.looks, delay)
  const looked = facts.looks.reduce(addLook, { ...evidence, attributed })
  const operated = addOperations(looked, provisionalOperations(before, facts))
  const read = facts.readings.reduce(
    (all, attempt) => addMeasuredSize(addOwnSession(all, attempt, reading), attempt, preset),
    operated,
  )
  const changed = ownActions ? addOwnActions(read, ownActions) : read
  const covered = facts.operationsRead ? addOperationsRead(changed, facts, now) : changed
  return facts.deletion ? addDeletion(covered, facts.deletion, delay) : covered
}

/** Without settled time, which would count twice; operations shortly before the watermark explain what follows it. */
export function provisionalOperations(
  { settledUntil }: Pick<ComputeEntry, 'settledUntil'>,
  { operations }: Pick<ComputeFacts, 'operations'>,
): readonly Operation[] {
  const from = settledUntil - ALLOWED_LATENESS * 1000
  return operations.filter(({ updatedAt }) => updatedAt >= from)
}
