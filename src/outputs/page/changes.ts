import { CHANGE_KINDS, type OPEN_STATES, type ChangeKind } from '../../model/policy/change.ts'
import { countWithNoun, moneyText } from '../text/amounts.ts'
import type { ChangeHistoryJson, ChangeJson, TargetChangesJson } from '../text/change-schema.ts'
import {
  askedByText,
  changeCommands,
  changeLines,
  changeStateText,
  changeSummary,
  changeTitle,
  historyText,
  isUnsent,
  sessionCountText,
  slotText,
} from '../text/change-text.ts'
import { html, type Html, type HtmlPart } from '../text/html.ts'
import { headings, tableHtml } from '../text/html-table.ts'
import { KIND_TEXTS } from '../text/withheld-text.ts'
import { choice, ownerOptions } from './filters.ts'
import { EMPTY_CELL, encodePathPart, labelledFigure, type PageContent } from './layout.ts'
import { NONE_VALUE, pageNumber } from './query.ts'
import { targetLink } from './target-link.ts'
import { withLocalTimes, type LocalNow } from './timestamps.ts'

const CHANGE_LISTS = ['open', 'ended'] as const
export type ChangeList = (typeof CHANGE_LISTS)[number]

export type ChangesPageQuery = Readonly<{
  list: ChangeList
  kind: ChangeKind | undefined
  /** Undefined: any; empty: computes without one. */
  team: string | undefined
  /** From 1. */
  page: number
}>

const KIND_NAMES: Readonly<Record<ChangeKind, string>> = {
  delay: KIND_TEXTS.delay,
  sizing: KIND_TEXTS.sizing,
  restart: 'restart',
  defaults: KIND_TEXTS.defaults,
}

/** Values that are not understood are ignored. */
export const changesPageQuery = (parameters: Readonly<Record<string, string>>): ChangesPageQuery => ({
  list: CHANGE_LISTS.find((one) => one === parameters['state']) ?? 'open',
  kind: CHANGE_KINDS.find((one) => one === parameters['kind']),
  team: parameters['team'] === NONE_VALUE ? '' : parameters['team'] || undefined,
  page: pageNumber(parameters['page']),
})

export type ChangesPageInput = Readonly<{
  query: ChangesPageQuery
  /** Rows of this page. */
  rows: readonly ChangeJson[]
  matches: number
  teams: readonly string[]
  /** Open changes of all accounts, whatever the query. */
  open: Readonly<Record<(typeof OPEN_STATES)[number], number>>
  /** Why nothing is sent, a line each; empty where changes are. */
  stopped: readonly string[]
  /** What holds some or all of them back, a line each with what ends it. */
  heldBack: readonly string[]
  localNow: LocalNow
}>

/** Keeps a page below 300 kB. */
export const CHANGES_PER_PAGE = 100

export function changesPage(input: ChangesPageInput): PageContent {
  const { query, rows, matches, open, stopped, heldBack, localNow } = input
  const pages = Math.max(1, Math.ceil(matches / CHANGES_PER_PAGE))
  return {
    title: 'Changes',
    path: '/changes',
    main: html`<h1>Changes</h1>
      ${stopped.map((line) => html`<p class="lead"><bdi>${capitalized(line)}.</bdi></p>`)}
      ${heldBack.map((line) => html`<p class="lead"><bdi>${withLocalTimes(capitalized(line), localNow)}</bdi></p>`)}
      <dl class="figures">
        ${labelledFigure('Wait for an approval', String(open.proposed))}
        ${labelledFigure('Scheduled', String(open.scheduled))}
        ${labelledFigure('Being applied or verified', String(open.applying + open.verifying))}
      </dl>
      ${listLinks(query)} ${filterForm(input)}
      ${rows.length === 0 ? html`<p class="nothing">${emptyText(query)}</p>` : tableOf(input)}
      ${pages > 1 && pager(query, pages)}`,
  }
}

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

const LIST_NAMES: Readonly<Record<ChangeList, string>> = { open: 'Open', ended: 'Ended in 30 days' }

const EMPTY_TEXTS: Readonly<Record<ChangeList, string>> = {
  open: 'No change is open. “dormouse change” asks for one, “dormouse approve” makes one of a recommendation.',
  ended: 'No change ended in the last 30 days.',
}

const emptyText = ({ list, kind, team }: ChangesPageQuery) =>
  kind === undefined && team === undefined ? EMPTY_TEXTS[list] : 'No change matches these filters.'

const pathOf = ({ list, kind, team, page }: ChangesPageQuery) => {
  const values = {
    state: list === 'open' ? undefined : list,
    kind,
    team: team === '' ? NONE_VALUE : team,
    page: page === 1 ? undefined : String(page),
  }
  const parameters = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodePathPart(value)}`],
  )
  return `/changes${parameters.length === 0 ? '' : `?${parameters.join('&')}`}`
}

const listLinks = (query: ChangesPageQuery) =>
  html`<nav class="choices" aria-label="States">
    ${CHANGE_LISTS.map(
      (list) =>
        html`<a
          href="${pathOf({ ...query, list, page: 1 })}"
          ${list === query.list && html` aria-current="true"`}
          >${LIST_NAMES[list]}</a
        >`,
    )}
  </nav>`

const filterForm = ({ query: { kind, team, list }, teams }: ChangesPageInput) =>
  html`<form class="filters" method="get" action="/changes" role="search" aria-label="Changes">
    ${choice('Kind', 'kind', { options: CHANGE_KINDS.map((one) => [one, KIND_NAMES[one]]), selected: kind })}
    ${teams.length > 0 && choice('Team', 'team', ownerOptions(teams, team))}
    ${list !== 'open' && html`<input type="hidden" name="state" value="${list}" />`}
    <button type="submit">Show</button>
  </form>`

const OPEN_COLUMNS = headings({
  Compute: 'name',
  Change: 'words',
  'Waits for': 'words',
  'Promised in 30 days': 'number',
  'Asked for by': 'name',
})

const ENDED_COLUMNS = headings({
  Compute: 'name',
  Change: 'words',
  Outcome: 'words',
  Sent: 'name',
  'Sessions interrupted': 'name',
  'Asked for by': 'name',
})

function tableOf({ rows, query: { list }, matches, localNow }: ChangesPageInput): Html {
  const [columns, cellsOf, order] =
    list === 'open'
      ? ([OPEN_COLUMNS, openCells, 'open, those that wait for an approval first'] as const)
      : ([ENDED_COLUMNS, endedCells, 'ended, the last first'] as const)
  return html`<p class="about">${matches} ${order}.</p>
    ${tableHtml({ label: 'Changes', columns, rows: rows.map((change) => cellsOf(change, localNow)) })}`
}

const openCells = (change: ChangeJson, now: LocalNow): readonly HtmlPart[] => [
  computeLink(change),
  changeCell(change, now),
  html`<bdi>${withLocalTimes(changeStateText(change), now)}</bdi
    >${isUnsent(change) && unsentHtml(change, now)}`,
  promisedHtml(change),
  askedByHtml(change),
]

const unsentHtml = ({ slot, deadline }: ChangeJson, now: LocalNow): Html =>
  html`${slot !== null && html`<small>may go ${withLocalTimes(slotText(slot), now)}</small>`}<small
      >not sent after ${withLocalTimes(deadline, now)}</small
    >`

const endedCells = (change: ChangeJson, now: LocalNow): readonly HtmlPart[] => [
  computeLink(change),
  changeCell(change, now),
  html`<bdi>${withLocalTimes(changeStateText(change), now)}</bdi
    >${change.ended !== null && html`<small>${withLocalTimes(change.ended.at, now)}</small>`}`,
  change.sent_at === null ? EMPTY_CELL : withLocalTimes(change.sent_at, now),
  sessionCountText(change.sessions) ?? EMPTY_CELL,
  askedByHtml(change),
]

const computeLink = (change: ChangeJson) => targetLink(change, 'changes')

const askedByHtml = (change: ChangeJson) => html`<bdi>${askedByText(change)}</bdi>`

function promisedHtml({ promised_micros_per_30_days: promised, currency }: ChangeJson): HtmlPart {
  if (promised === null) return EMPTY_CELL
  const { low, likely, high } = promised
  return html`${moneyText(likely, currency)}<small
      >${moneyText(low, currency)} to ${moneyText(high, currency)}</small
    >`
}

const changeCell = (change: ChangeJson, now: LocalNow) =>
  html`<bdi>${changeTitle(change)}</bdi>
    <details data-key="${change.id}">
      <summary>More</summary>
      ${detailsOf(change, now)}
    </details>`

const detailsOf = (change: ChangeJson, now: LocalNow) =>
  html`<ul class="plain">
      ${[`change ${change.id}, plan hash ${change.plan_hash}`, ...changeLines(change)].map((line) => html`<li><bdi>${withLocalTimes(line, now)}</bdi></li>`)}
    </ul>
    ${changeCommands(change).map((command) => html`<p><code>${command}</code></p>`)}`

const pager = (query: ChangesPageQuery, pages: number) =>
  html`<nav class="pager" aria-label="More changes">
    ${query.page > 1 && html`<a rel="prev" href="${pathOf({ ...query, page: query.page - 1 })}">Before</a>`}<span
      >Page ${Math.min(query.page, pages)} of ${pages}</span
    >${query.page < pages && html`<a rel="next" href="${pathOf({ ...query, page: query.page + 1 })}">Next</a>`}
  </nav>`

/** Section of a compute's page; nothing where no change was ever asked for. */
export const computeChangesSection = ({ open, ended }: TargetChangesJson, now: LocalNow): Html | undefined =>
  open.length + ended.length === 0
    ? undefined
    : html`<section id="changes">
        <h2>Changes</h2>
        ${open.map(
          (change) =>
            html`<h3><bdi>${withLocalTimes(changeSummary(change), now)}</bdi></h3>
              ${detailsOf(change, now)}`,
        )}
        ${ended.length > 0 && html`<h3>${countWithNoun(ended.length, 'change')} that ended, the last first</h3>`}
        ${ended.map((one) => endedHtml(one, now))}
      </section>`

const endedHtml = ({ change, history }: ChangeHistoryJson, now: LocalNow) =>
  html`<p><bdi>${withLocalTimes(changeSummary(change), now)}</bdi></p>
    <details data-key="${change.id}">
      <summary>History</summary>
      ${detailsOf(change, now)}
      <ul class="plain">
        ${history.map((event) => html`<li><bdi>${withLocalTimes(historyText(event), now)}</bdi></li>`)}
      </ul>
    </details>`
