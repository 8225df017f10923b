// Rules of a waiting change that need history: earlier changes of its project, and how likely a client comes while it is made.
import { arrivalWithin } from '../../advise/delay/arrival.ts'
import { gapHazard, type GapLength } from '../../advise/delay/hazard.ts'
import { foreignSettingAt } from '../../apply/foreign-setting.ts'
import { isShorter, type Seen } from '../../apply/settings.ts'
import { siblingHold, SIBLING_MEMORY } from '../../apply/sibling-hold.ts'
import { isUnasked, restartsCompute, type Change } from '../../model/policy/change.ts'
import { MIN_GAP } from '../../model/ledger/gap.ts'
import type { History } from '../../model/ports/history.ts'
import type { Journal } from '../../model/ports/journal.ts'
import { isComputeRef } from '../../model/service/compute.ts'
import {
  DAY,
  instant,
  latest,
  MINUTE,
  ratio,
  seconds,
  type Instant,
  type Seconds,
} from '../../model/units.ts'
import type { RulesOfChange } from './apply-loop-options.ts'

type RulesOptions = Readonly<{
  account: string
  journal: Pick<Journal, 'changes'>
  history: Pick<History, 'gaps' | 'settings'>
  /** How long a change takes. */
  duration: () => Seconds
  now: () => Instant
}>

/** Newest gaps that the hazard is learned from: more hardly move it. */
const MAX_GAPS = 400
/** Fewest gaps that a hazard is learned from. */
const FEWEST_GAPS = 3
/** Days of gaps. */
const GAP_DAYS = 28
/** How long gaps are remembered, ms. */
const REMEMBERED_FOR = 10 * MINUTE
/** Computes whose gaps are remembered: changes wait on few at a time, and 400 gaps take some 50 kB. */
const MAX_REMEMBERED = 100
/** Newest changes of a project that siblings are looked for in. */
const MAX_CHANGES = 1000

export function createChangeRules({ account, journal, history, duration, now }: RulesOptions) {
  /** Endpoint id → gaps as read lately: looks are ten seconds apart, and one gap more hardly moves a hazard. */
  const remembered = new Map<string, Readonly<{ readAt: Instant; gaps: readonly GapLength[] }>>()

  return async (change: Change, seen: Seen): Promise<Omit<RulesOfChange, 'use'>> => {
    const inProject = {
      project: change.ref.projectId,
      since: instant(now() - SIBLING_MEMORY * 1000),
      count: MAX_CHANGES,
    }
    const others = (await journal.changes(account, inProject)).filter(({ id }) => id !== change.id)
    const ofTarget = others.filter(({ ref }) => ref.endpointId === change.ref.endpointId)
    // the default of the project is in force on computes without a delay of their own
    const ours = others.filter((one) => ofTarget.includes(one) || one.kind === 'defaults')
    const foreignAt = isUnasked(change) ? await readForeign(change, ours) : undefined
    const siblings = siblingHold({ change, seen, others, foreignAt }, now())
    const shortenedAt = lastShortening(ofTarget)
    const mayWaitForClients =
      restartsCompute(change.kind) && change.when !== 'now' && seen.compute?.state === 'idle'
    if (!mayWaitForClients) return { siblings, shortenedAt, arrival: () => ratio(0) }
    const within = duration()
    const read = await gapsOf(change)
    const gaps = read.length < FEWEST_GAPS ? [] : read
    return {
      siblings,
      shortenedAt,
      arrival: ({ compute, askedAt }) => {
        const since = compute?.lastActive ?? compute?.suspendedAt ?? askedAt
        const past = seconds(Math.max(0, askedAt - since) / 1000)
        // shorter gaps would have ended by now: inside a bin of a minute they say nothing
        const longer = gaps.filter(({ high }) => high > past)
        return arrivalWithin(gapHazard(longer, MIN_GAP), { past, within, grid: MIN_GAP })
      },
    }
  }

  /** Also of a time in which no change was open that could have met it. */
  async function readForeign({ ref }: Change, changes: readonly Change[]): Promise<Instant | undefined> {
    if (!isComputeRef(ref)) return undefined
    const interval = { from: instant(now() - SIBLING_MEMORY * 1000), to: now() }
    const settings = await Array.fromAsync(history.settings(account, { ...interval, computes: [ref] }))
    return foreignSettingAt(settings, changes)
  }

  async function gapsOf(change: Change): Promise<readonly GapLength[]> {
    const { endpointId = '' } = change.ref
    const known = remembered.get(endpointId)
    if (known && now() - known.readAt < REMEMBERED_FOR) return known.gaps
    const gaps = await readGaps(change)
    const [oldest] = remembered.keys()
    if (oldest !== undefined && remembered.size >= MAX_REMEMBERED) remembered.delete(oldest)
    remembered.set(endpointId, { readAt: now(), gaps })
    return gaps
  }

  async function readGaps({ ref }: Change): Promise<readonly GapLength[]> {
    if (!isComputeRef(ref)) return []
    const interval = { from: instant(now() - GAP_DAYS * DAY), to: now() }
    const gaps = await Array.fromAsync(history.gaps(account, { ...interval, computes: [ref] }))
    return gaps.slice(-MAX_GAPS)
  }
}

function lastShortening(changes: readonly Change[]): Instant | undefined {
  const sent = changes.flatMap(({ state, before, desired }) =>
    'sent' in state && state.sent && isShorter(desired.autosuspendDelay, before.autosuspendDelay)
      ? [state.sent.at]
      : [],
  )
  return sent.length === 0 ? undefined : latest(...sent)
}
