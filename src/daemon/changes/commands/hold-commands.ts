// Commands of people about holds: place one, end it, list them, force a change. A command that is refused changed nothing.
import { knownEnds, type Window } from '../../../calendar/window.ts'
import type { Config } from '../../../config/load.ts'
import type { ComputeView, Snapshot } from '../../../model/output/snapshot.ts'
import { isEnded, type Change } from '../../../model/policy/change.ts'
import { stands, type PlacedHold } from '../../../model/policy/placed-hold.ts'
import {
  matchesEverything,
  matchesSelector,
  selectorTargetOf,
  type Selector,
} from '../../../model/policy/selector.ts'
import { toIso } from '../../../model/time.ts'
import { instant, type Instant, type Interval } from '../../../model/units.ts'
import { holdJson } from '../../../outputs/text/change-json.ts'
import { holdLine } from '../../../outputs/text/change-text.ts'
import type { HoldAnswerJson, HoldsJson, PlacedHoldJson } from '../../../outputs/text/hold-schema.ts'
import { timeField } from '../../../outputs/text/compute-fields.ts'
import { forceJson, placedHoldJson } from '../../../outputs/text/hold-text.ts'
import { ok, type Result } from '../../../std/result.ts'
import { parseAccount } from '../../reports/requests.ts'
import type { Commanded, CommandSources } from '../commands.ts'
import type { ChangeSources, JournalSources } from '../list-changes.ts'
import { shortId } from '../new-change.ts'
import { refuseCommand, type CommandProblem } from '../targets.ts'

export type HoldSources = Omit<CommandSources, 'history' | 'log'> &
  Readonly<{ config: () => Pick<Config, 'windows' | 'changes'> }>

export type NewHold = Readonly<{
  /** Needed where there are several. */
  account: string | undefined
  match: Selector
  /** Whether it is meant for every compute. */
  all: boolean
  until: Instant
  reason: string
}>

type Answer<Value = HoldAnswerJson> = Promise<Result<Value, CommandProblem>>

export function createHoldCommands({ journal, runnerOf, random, config }: HoldSources) {
  async function place(snapshot: Snapshot, asked: NewHold, by: string): Answer {
    const { match, until, reason } = asked
    const account = parseAccount(
      asked,
      snapshot.accounts.map((one) => one.account),
    )
    if (!account.ok) return refuseCommand(400, account.error)
    const problem = matchProblem(asked)
    if (problem !== undefined) return refuseCommand(400, problem)
    const computes = computesOf(snapshot, account.value, match).length
    if (computes === 0) return refuseCommand(404, 'match: no compute fits it')
    const { placedHolds, now } = runnerOf(account.value)
    if (until <= now()) return refuseCommand(400, `until: expected a time after now, got ${toIso(until)}`)
    const hold = { id: shortId('hold', random), match, reason, by, placedAt: now(), until }
    await placedHolds.place(hold)
    return ok({ schema_version: 1, hold: placedHoldJson(hold, account.value, computes) })
  }

  /** Ends it before its time. */
  async function resume(snapshot: Snapshot, id: string, by: string): Answer {
    for (const { account } of snapshot.accounts) {
      // oxlint-disable-next-line no-await-in-loop -- an id belongs to one account
      const ended = await runnerOf(account).placedHolds.end(id, by)
      if (ended) return ok({ schema_version: 1, hold: jsonOf(snapshot, account, ended) })
    }
    const past = (await Promise.all(snapshot.accounts.map(({ account }) => endedHolds(account)))).flat()
    const found = past.find((hold) => hold.id === id)
    return found?.ended
      ? refuseCommand(409, `hold ${id} has ended at ${toIso(found.ended.at)}`)
      : refuseCommand(404, `no hold has the id ${id}`)
  }

  const endedHolds = (account: string) => journal.placedHolds(account, instant(0))

  async function list({ accounts, computes, takenAt }: Snapshot): Promise<HoldsJson> {
    const forces = await Promise.all(accounts.map(({ account }) => forcesOf(account)))
    return {
      schema_version: 1,
      freezes: freezesJson(config(), (window) => window.at(takenAt) ?? window.next(takenAt)),
      holds: standingHolds(runnerOf, { accounts, computes }),
      forces: forces.flat(),
    }
  }

  /** Forces of open changes. */
  async function forcesOf(account: string) {
    const { forceOf } = runnerOf(account).placedHolds
    const open = await journal.openChanges(account)
    return open.flatMap(({ id }) => forceOf(id) ?? []).map((forced) => forceJson(forced, account))
  }

  return { place, resume, list }
}

/** Undefined where it says clearly what it is for. */
export function matchProblem({ match, all }: Pick<NewHold, 'match' | 'all'>): string | undefined {
  const isOfEverything = matchesEverything(match)
  if (isOfEverything && !all) return 'match: it fits everything: expected conditions, or all (--all)'
  return all && !isOfEverything ? 'all: expected no conditions beside it' : undefined
}

type Configured = ReturnType<HoldSources['config']>

/** Freezes that the configuration names, each with one interval of its window. */
export const freezesJson = (
  { windows, changes }: Configured,
  intervalOf: (window: Window) => Interval | undefined,
): HoldsJson['freezes'] =>
  changes.freeze.flatMap((name) => {
    const window = windows.get(name)
    const shown = window && intervalOf(window)
    if (!shown) return []
    const { from, to } = knownEnds(window, shown)
    return [{ window: name, from: timeField(from), to: timeField(to) }]
  })

/** Holds of all accounts, each the oldest first. */
export const standingHolds = (
  runnerOf: HoldSources['runnerOf'],
  { accounts, computes }: Pick<Snapshot, 'accounts' | 'computes'>,
): HoldsJson['holds'] =>
  accounts.flatMap(({ account }) =>
    runnerOf(account)
      .placedHolds.standing()
      .map((hold) => jsonOf({ computes }, account, hold)),
  )

/** Holds that stop changes of the compute now; the oldest first. */
export async function standingHoldsOn(
  { journal, clock }: Pick<JournalSources, 'journal' | 'clock'>,
  snapshot: Snapshot,
  { ref, compute, project }: ComputeView['identity'],
): Promise<readonly PlacedHoldJson[]> {
  const target = selectorTargetOf(ref.account, compute, project)
  const holds = await journal.placedHolds(ref.account)
  return holds
    .filter((hold) => stands(hold, clock.now()) && matchesSelector(hold.match, target))
    .map((hold) => jsonOf(snapshot, ref.account, hold))
}

const jsonOf = (snapshot: Pick<Snapshot, 'computes'>, account: string, hold: PlacedHold) =>
  placedHoldJson(hold, account, computesOf(snapshot, account, hold.match).length)

/** Computes that fit, without deleted ones. */
const computesOf = (
  { computes }: Pick<Snapshot, 'computes'>,
  account: string,
  match: Selector,
): readonly ComputeView[] =>
  computes.filter(
    ({ identity: { ref, compute, project }, state }) =>
      ref.account === account &&
      !state.isDeleted &&
      matchesSelector(match, selectorTargetOf(account, compute, project)),
  )

type NewForce = Readonly<{ until: Instant; reason: string; by: string }>

/**
 * Until a time a change of a policy waits for no window and passes the brakes. Everything else holds it as before: it interrupts no session.
 * Refused, with what it is, where the kill switch, a freeze, a hold or a denied window stops the change.
 */
export async function forceChange(
  { runnerOf, killSwitch, log }: Pick<ChangeSources, 'runnerOf' | 'killSwitch' | 'log'>,
  change: Change,
  { until, reason, by }: NewForce,
): Promise<Result<Commanded, CommandProblem>> {
  const { id, ref } = change
  const { placedHolds, policyHold, now } = runnerOf(ref.account)
  const problem = notForced(change)
  if (problem !== undefined) return refuseCommand(409, problem)
  if (until <= now()) return refuseCommand(400, `until: expected a time after now, got ${toIso(until)}`)
  const engagedBy = killSwitch.engagedBy()
  if (engagedBy.length > 0)
    return refuseCommand(
      409,
      `change ${id} is stopped: the kill switch is engaged by ${engagedBy.join(' and ')}`,
    )
  const hold = policyHold(change, true)
  if (hold) return refuseCommand(409, `change ${id} is stopped: ${holdLine(holdJson(hold))}`)
  await placedHolds.force({ changeId: id, reason, by, forcedAt: now(), until })
  log.info(
    { change: id, endpointId: ref.endpointId, by, until: toIso(until), reason },
    'a person forces a change',
  )
  return ok({ change, note: undefined })
}

/** Why nobody can force it. */
function notForced({ id, state, when, origin }: Change): string | undefined {
  if (isEnded(state)) return `change ${id} has ended: ${state.at}, ${state.because}`
  if (state.at === 'proposed') return `change ${id} waits for an approval: approve it first`
  if (state.at !== 'scheduled') return `the request of change ${id} was written already`
  return when === 'policy' ? undefined : `change ${id} waits for no window: ${origin.name} asked for it`
}
