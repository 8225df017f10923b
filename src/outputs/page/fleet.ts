import type { Zone } from '../../calendar/zone.ts'
import { computeKey } from '../../model/service/compute.ts'
import type { ComputeView, Snapshot, IdentityView, ReadingView } from '../../model/output/snapshot.ts'
import { sumOf } from '../../std/sum.ts'
import { lastHours } from '../../model/time.ts'
import { micros, type Instant } from '../../model/units.ts'
import { splitAtSlot, SLOT, html, type Html, type HtmlPart } from '../text/html.ts'
import { axisSvg, timelineLegend, timelineSvg } from '../charts/timeline.ts'
import { spendDaysFigure } from '../charts/spend-days.ts'
import type { AwakeTimeline } from '../charts/timeline-cells.ts'
import { countWithNoun, moneyText, percentText, sizeRangeText, spanText } from '../text/amounts.ts'
import { KIND_TEXTS } from '../text/withheld-text.ts'
import { awakeCauseText, computeDisplayName, connectionCount, STATE_WORDS } from '../text/explain.ts'
import {
  fleetMoney,
  recentSource,
  recentSumsOf,
  savingIn,
  spendIn,
  type FleetMoney,
  type FleetPageInput,
  type RecentSums,
  type RecentSumsTable,
  type SelectedRows,
} from './select-rows.ts'
import { fleetFigures } from './figures.ts'
import { fleetFilters } from './filters.ts'
import { EMPTY_CELL, encodePathPart } from './layout.ts'
import { fleetPath, RANGE_HOURS, sortedBy, type FleetQuery, type Range, type Sort } from './query.ts'
import { withLocalTimes, type LocalNow } from './timestamps.ts'

/** Cells of 5 and of 30 minutes: narrower ones make the page larger than 300 kB. */
export const TIMELINE_CELLS: Readonly<Record<Range, number>> = { '24h': 288, '7d': 336 }
/** Rows that a screen has room for; the browser lays out the others after the first paint. */
const ROWS_OF_FIRST_PAINT = 10

const SPEND_TITLE = 'Spend by day and team'

/** Rows are rendered a chunk at a time, as timelines are loaded. */
type FleetPage = Readonly<{ head: Html; rows: readonly FleetRow[]; foot: Html; money: FleetMoney }>

/** With the markup that opens its group before it, and closes it after it. */
type FleetRow = Readonly<{
  view: ComputeView
  before: Html | undefined
  after: Html | undefined
  isOnFirstPaint: boolean
}>

export function fleetPage(input: FleetPageInput, selected: SelectedRows, zone: Zone): FleetPage {
  const { snapshot, query } = input
  const isEmpty = snapshot.computes.length === 0
  const [head, foot] = splitAtSlot(
    html`<h1>Fleet</h1>
      ${fleetFigures(input)}
      ${input.charts.map((chart) => spendDaysFigure(chart, { title: SPEND_TITLE, unnamed: 'without a team, or deleted', zone }))}
      ${
        isEmpty
          ? html`<p class="nothing">${emptyText(snapshot)}</p>`
          : html`${fleetFilters(snapshot, query)} ${fleetTable(input, selected, zone)}`
      }`,
  )
  const rows = groupsOf(input, selected)
    .flatMap(rowsOfGroup)
    .map((row, index) => ({ ...row, isOnFirstPaint: index < ROWS_OF_FIRST_PAINT }))
  return { head, rows, foot, money: fleetMoney(selected.rows, input.recent) }
}

const emptyText = ({ ready, accounts }: Snapshot) =>
  ready
    ? `The ${accounts.length === 1 ? 'account has' : 'accounts have'} no computes.`
    : 'No computes yet: not every account has been read.'

/** With a slot in place of its rows. */
const fleetTable = (
  { snapshot, query, recent }: FleetPageInput,
  { rows, matches, page, pages }: SelectedRows,
  zone: Zone,
) =>
  html`<table class="fleet">
      <caption>
        ${countText(matches.length, snapshot.computes.length)}${placeText(query)}. Awake, spend and idle tail
        are those of today and the six days before${recentSource(snapshot, recent)}; idle tail is a share of
        the time awake. “Could save” is for 30 days.
      </caption>
      <thead>
        <tr>
          ${COLUMNS.map((column) => headingOf(column, query, { now: snapshot.takenAt, zone }))}
        </tr>
      </thead>
      ${SLOT}
    </table>
    ${rows.length === 0 && html`<p class="nothing">No compute matches these filters.</p>`}
    ${pages > 1 && pager(query, page, pages)} ${timelineLegend()}`

const countText = (matches: number, computes: number) =>
  matches === computes
    ? countWithNoun(computes, 'compute')
    : `${matches} of ${countWithNoun(computes, 'compute')}`

const placeText = ({ project, branch }: FleetQuery) =>
  html`${project !== undefined && html`, of project <bdi>${project}</bdi>`}${branch !== undefined && html`, of branch <bdi>${branch}</bdi>`}`

type Column = Readonly<{ title: string; sort?: Sort; kind?: 'when' | 'number' }>

const COLUMNS: readonly Column[] = [
  { title: 'Compute', sort: 'name' },
  { title: 'State', sort: 'state' },
  { title: 'When awake', kind: 'when' },
  { title: 'CU', sort: 'cu', kind: 'number' },
  { title: 'Awake', sort: 'awake', kind: 'number' },
  { title: 'Idle tail', sort: 'tail', kind: 'number' },
  { title: 'Spend', sort: 'spend', kind: 'number' },
  { title: 'Hit ratio', sort: 'hits', kind: 'number' },
  { title: 'Connections', sort: 'connections', kind: 'number' },
  { title: 'Could save', sort: 'saving', kind: 'number' },
  { title: 'Team', sort: 'team' },
]

function headingOf({ title, sort, kind }: Column, query: FleetQuery, { now, zone }: LocalNow) {
  if (sort === undefined)
    return html`<th scope="col" class="${kind}">
      ${title} ${rangeLinks(query)} ${axisSvg(lastHours(now, RANGE_HOURS[query.range]), zone)}
    </th>`
  const isSorted = query.sort === sort
  return html`<th
    scope="col"
    class="${kind}"
    ${isSorted && html` aria-sort="${query.descending ? 'descending' : 'ascending'}"`}
  >
    <a href="${fleetPath(sortedBy(query, sort))}">${title}</a>
  </th>`
}

const rangeLinks = (query: FleetQuery) =>
  html`<span class="ranges"
    >${(['24h', '7d'] as const).map(
      (range) =>
        html`<a
          href="${fleetPath({ ...query, range })}"
          ${query.range === range && html` aria-current="true"`}
          >${range === '24h' ? '24 h' : '7 d'}</a
        >`,
    )}</span
  >`

type Group = Readonly<{ heading?: Html; views: readonly ComputeView[] }>

function groupsOf({ query, recent }: FleetPageInput, { rows, matches }: SelectedRows): readonly Group[] {
  if (query.group !== 'team') return [{ views: rows }]
  const byTeam = Map.groupBy(matches, ({ identity: { owner } }) => owner.team)
  return [...Map.groupBy(rows, ({ identity: { owner } }) => owner.team)].map(([team, views]) => {
    const name = team === '' ? 'without a team' : html`<bdi>${team}</bdi>`
    const ofTeam = byTeam.get(team) ?? []
    const heading = html`<tr class="group">
      <th scope="rowgroup" colspan="${COLUMNS.length}">
        ${name}<small
          >${countWithNoun(ofTeam.length, 'compute')}${recent && html`, ${spendOf(ofTeam, recent)}`}</small
        >
      </th>
    </tr>`
    return { heading, views }
  })
}

function spendOf(views: readonly ComputeView[], { sums }: RecentSumsTable) {
  const byCurrency = Map.groupBy(views, ({ identity }) => identity.currency)
  const spendTexts = [...byCurrency].map(([currency, same]) => {
    const spend = sumOf(same, ({ identity }) => recentSumsOf(sums, identity.ref)?.spend ?? 0)
    return moneyText(spend, currency)
  })
  return spendTexts.join(', ')
}

function rowsOfGroup({ heading, views }: Group) {
  const [opening, closing] = splitAtSlot(
    html`<tbody>
      ${heading} ${SLOT}
    </tbody>`,
  )
  return views.map((view, index) => ({
    view,
    before: index === 0 ? opening : undefined,
    after: index === views.length - 1 ? closing : undefined,
  }))
}

const pager = (query: FleetQuery, page: number, pages: number) =>
  html`<nav class="pager" aria-label="More computes">
    ${page > 2 && html`<a href="${fleetPath({ ...query, page: 1 })}">First</a>`}
    ${page > 1 && html`<a rel="prev" href="${fleetPath({ ...query, page: page - 1 })}">Before</a>`}<span
      >Page ${page} of ${pages}</span
    >${page < pages && html`<a rel="next" href="${fleetPath({ ...query, page: page + 1 })}">Next</a>`}${page < pages - 1 && html`<a href="${fleetPath({ ...query, page: pages })}">Last</a>`}
  </nav>`

/** @param timelines `computeKey` → timeline; empty where history cannot be read */
export function renderFleetRows(
  rows: readonly FleetRow[],
  { snapshot, query, recent }: FleetPageInput,
  {
    timelines,
    zone,
    money,
  }: Readonly<{ timelines: ReadonlyMap<string, AwakeTimeline>; zone: Zone; money: FleetMoney }>,
): readonly HtmlPart[] {
  const cells = TIMELINE_CELLS[query.range]
  const now = snapshot.takenAt
  return rows.map(({ view, before, after, isOnFirstPaint }) => {
    const sums = recent && (recentSumsOf(recent.sums, view.identity.ref) ?? NO_SUMS)
    const timeline = timelines.get(computeKey(view.identity.ref))
    return html`${before}
      <tr ${!isOnFirstPaint && html` class="later"`}>
        <th scope="row">
          <a href="/computes/${encodePathPart(view.identity.ref.endpointId)}"
            >${nameHtml(computeDisplayName(view.identity))}</a
          ><small>${nameHtml(view.identity.ref.endpointId)}</small>
        </th>
        <td class="state ${view.state.shown}">
          <b>${STATE_WORDS[view.state.shown]}</b>${causeHtml(view.state, { now, zone })}
        </td>
        <td class="when">${timeline && timelineSvg(timeline, { cells, dayOf: zone.dayOf })}</td>
        ${cell('CU', sizeHtml(view))}${cell('Awake', sums && awakeHtml(view.identity, sums, { recent, now }))}${cell('Idle tail', sums && tailHtml(sums))}${cell('Spend', sums && money.spend(spendIn(view.identity, recent)))}${cell('Hit ratio', view.reading.hitRatio === undefined ? undefined : `${(100 * view.reading.hitRatio).toFixed(1)} %`)}${cell('Connections', connectionsHtml(view.reading))}${cell('Could save', savingHtml(view, money))}
        ${teamHtml(view.identity)}
      </tr>
      ${after}`
  })
}

/** In 30 days, with all open recommendations applied. */
function savingHtml(view: ComputeView, money: FleetMoney): HtmlPart {
  const { advice = [], identity } = view
  const [first, ...others] = advice
  if (!first) return undefined
  const note = others.length === 0 ? KIND_TEXTS[first.kind] : `${advice.length} recommendations`
  const saving = savingIn(view)
  const cost = { ...saving, micros: micros(-saving.micros) }
  return html`<a href="/computes/${encodePathPart(identity.ref.endpointId)}#recommendations"
      >${saving.micros < 0 ? `costs ${money.saving(cost)}` : money.saving(saving)}</a
    ><small>${note}</small>`
}

const NO_SUMS = { awake: 0, idleTail: 0, spend: 0 } as RecentSums

const teamHtml = ({ owner: { team, tier } }: IdentityView) =>
  html`<td class="team" data-label="Team">
    ${team === '' ? EMPTY_CELL : nameHtml(team)}${tier !== '' && html`<small>${nameHtml(tier)}</small>`}
  </td>`

/** Characters shown whole: clamping every text to three lines would cost the browser time. */
const MAX_UNCLAMPED = 60

/** The direction is fixed: browsers show the ellipsis of right-to-left text at the wrong end. */
const clamped = (text: string, content: HtmlPart, attributes?: Html) =>
  html`<bdi ${text.length > MAX_UNCLAMPED && html` class="long" dir="ltr"${attributes}`}>${content}</bdi>`

/** The whole text is the tooltip where it is clamped. */
const nameHtml = (name: string) => clamped(name, name, html` title="${name}"`)

function causeHtml({ reason }: ComputeView['state'], now: LocalNow): Html | undefined {
  const cause = awakeCauseText(reason)
  return cause === undefined ? undefined : html`<small>${clamped(cause, withLocalTimes(cause, now))}</small>`
}

const cell = (label: string, content: HtmlPart) =>
  html`<td class="number" data-label="${label}">${content ?? EMPTY_CELL}</td>`

const sizeHtml = ({ reading: { size }, identity: { compute } }: ComputeView) =>
  html`${size?.cu ?? html`<span class="none">not known</span>`}<small
      >of ${sizeRangeText(compute.sizing)}</small
    >`

/** Share of the days since the compute was created and its account known. */
function awakeHtml(
  { ref, compute }: IdentityView,
  { awake }: RecentSums,
  { recent, now }: Readonly<{ recent: RecentSumsTable; now: Instant }>,
) {
  const from = Math.max(recent.from, compute.createdAt, recent.knownFrom.get(ref.account) ?? 0)
  const share = now > from ? Math.min(1, awake / (now - from)) : 0
  return html`${percentText(share)}<small>${spanText(awake)}</small>`
}

const tailHtml = ({ awake, idleTail }: RecentSums): HtmlPart =>
  awake > 0
    ? html`${percentText(Math.min(1, idleTail / awake))}<small>${spanText(idleTail)}</small>`
    : undefined

const connectionsHtml = ({ connections, maxConnections }: ReadingView): HtmlPart =>
  connections && html`${connectionCount(connections)}<small>of ${maxConnections}</small>`
