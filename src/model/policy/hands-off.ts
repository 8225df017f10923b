// How long policies leave a compute or project alone after somebody else set it.
import { isEnded, sentAtOf, type Change, type ChangeSettings } from './change.ts'
import { after, latest, seconds, type Instant, type Seconds } from '../units.ts'

/** A day. Source: changing.md, §3. */
export const HANDS_OFF: Seconds = seconds(86_400)

/** Settings of which only those matter that there are. */
type SettingsLike = Readonly<{ [Field in keyof ChangeSettings]?: ChangeSettings[Field] | undefined }>

/**
 * When a person set any of the same by a change of their own, the last time; undefined where nobody did.
 *
 * @param changes of one compute or project, in any order
 */
export function setByPersonAt(like: SettingsLike, changes: readonly Change[]): Instant | undefined {
  const times = changes.flatMap(({ origin, desired, state }) =>
    origin.by === 'person' && hasSameField(like, desired) && isEnded(state) ? (sentAtOf(state) ?? []) : [],
  )
  return times.length === 0 ? undefined : latest(...times)
}

/** Whether policies leave the settings alone, because a person set them. */
export function isOfPerson(like: SettingsLike, changes: readonly Change[], now: Instant): boolean {
  const setAt = setByPersonAt(like, changes)
  return setAt !== undefined && after(setAt, HANDS_OFF) > now
}

const hasSameField = (one: SettingsLike, other: ChangeSettings): boolean =>
  (one.sizing !== undefined && other.sizing !== undefined) ||
  (one.autosuspendDelay !== undefined && other.autosuspendDelay !== undefined)
