// Holds, freezes and forces as JSON and in words.
import type { ForcedChange, PlacedHold } from '../../model/policy/placed-hold.ts'
import { selectorText } from '../../model/policy/selector.ts'
import { toIso } from '../../model/time.ts'
import { countWithNoun, toSecond } from './amounts.ts'
import type { ForceJson, HoldsJson, PlacedHoldJson } from './hold-schema.ts'

/** @param computes that it fits now */
export const placedHoldJson = (hold: PlacedHold, account: string, computes: number): PlacedHoldJson => {
  const { id, match, by, reason, placedAt, until, ended } = hold
  const { project, branch, compute, type } = match
  return {
    id,
    account,
    match: {
      ...(project && { project: [...project] }),
      ...(branch && { branch: [...branch] }),
      ...(compute && { compute: [...compute] }),
      ...(type && { type }),
    },
    what: selectorText(match),
    computes,
    by,
    reason,
    placed_at: toIso(placedAt),
    until: toIso(until),
    ended: ended ? { at: toIso(ended.at), by: ended.by ?? null } : null,
  }
}

export const forceJson = (
  { changeId, by, reason, forcedAt, until }: ForcedChange,
  account: string,
): ForceJson => ({
  account,
  change_id: changeId,
  by,
  reason,
  forced_at: toIso(forcedAt),
  until: toIso(until),
})

/** `hold-1a2b of ann stops changes of project=dev-* (3 computes) until 2026-01-06T00:00:00Z: the release`. */
export function placedHoldText(hold: PlacedHoldJson): string {
  const { id, computes, by, reason, until, ended } = hold
  const what = whatText(hold)
  if (ended)
    return `${id} of ${by} on ${what} ended at ${toSecond(ended.at)}${ended.by === null ? '' : ` by ${ended.by}`}: ${reason}`
  return `${id} of ${by} stops changes of ${what} (${countWithNoun(computes, 'compute')}) until ${toSecond(until)}: ${reason}`
}

/** Without conditions the account is named, whose computes they are: others may be changed. */
const whatText = ({ what, match, account }: PlacedHoldJson) =>
  Object.keys(match).length === 0 ? `${what} of account ${account}` : what

export const freezeText = ({ window, from, to }: HoldsJson['freezes'][number]) =>
  `the freeze ${window} stops all changes` +
  (from === null ? '' : ` from ${toSecond(from)}`) +
  (to === null ? ', without an end' : ` to ${toSecond(to)}`)

const forceText = ({ change_id: id, by, reason, until }: ForceJson) =>
  `${by} forces ${id} until ${toSecond(until)}${reason === '' ? '' : `: ${reason}`}`

/** A line each; one where there are none. */
export function holdsLines({ freezes, holds, forces }: HoldsJson): readonly string[] {
  const lines = [...freezes.map(freezeText), ...holds.map(placedHoldText), ...forces.map(forceText)]
  return lines.length === 0 ? ['no hold stops changes'] : lines
}
