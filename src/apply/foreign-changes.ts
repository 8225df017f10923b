// Values of changes that somebody else overwrote, by the journal, the observed settings and the last look at the compute.
import type { ObservedSetting } from '../model/ledger/gap.ts'
import { sentAtOf, type Change, type ChangeSettings } from '../model/policy/change.ts'
import { delayMillis, isSameSizing } from '../model/service/compute.ts'
import { after, earliest, latest, seconds, type Instant } from '../model/units.ts'
import { hasSettings, settingsLike, settingsText, type ComparedCompute } from './settings.ts'

/** A compute with its past. */
export type WatchedCompute = ComparedCompute &
  Readonly<{
    /** In any order. */
    changes: readonly Change[]
    /** In order of time. */
    settings: readonly ObservedSetting[]
    /** Answer of the last look at the compute. */
    seenAt: Instant
  }>

export type ForeignChange = Readonly<{
  /** A request of it took effect, and nothing that was sent since set the same. */
  overwritten: Change
  effectiveAt: Instant
  /** When another value was seen first. */
  at: Instant
  /** Foreign value; empty where it was gone again before a pass could see it. */
  theirs: ChangeSettings
  /** Whether the compute has another value than the change had set, by the last look. */
  isStanding: boolean
}>

/** Time after a change in which a look may still show the values before it: it was asked for before, and its time is an upper bound. */
export const LOOK_TAKES = seconds(15)

/** Whether the last look shows what followed the newest change. */
export const isSeenSince = ({ changes, seenAt }: Pick<WatchedCompute, 'changes' | 'seenAt'>): boolean =>
  changes.every((change) => (effectOf(change) ?? 0) < seenAt - 1000 * LOOK_TAKES)

/** In order of time; at most one for each change. */
export function foreignChanges(watched: WatchedCompute): readonly ForeignChange[] {
  return watched.changes
    .flatMap((change) => foreignChangeOf(change, watched) ?? [])
    .toSorted((a, b) => a.at - b.at)
}

/** For a reason and an event: `a delay of 300 s`. */
export const theirsText = ({ theirs }: ForeignChange): string => settingsText(theirs) || 'another value'

function foreignChangeOf(change: Change, watched: WatchedCompute): ForeignChange | undefined {
  const effectiveAt = effectOf(change)
  if (effectiveAt === undefined) return undefined
  const next = nextSent(change, watched.changes)
  const isStanding = next === undefined && isOtherNow(change, effectiveAt, watched)
  const now = isStanding ? { at: watched.seenAt, theirs: settingsLike(change.desired, watched) } : undefined
  const sightings = [
    supersession(change, next),
    otherSetting(change, watched, { from: after(effectiveAt, LOOK_TAKES), to: next && sentAtOf(next.state) }),
    next && otherBefore(change, next, effectiveAt),
    now,
  ].filter((sighting) => sighting !== undefined)
  if (sightings.length === 0) return undefined
  const at = earliest(...sightings.map((sighting) => sighting.at))
  const theirs = sightings.find((sighting) => settingsText(sighting.theirs) !== '')?.theirs ?? {}
  return { overwritten: change, effectiveAt, at, theirs, isStanding }
}

/** Another value than a change had set, where it is known, and when it was seen. */
type Sighting = Readonly<{ at: Instant; theirs: ChangeSettings }>

/** Where a change of ours was sent meanwhile, that is what its judgement saw. */
function supersession({ state }: Change, next: Change | undefined): Sighting | undefined {
  if (state.at !== 'superseded') return undefined
  const sentAt = next && sentAtOf(next.state)
  return sentAt !== undefined && sentAt <= state.endedAt ? undefined : { at: state.endedAt, theirs: {} }
}

/** Where the next change began from another value: a look confirmed that before it was sent. */
function otherBefore({ desired }: Change, next: Change, effectiveAt: Instant): Sighting | undefined {
  const theirs = sameFields(desired, next.before)
  return isOther(desired, theirs) ? { at: latest(effectiveAt, next.createdAt), theirs } : undefined
}

/** When the service showed the values of the change; undefined where it is not known to have done so. */
function effectOf({ state, desired }: Change): Instant | undefined {
  const sent = 'sent' in state ? state.sent : undefined
  if (!sent || Object.keys(desired).length === 0) return undefined
  if (sent.effectiveAt !== undefined) return sent.effectiveAt
  if (state.at === 'done') return state.endedAt
  // its request was answered, then the service showed a third value
  return state.at === 'superseded' ? sent.at : undefined
}

/** The first later change that sets any of the same, and was sent. */
function nextSent(change: Change, changes: readonly Change[]): Change | undefined {
  const sentAt = sentAtOf(change.state) ?? 0
  return changes
    .filter(
      (other) =>
        other.id !== change.id &&
        (sentAtOf(other.state) ?? 0) > sentAt &&
        Object.keys(sameFields(change.desired, other.desired)).length > 0,
    )
    .toSorted((a, b) => (sentAtOf(a.state) ?? 0) - (sentAtOf(b.state) ?? 0))[0]
}

/** The settings of `settings` that `like` has, too. */
const sameFields = (like: ChangeSettings, settings: ChangeSettings): ChangeSettings => ({
  ...(like.sizing && settings.sizing && { sizing: settings.sizing }),
  ...(like.autosuspendDelay !== undefined &&
    settings.autosuspendDelay !== undefined && { autosuspendDelay: settings.autosuspendDelay }),
})

function otherSetting(
  { desired }: Change,
  { settings }: WatchedCompute,
  { from, to }: Readonly<{ from: Instant; to: Instant | undefined }>,
): Sighting | undefined {
  return settings
    .filter(({ since }) => since > from && since < (to ?? Infinity))
    .map(({ since, delay, sizing }) => ({
      at: since,
      theirs: sameFields(desired, { autosuspendDelay: delay, sizing }),
    }))
    .find(({ theirs }) => isOther(desired, theirs))
}

/** A delay of 0 s does not tell which default was in force. */
function isOther({ sizing, autosuspendDelay: delay }: ChangeSettings, shown: ChangeSettings): boolean {
  const hasOtherSize = sizing && shown.sizing && !isSameSizing(sizing, shown.sizing)
  const { autosuspendDelay: shownDelay } = shown
  const isKnown = delay !== undefined && delay !== 0 && shownDelay !== undefined
  return hasOtherSize === true || (isKnown && delayMillis(delay) !== delayMillis(shownDelay))
}

const isOtherNow = ({ desired }: Change, effectiveAt: Instant, watched: WatchedCompute): boolean =>
  watched.seenAt > after(effectiveAt, LOOK_TAKES) && !hasSettings(watched, desired)
