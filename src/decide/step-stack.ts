// Steps of one compute and kind, one made on top of another: which stand, and what a put-back restores.
import type { ObservedSetting } from '../model/ledger/gap.ts'
import { sentAtOf, type Change, type ChangeSettings } from '../model/policy/change.ts'
import { isStepOrigin } from '../model/policy/step-origin.ts'
import { delayMillis, isSameSizing } from '../model/service/compute.ts'
import { instant, type Instant } from '../model/units.ts'

/** Whether a step may stand until it is put back: its request took effect, or may have. A value that was there before is not ours. */
export const isStanding = ({ origin, state }: Change): boolean =>
  isStepOrigin(origin) &&
  origin.of === undefined &&
  (state.at === 'done' || state.at === 'failed') &&
  state.sent !== undefined

/** The newest of `steps` on top of which a step was made: it had set what that one found. */
export const stepBelow = <Step extends Change>(step: Step, steps: readonly Step[]): Step | undefined =>
  steps
    .filter((one) => isEarlier(one, step) && isSameValue(one.desired, step))
    .reduce<Step | undefined>((last, one) => (last && last.createdAt > one.createdAt ? last : one), undefined)

/** Whether a put-back restored what was there before the step: its own, or that of a step on top of it. */
export const isRestoredBy = (step: Change, putBack: Change): boolean =>
  ('of' in putBack.origin && putBack.origin.of === step.id) ||
  (isEarlier(step, putBack) && putBack.state.at === 'done' && isSameValue(putBack.desired, step))

const isEarlier = (one: Change, other: Change): boolean =>
  one.id !== other.id &&
  one.kind === other.kind &&
  one.ref.endpointId === other.ref.endpointId &&
  one.createdAt < other.createdAt

/** Whether `desired` sets what the change found. */
function isSameValue(
  { sizing, autosuspendDelay: delay }: ChangeSettings,
  { before, hadDefaultDelay }: Change,
) {
  if (sizing) return before.sizing !== undefined && isSameSizing(sizing, before.sizing)
  return delay === 0 ? hadDefaultDelay === true : delay === before.autosuspendDelay
}

/**
 * Whether somebody else set another value after the step took effect: one that none of ours had set until then. A later put-back of a value
 * of theirs makes it none of ours.
 *
 * @param own later steps and put-backs of the same compute and kind that were sent
 * @param settings of the compute since the step was sent, oldest first
 */
export function wasSetByOthers(
  step: Pick<Change, 'desired'>,
  own: readonly Change[],
  settings: readonly ObservedSetting[],
): boolean {
  const valuesUntil = (time: Instant) => [
    step.desired,
    ...own.filter(({ state }) => (sentAtOf(state) ?? Infinity) <= time).map(({ desired }) => desired),
  ]
  const isOurs = (change: Change) =>
    valuesUntil(instant((sentAtOf(change.state) ?? 0) - 1)).some((value) => isSameValue(value, change))
  if (!own.every(isOurs)) return true
  const hasOurs = (setting: ObservedSetting) =>
    valuesUntil(setting.since).some((value) => isShown(value, setting))
  const first = settings.findIndex(hasOurs)
  return first >= 0 && !settings.slice(first).every(hasOurs)
}

const isShown = ({ sizing, autosuspendDelay: delay }: ChangeSettings, setting: ObservedSetting): boolean =>
  (!sizing || isSameSizing(sizing, setting.sizing)) &&
  (delay === undefined ||
    (delay === 0 ? !setting.isOwnDelay : delayMillis(delay) === delayMillis(setting.delay)))
