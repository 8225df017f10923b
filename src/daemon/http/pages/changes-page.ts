// What the page of changes displays: of the journal, one page as JSON.
import type { Zone } from '../../../calendar/zone.ts'
import type { Snapshot } from '../../../model/output/snapshot.ts'
import { isEnded, type Change } from '../../../model/policy/change.ts'
import { targetKey } from '../../../model/service/compute.ts'
import { DAY, instant } from '../../../model/units.ts'
import {
  CHANGES_PER_PAGE,
  changesPage,
  changesPageQuery,
  type ChangesPageInput,
  type ChangesPageQuery,
} from '../../../outputs/page/changes.ts'
import { namesOf } from '../../../outputs/page/filters.ts'
import type { PageContent } from '../../../outputs/page/layout.ts'
import { engagedLines } from '../../../outputs/text/brake-text.ts'
import { stoppedLines } from '../../../outputs/text/change-text.ts'
import { listBrakes } from '../../changes/commands/brake-commands.ts'
import { freezesJson, standingHolds } from '../../changes/commands/hold-commands.ts'
import {
  changesJson,
  DEFAULT_DAYS,
  type ChangeSources,
  type JournalSources,
} from '../../changes/list-changes.ts'
import { teamsByKey } from '../../history/named-projects.ts'

export type ChangePageSources = JournalSources &
  Pick<ChangeSources, 'config' | 'killSwitch' | 'runnerOf' | 'snapshot'>

/** Most changes of an account that a page chooses from: its filters then still answer at once. */
const MOST_OF_ACCOUNT = 5000

export async function readChangesPage(
  sources: ChangePageSources | undefined,
  snapshot: Snapshot,
  { parameters, zone }: Readonly<{ parameters: Readonly<Record<string, string>>; zone: Zone }>,
): Promise<PageContent> {
  const query = changesPageQuery(parameters)
  const teamByKey = teamsByKey(snapshot)
  const teamOf = ({ ref }: Change) => teamByKey.get(targetKey(ref)) ?? ''
  const changes = sources ? await readRecent(sources, snapshot) : []
  const matches = matching(changes, query, teamOf)
  const page = Math.min(query.page, Math.max(1, Math.ceil(matches.length / CHANGES_PER_PAGE)))
  const shown = matches.slice((page - 1) * CHANGES_PER_PAGE, page * CHANGES_PER_PAGE)
  const rows = sources ? await changesJson(sources, snapshot, shown) : []
  return changesPage({
    query: { ...query, page },
    rows,
    matches: matches.length,
    teams: namesOf(snapshot.computes.map(({ identity }) => identity.owner.team)),
    open: openByState(changes),
    stopped: sources
      ? stoppedLines({ mode: sources.config().mode, kill_switch: [...sources.killSwitch.engagedBy()] })
      : [],
    heldBack: sources ? heldBackLines(sources, snapshot) : [],
    localNow: { now: snapshot.takenAt, zone },
  })
}

/** By brakes, holds and freezes. */
const heldBackLines = (sources: ChangePageSources, snapshot: Snapshot): readonly string[] =>
  engagedLines({
    ...listBrakes(sources, snapshot),
    freezes: freezesJson(sources.config(), (window) => window.at(snapshot.takenAt)),
    holds: standingHolds(sources.runnerOf, snapshot),
  })

/** Open, or ended in the last 30 days; the newest of each account first. */
async function readRecent({ journal, clock }: ChangePageSources, { accounts }: Snapshot) {
  const part = { since: instant(clock.now() - DEFAULT_DAYS * DAY), count: MOST_OF_ACCOUNT }
  const read = accounts.map(({ account }) => journal.changes(account, part))
  return (await Promise.all(read)).flat()
}

function matching(
  changes: readonly Change[],
  { list, kind, team }: ChangesPageQuery,
  teamOf: (change: Change) => string,
): readonly Change[] {
  return changes
    .filter(({ state }) => isEnded(state) === (list === 'ended'))
    .filter((change) => kind === undefined || change.kind === kind)
    .filter((change) => team === undefined || teamOf(change) === team)
    .toSorted((one, other) => needsPerson(other) - needsPerson(one) || newestOf(other) - newestOf(one))
}

const needsPerson = ({ state }: Change) => (state.at === 'proposed' ? 1 : 0)

const newestOf = ({ state, createdAt }: Change) => (isEnded(state) ? state.endedAt : createdAt)

function openByState(changes: readonly Change[]): ChangesPageInput['open'] {
  const open = { proposed: 0, scheduled: 0, applying: 0, verifying: 0 }
  for (const { state } of changes) if (!isEnded(state)) open[state.at] += 1
  return open
}
