// Whether somebody else set a compute since a request of a change, by what the service shows afterwards.
import type { Change } from '../model/policy/change.ts'
import type { Operation } from '../model/service/operation.ts'
import { instant, type Instant } from '../model/units.ts'
import { isAsBefore, type Seen } from './settings.ts'

/** As records carry it. */
export const wholeSecond = (at: Instant): Instant => instant(Math.floor(at / 1000) * 1000)

/**
 * Whether the settings may be those of before because somebody set them again after the request took effect: since it was sent, settings
 * were applied. Roles and databases are applied by such an operation, too; in doubt nothing is sent again.
 */
export const wasSetBack = (
  { kind }: Pick<Change, 'kind'>,
  { sentAt }: Readonly<{ sentAt: Instant }>,
  { operations }: Pick<Seen, 'operations'>,
): boolean =>
  kind !== 'restart' && operations.some((one) => isConfiguration(one) && one.createdAt >= wholeSecond(sentAt))

/**
 * Whether the settings, which are not those that an answered request has set, are somebody else's: neither those of before, or others were
 * applied since.
 *
 * @param ours operations of the request; without any nobody can tell them apart
 */
export const isOverwritten = (
  change: Pick<Change, 'before' | 'hadDefaultDelay'>,
  seen: Seen,
  ours: readonly string[],
): boolean =>
  !isAsBefore(change, seen) ||
  (ours.length > 0 && seen.operations.some((one) => isConfiguration(one) && !ours.includes(one.operationId)))

const isConfiguration = ({ action, status }: Operation): boolean =>
  action === 'apply_config' && status === 'finished'
