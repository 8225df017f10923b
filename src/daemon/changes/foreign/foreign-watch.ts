// Values of changes that somebody else overwrote: looked for after a pass that saw new settings of a compute, and after a change that took
// effect, which somebody may overwrite before a pass sees it.
/* oxlint-disable no-await-in-loop -- few computes, one after the other */
import {
  foreignChanges,
  isSeenSince,
  theirsText,
  type ForeignChange,
} from '../../../apply/foreign-changes.ts'
import { settingsText } from '../../../apply/settings.ts'
import { contestedBecause } from '../../../decide/contested.ts'
import type { Event } from '../../../model/output/event-kinds.ts'
import type { ComputeView } from '../../../model/output/snapshot.ts'
import { isInFlight, sentAtOf, type Change } from '../../../model/policy/change.ts'
import type { ChangePolicy } from '../../../model/policy/change-policy.ts'
import { HANDS_OFF } from '../../../model/policy/hands-off.ts'
import type { History } from '../../../model/ports/history.ts'
import type { Journal } from '../../../model/ports/journal.ts'
import { commit, eventWrites } from '../../../model/ports/store.ts'
import {
  computeKey,
  DEFAULT_AUTOSUSPEND_DELAY,
  isComputeRef,
  targetKey,
} from '../../../model/service/compute.ts'
import { after, DAY, instant } from '../../../model/units.ts'
import type { ChangeRunner } from '../change-runner.ts'

export type WatchSources = Readonly<{
  journal: Pick<Journal, 'changes'>
  history: Pick<History, 'settings'>
  runnerOf: (account: string) => Pick<ChangeRunner, 'store' | 'send' | 'now' | 'storedBrakes'>
}>

/** Values that policies set again, by the key of the compute. */
export type Overwritten = ReadonlyMap<string, readonly ForeignChange[]>

type LookOptions = Readonly<{
  policyOf: (view: ComputeView) => ChangePolicy
  /** Whether policies make changes: else there is nothing to brake. */
  mayBrake: boolean
}>

/** Newest changes of a compute that are read, and of an account at the start. */
const [MANY, VERY_MANY] = [200, 10_000]
/** Older settings are not read, ms. */
const PAST = 7 * DAY
/** How often a value is set again where yet another one is met before it was sent. */
const MOST_TRIES = 3

export type ForeignWatch = ReturnType<typeof createForeignWatch>

export function createForeignWatch({ journal, history, runnerOf }: WatchSources) {
  /** Keys of computes to look at, by account. */
  const suspects = new Map<string, Set<string>>()
  /** Ids of overwritten changes that have their event. */
  const alerted = new Set<string>()

  /** At first those that an earlier process may not have looked at. */
  async function suspectsOf(account: string): Promise<Set<string>> {
    const known = suspects.get(account)
    if (known) return known
    // before the reads, so that what moves meanwhile is not lost
    const keys = new Set<string>()
    suspects.set(account, keys)
    try {
      await addEarlier(account, keys)
    } catch (cause) {
      suspects.delete(account)
      throw cause
    }
    return keys
  }

  async function addEarlier(account: string, keys: Set<string>): Promise<void> {
    const to = runnerOf(account).now()
    const from = instant(to - 1000 * HANDS_OFF)
    for (const { ref } of await journal.changes(account, { since: from, count: VERY_MANY }))
      keys.add(targetKey(ref))
    for await (const { ref, since } of history.settings(account, { from, to }))
      if (since > from) keys.add(computeKey(ref))
  }

  async function watchedOf({ identity, state }: ComputeView) {
    const { ref, compute, project } = identity
    const to = runnerOf(ref.account).now()
    const span = { from: instant(to - PAST), to, computes: [ref] }
    return {
      compute,
      defaultDelay: project?.defaultAutosuspendDelay ?? DEFAULT_AUTOSUSPEND_DELAY,
      seenAt: state.observedAt,
      changes: await journal.changes(ref.account, { target: ref, count: MANY }),
      settings: await Array.fromAsync(history.settings(ref.account, span)),
    }
  }

  async function alert(found: readonly ForeignChange[], account: string): Promise<void> {
    const fresh = found.filter(({ overwritten }) => !alerted.has(overwritten.id))
    if (fresh.length === 0) return
    const { store, send, now } = runnerOf(account)
    const events = fresh.flatMap((one): readonly Event[] => {
      const { id: changeId, ref, desired } = one.overwritten
      const values = { ours: settingsText(desired), theirs: theirsText(one) }
      // only changes of computes are watched
      return isComputeRef(ref)
        ? [{ kind: 'foreign-change', account, at: now(), ref, changeId, ...values }]
        : []
    })
    await commit(store, eventWrites(events))
    for (const { overwritten } of fresh) alerted.add(overwritten.id)
    await send(events)
  }

  /** @returns what the policy sets again; undefined where only a later pass can tell */
  async function check(
    view: ComputeView,
    { policyOf, mayBrake }: LookOptions,
  ): Promise<readonly ForeignChange[] | undefined> {
    const { account, endpointId: subject } = view.identity.ref
    const { now, storedBrakes } = runnerOf(account)
    const watched = await watchedOf(view)
    const found = foreignChanges(watched)
    const releasedAt = storedBrakes.of('controller', subject)?.released?.at
    const because = mayBrake ? contestedBecause(found, releasedAt, now()) : undefined
    if (because !== undefined) await storedBrakes.engage({ name: 'controller', subject, because })
    const policy = policyOf(view)
    const recent = found.filter(({ at }) => after(at, HANDS_OFF) > now())
    if (policy.onForeignChange === 'alert') await alert(recent, account)
    const again = recent.filter((one) => setsAgain(one, policy, watched.changes))
    const isKnown = isSeenSince(watched) && !watched.changes.some(isInFlight)
    return again.length > 0 || isKnown ? again : undefined
  }

  return {
    /** A pass saw new settings. @param keys of computes */
    observed: (account: string, keys: readonly string[]): void => {
      // before the first look the history tells
      const known = suspects.get(account)
      if (known) for (const key of keys) known.add(key)
    },
    /** A change has moved on. */
    moved: ({ ref, state }: Change): void => {
      if (sentAtOf(state) !== undefined) suspects.get(ref.account)?.add(targetKey(ref))
    },
    /**
     * Gives alerts and engages brakes.
     *
     * @param views of one account, of computes that exist
     */
    look: async (
      account: string,
      views: readonly ComputeView[],
      options: LookOptions,
    ): Promise<Overwritten> => {
      const keys = await suspectsOf(account)
      const found = new Map<string, readonly ForeignChange[]>()
      if (keys.size === 0) return found
      for (const view of views) {
        const key = computeKey(view.identity.ref)
        // before the look, so that what comes meanwhile is not lost
        if (!keys.delete(key)) continue
        const again = await check(view, options).catch((err: unknown) => {
          keys.add(key)
          throw err
        })
        if (again?.length !== 0) keys.add(key)
        if (again && again.length > 0) found.set(key, again)
      }
      return found
    },
  }
}

/** Whether the policy has the value set again: not where that was tried, unless each time met yet another value. */
function setsAgain(
  { overwritten, isStanding }: ForeignChange,
  { onForeignChange, mode, levers }: ChangePolicy,
  changes: readonly Change[],
): boolean {
  const isAllowed = (mode === 'approve' || mode === 'apply') && levers.some((one) => one === overwritten.kind)
  if (onForeignChange !== 'reapply' || !isStanding || !isAllowed) return false
  const tries = changes.filter(({ origin }) => 'reapplies' in origin && origin.reapplies === overwritten.id)
  return tries.length < MOST_TRIES && tries.every(({ state }) => state.at === 'superseded')
}
