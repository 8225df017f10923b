// Commands of people about holds: place one, end it, list them. A command that is refused changed nothing.
import type { Config } from '../../config/load.ts'
import type { ComputeView, Snapshot } from '../../model/output/snapshot.ts'
import { stands, type PlacedHold } from '../../model/policy/placed-hold.ts'
import {
  matchesEverything,
  matchesSelector,
  selectorTargetOf,
  type Selector,
} from '../../model/policy/selector.ts'
import { toIso } from '../../model/time.ts'
import { instant, type Instant } from '../../model/units.ts'
import type { HoldAnswerJson, HoldsJson, PlacedHoldJson } from '../../outputs/text/hold-schema.ts'
import { forceJson, placedHoldJson } from '../../outputs/text/hold-text.ts'
import { ok, type Result } from '../../std/result.ts'
import { parseAccount } from '../reports/requests.ts'
import type { CommandSources } from './commands.ts'
import type { JournalSources } from './list-changes.ts'
import { shortId } from './new-change.ts'
import { refuseCommand, type CommandProblem } from './targets.ts'

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
    const { match, all, until, reason } = asked
    const account = parseAccount(
      asked,
      snapshot.accounts.map((one) => one.account),
    )
    if (!account.ok) return refuseCommand(400, account.error)
    if (matchesEverything(match) && !all)
      return refuseCommand(400, 'match: it fits everything: expected conditions, or all (--all)')
    if (all && !matchesEverything(match)) return refuseCommand(400, 'all: expected no conditions beside it')
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
    const { windows, changes } = config()
    const forces = await Promise.all(accounts.map(({ account }) => forcesOf(account)))
    return {
      schema_version: 1,
      freezes: changes.freeze.flatMap((name) => {
        const window = windows.get(name)
        const shown = window?.at(takenAt) ?? window?.next(takenAt)
        return shown ? [{ window: name, from: toIso(shown.from), to: toIso(shown.to) }] : []
      }),
      holds: accounts.flatMap(({ account }) =>
        runnerOf(account)
          .placedHolds.standing()
          .map((hold) => jsonOf({ computes }, account, hold)),
      ),
      forces: forces.flat(),
    }
  }

  /** Of changes that are open. */
  async function forcesOf(account: string) {
    const { forceOf } = runnerOf(account).placedHolds
    const open = await journal.openChanges(account)
    return open.flatMap(({ id }) => forceOf(id) ?? []).map((forced) => forceJson(forced, account))
  }

  return { place, resume, list }
}

/** Those that stop changes of the compute now; the oldest first. */
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

/** Those that exist. */
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
