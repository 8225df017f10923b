// Settings of a compute that somebody else made, by what passes observed and what changes sent.
import type { ObservedSetting } from '../model/ledger/gap.ts'
import { sentAtOf, type Change, type ChangeSettings } from '../model/policy/change.ts'
import { delayMillis, isSameSizing, type AutosuspendDelay } from '../model/service/compute.ts'
import type { Instant } from '../model/units.ts'

/**
 * When somebody else set the compute last; undefined where each setting was sent by a change, or was there from the beginning.
 *
 * @param settings of one compute, in order of time, the first in force before
 * @param changes of that compute
 */
export function foreignSettingAt(
  settings: readonly ObservedSetting[],
  changes: readonly Change[],
): Instant | undefined {
  const index = settings.findLastIndex((setting, at) => {
    const before = settings[at - 1]
    return before !== undefined && isForeign(before, setting, changes)
  })
  return settings[index]?.since
}

/** The last change that set a field explains its value; an earlier one does not. */
function isForeign(before: ObservedSetting, setting: ObservedSetting, changes: readonly Change[]): boolean {
  const sent = changes
    .filter(({ state }) => (sentAtOf(state) ?? Infinity) <= setting.since)
    .toSorted((one, other) => (sentAtOf(one.state) ?? 0) - (sentAtOf(other.state) ?? 0))
  const ofProject = sent.filter(({ kind }) => kind === 'defaults')
  const ofCompute = sent.filter(({ kind }) => kind !== 'defaults')
  const delay = lastOf(ofCompute, 'autosuspendDelay')
  const ofDefaults = setting.isOwnDelay ? undefined : lastOf(ofProject, 'autosuspendDelay')
  const isDelayOurs = isDelay(setting, delay) || isDelay(setting, ofDefaults)
  // the default size of a project reaches no existing compute
  const sizing = lastOf(ofCompute, 'sizing')
  const isSizingOurs = sizing !== undefined && isSameSizing(sizing, setting.sizing)
  const hasNewDelay = delayMillis(before.delay) !== delayMillis(setting.delay)
  return (hasNewDelay && !isDelayOurs) || (!isSameSizing(before.sizing, setting.sizing) && !isSizingOurs)
}

const lastOf = <Field extends keyof ChangeSettings>(changes: readonly Change[], field: Field) =>
  changes.findLast(({ desired }) => desired[field] !== undefined)?.desired[field]

/** A delay of 0 s is shown where the project's default is in force and the compute has none of its own. */
const isDelay = (setting: ObservedSetting, delay: AutosuspendDelay | undefined): boolean =>
  delay !== undefined &&
  (delay === 0 ? !setting.isOwnDelay : delayMillis(delay) === delayMillis(setting.delay))
