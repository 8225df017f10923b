// Settings of a compute that somebody else made, by what passes observed and what changes sent.
import type { ObservedSetting } from '../model/ledger/gap.ts'
import { sentAtOf, type Change } from '../model/policy/change.ts'
import { delayMillis, isSameSizing } from '../model/service/compute.ts'
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

function isForeign(before: ObservedSetting, setting: ObservedSetting, changes: readonly Change[]): boolean {
  const sent = changes.filter(({ state }) => (sentAtOf(state) ?? Infinity) <= setting.since)
  const isDelayOurs = sent.some(
    ({ desired: { autosuspendDelay: delay } }) =>
      // of 0 s the project's default is in force, and the compute has no delay of its own
      delay !== undefined &&
      (delay === 0 ? !setting.isOwnDelay : delayMillis(delay) === delayMillis(setting.delay)),
  )
  const isSizingOurs = sent.some(
    // the default size of a project reaches no existing compute
    ({ kind, desired: { sizing } }) => kind !== 'defaults' && sizing && isSameSizing(sizing, setting.sizing),
  )
  const hasNewDelay = delayMillis(before.delay) !== delayMillis(setting.delay)
  return (hasNewDelay && !isDelayOurs) || (!isSameSizing(before.sizing, setting.sizing) && !isSizingOurs)
}
