// Changes as JSON, for the API and the command line.
import type { Config } from '../../config/load.ts'
import type { DecidedTarget, PolicyDecision } from '../../model/output/policy-decision.ts'
import type { ComputeView, Snapshot } from '../../model/output/snapshot.ts'
import { isEnded, type Change } from '../../model/policy/change.ts'
import type { WarmUpView } from '../../model/policy/warm-up.ts'
import { sumOfParts } from '../../model/policy/saved.ts'
import type { Clock } from '../../model/ports/clock.ts'
import type { Journal } from '../../model/ports/journal.ts'
import type { TargetRef } from '../../model/service/compute.ts'
import { instant, DAY, type Interval } from '../../model/units.ts'
import { changeHistoryJson, changeJson } from '../../outputs/text/change-json.ts'
import type {
  ChangeHistoryJson,
  ChangeJson,
  ChangesJson,
  TargetChangesJson,
} from '../../outputs/text/change-schema.ts'
import { isUnsent } from '../../outputs/text/change-text.ts'
import { ok, type Result } from '../../std/result.ts'
import { targetsNamed } from '../history/named-projects.ts'
import type { CommandSources } from './commands.ts'
import type { ChangeRunner } from './change-runner.ts'
import type { PlacedHolds } from './placed-holds.ts'
import type { KillSwitch } from './kill-switch.ts'
import type { UpcomingPutBack } from './steps/upcoming.ts'
import { changeContextOf, refuseCommand, type CommandProblem } from './targets.ts'

export type ChangeSources = CommandSources &
  Readonly<{
    clock: Pick<Clock, 'now'>
    config: () => Pick<Config, 'mode' | 'windows' | 'changes' | 'policies'>
    killSwitch: KillSwitch
    /** Settings that are put back after periods of budgets that end in `within`. */
    putBacksIn: (account: string, within: Interval) => Promise<readonly UpcomingPutBack[]>
  }>

/** Most changes of one answer. */
const MOST = 1000

export type ChangesQuery = Readonly<{
  account: string
  compute: string | undefined
  /** Changes that ended more than 30 days ago, too. */
  all: boolean
}>

export const DEFAULT_DAYS = 30

/** What lists of changes need; without a daemon nothing holds a change that anybody knows of. */
export type JournalSources = Pick<ChangeSources, 'journal' | 'clock'> &
  Readonly<{
    runnerOf: (
      account: string,
    ) => Pick<ChangeRunner, 'holdOf' | 'slotOf'> & { readonly placedHolds: Pick<PlacedHolds, 'forceOf'> }
    /** Absent without a daemon. */
    decisionOf?: (target: DecidedTarget) => PolicyDecision | undefined
    /** Undefined where the policy starts no compute ahead of clients; absent without a daemon. */
    warmUpsOf?: (view: ComputeView) => WarmUpView | undefined
  }>

export async function listChanges(
  sources: JournalSources,
  snapshot: Snapshot,
  { account, compute, all }: ChangesQuery,
): Promise<Result<ChangesJson, CommandProblem>> {
  const { journal, clock } = sources
  const refs = compute === undefined ? [undefined] : targetsNamed(snapshot, compute)
  if (refs.length === 0) return refuseCommand(404, `compute: no compute or project is called ${compute}`)
  const since = all ? undefined : instant(clock.now() - DEFAULT_DAYS * DAY)
  const lists = refs.map((ref) => journal.changes(account, { target: ref, since, count: MOST }))
  const changes = (await Promise.all(lists)).flat().toSorted((a, b) => b.createdAt - a.createdAt)
  return ok({ schema_version: 2, account, changes: await changesJson(sources, snapshot, changes) })
}

/** None of a change that has ended. */
const holdNow = (runnerOf: JournalSources['runnerOf'], { id, ref, state }: Change) =>
  isEnded(state) ? undefined : runnerOf(ref.account).holdOf(id)

export async function oneChange(
  { runnerOf, journal }: Pick<JournalSources, 'runnerOf' | 'journal'>,
  snapshot: Snapshot,
  change: Change,
): Promise<ChangeJson> {
  const approvedBy = await readApprover(journal, change)
  const forced = isEnded(change.state)
    ? undefined
    : runnerOf(change.ref.account).placedHolds.forceOf(change.id)
  const progress = {
    hold: holdNow(runnerOf, change),
    approvedBy,
    forced,
    slot: slotWhileUnsent(change, runnerOf(change.ref.account)),
    saved: await readSaved(journal, change),
  }
  return changeJson(change, changeContextOf(snapshot, change.ref), progress)
}

export const changesJson = (
  sources: Pick<JournalSources, 'runnerOf' | 'journal'>,
  snapshot: Snapshot,
  changes: readonly Change[],
): Promise<ChangeJson[]> => Promise.all(changes.map((change) => oneChange(sources, snapshot, change)))

/** Slot of a change whose request waits. */
export const slotWhileUnsent = (
  change: Change,
  { slotOf }: Pick<ChangeRunner, 'slotOf'>,
): Interval | undefined => (isUnsent({ state: change.state.at }) ? slotOf(change) : undefined)

/** Undefined where nothing was counted. */
export const readSaved = async (
  journal: Pick<Journal, 'savedParts'>,
  { id, ref, state }: Change,
): Promise<ReturnType<typeof sumOfParts>> =>
  state.at === 'done' ? sumOfParts(await journal.savedParts(ref.account, { changeId: id })) : undefined

/** After the request was sent, only the history names who approved it. */
export async function readApprover(
  journal: Pick<Journal, 'changeEvents'>,
  { id, ref, origin, state }: Change,
): Promise<string | undefined> {
  if (origin.by === 'recommendation') return origin.name
  if (state.at === 'proposed') return undefined
  if ('approvedBy' in state) return state.approvedBy
  const events = await journal.changeEvents(ref.account, id)
  return events.flatMap((event) => ('approvedBy' in event.state ? (event.state.approvedBy ?? []) : [])).at(-1)
}

/** Changes of a compute or project that are looked through. */
const MANY_OF_TARGET = 200

/** Open ones, and the last `ended` with their history; the newest first. */
export async function readTargetChanges(
  sources: JournalSources | undefined,
  snapshot: Snapshot,
  { ref, ended }: Readonly<{ ref: TargetRef; ended: number }>,
): Promise<TargetChangesJson> {
  if (!sources) return { open: [], ended: [] }
  const changes = await sources.journal.changes(ref.account, { target: ref, count: MANY_OF_TARGET })
  const last = changes
    .toSorted((one, other) => endOf(other) - endOf(one))
    .filter(({ state }) => isEnded(state))
    .slice(0, ended)
  const open = changes.filter(({ state }) => !isEnded(state))
  return {
    open: await changesJson(sources, snapshot, open),
    ended: await Promise.all(last.map((change) => changeHistory(sources, snapshot, change))),
  }
}

const endOf = ({ state }: Change) => (isEnded(state) ? state.endedAt : 0)

export async function changeHistory(
  sources: JournalSources,
  snapshot: Snapshot,
  change: Change,
): Promise<ChangeHistoryJson> {
  const events = await sources.journal.changeEvents(change.ref.account, change.id)
  return changeHistoryJson(await oneChange(sources, snapshot, change), events)
}
