// The fleet: what it costs now, and each compute with when it was awake.
import type { Zone } from '../../calendar/zone.ts'
import { computeKey } from '../../model/service/compute.ts'
import type { ComputeView, Snapshot } from '../../model/output/snapshot.ts'
import { lastHours } from '../../model/time.ts'
import type { Instant, Micros } from '../../model/units.ts'
import { splitAtSlot, SLOT, html, type Html, type HtmlPart } from '../text/html.ts'
import { axisSvg } from '../charts/axis.ts'
import { timelineSvg, type AwakeTimeline } from '../charts/timeline.ts'
import { countWithNoun, moneyText, percentText, spanText } from '../text/amounts.ts'
import { awakeCauseText, STATE_WORDS } from '../text/explain.ts'
import { selectRows, type SelectedRows } from './select-rows.ts'
import { fleetFigures } from './figures.ts'
import { fleetFilters } from './filters.ts'
import { EMPTY_CELL, encodePathPart, type PageContext } from './layout.ts'
import { timelineLegend } from './legend.ts'
import { fleetPath, RANGE_HOURS, sortedBy, type FleetQuery, type Range, type Sort } from './query.ts'
import { recentSumsOf, type RecentSumsTable, type RecentSums } from './recent-sums.ts'
import { withLocalTimes } from './timestamps.ts'
import { connectionCount, computeDisplayName, sizeRangeText } from './compute-label.ts'

export type FleetPageInput = {
  readonly snapshot: Snapshot
  readonly query: FleetQuery
  /** Undefined before they were summed up. */
  readonly recent: RecentSumsTable | undefined
  /** What a CU-hour of an account costs now. */
  readonly priceOf: (account: string) => Micros
}

/** Cells of a strip: 5 and 30 minutes. Doubled, a page of strips is twice as large, and a wake half as wide. */
export const TIMELINE_CELLS: Readonly<Record<Range, number>> = { '24h': 288, '7d': 336 }

/** Rows that are laid out before the first paint, the others after it: what a screen has room for. Doubled, the largest are full at once, and it comes later. */
const FIRST = 10

const NO_SUMS: RecentSumsTable['sums'] = new Map()

export const selectedRowsOf = ({ snapshot, query, recent }: FleetPageInput): SelectedRows =>
  selectRows(snapshot.computes, query, recent?.sums ?? NO_SUMS)

/** `computeKey` → strip. */
type Strips = ReadonlyMap<string, AwakeTimeline>

/** Asked for a few rows at a time: the first are on their way before the past of the others is read. */
export type LoadTimelines = (views: readonly ComputeView[]) => Promise<Strips>

type Showing = { readonly shown: SelectedRows; readonly strips: LoadTimelines; readonly house: PageContext }

/** What stands on the page, part by part: what is above the table is there before its strips are. */
export async function* fleetPageParts(
  fleet: FleetPageInput,
  { shown, strips, house }: Showing,
): AsyncGenerator<HtmlPart> {
  const { snapshot, query } = fleet
  const isEmpty = snapshot.computes.length === 0
  const [before, after] = splitAtSlot(
    html`<h1>Fleet</h1>
      ${fleetFigures(fleet)}
      ${
        isEmpty
          ? html`<p class="nothing">${emptyText(snapshot)}</p>`
          : html`${fleetFilters(snapshot, query)} ${fleetTable(fleet, shown, house)}`
      }`,
  )
  yield before
  if (!isEmpty) yield* bodiesOf(fleet, { shown, strips, house })
  yield after
}

const emptyText = ({ ready, accounts }: Snapshot): string =>
  ready
    ? `The ${accounts.length === 1 ? 'account has' : 'accounts have'} no computes.`
    : 'No compute was seen yet: not every account could be asked.'

/** Without its rows. */
const fleetTable = (
  { snapshot, query }: FleetPageInput,
  { rows, found, page, pages }: SelectedRows,
  { zone }: PageContext,
): Html =>
  html`<table class="fleet">
      <caption>
        ${countText(found.length, snapshot.computes.length)}${placeText(query)}. Awake, spend and idle tail
        are those of today and the six days before; idle tail is a share of the time awake.
      </caption>
      <thead>
        <tr>
          ${COLUMNS.map(({ title, sort, kind }) => headingOf(title, { sort, kind, query, now: snapshot.takenAt, zone }))}
        </tr>
      </thead>
      ${SLOT}
    </table>
    ${rows.length === 0 && html`<p class="nothing">No compute fits these filters.</p>`}
    ${pages > 1 && pager(query, page, pages)} ${timelineLegend()}`

/** Rows that are sent at a time. Doubled, a page begins later, and is sent in half as many parts. */
const AT_ONCE = 10

async function* bodiesOf(fleet: FleetPageInput, { shown, strips, house }: Showing): AsyncGenerator<HtmlPart> {
  const later = new Set(shown.rows.slice(FIRST))
  for (const { heading, views } of groupsOf(fleet, shown)) {
    const [begin, end] = splitAtSlot(
      html`<tbody>
        ${heading} ${SLOT}
      </tbody>`,
    )
    yield begin
    for (let from = 0; from < views.length; from += AT_ONCE) {
      const some = views.slice(from, from + AT_ONCE)
      // oxlint-disable-next-line no-await-in-loop -- the first are sent before the others are drawn
      yield some.map(rowOf(fleet, { strips: await strips(some), later }, house))
    }
    yield end
  }
}

const countText = (found: number, all: number): string =>
  found === all ? countWithNoun(all, 'compute') : `${found} of ${countWithNoun(all, 'compute')}`

/** The filters that no field shows. */
const placeText = ({ project, branch }: FleetQuery): Html =>
  html`${project !== undefined && html`, of project <bdi>${project}</bdi>`}${branch !== undefined && html`, of branch <bdi>${branch}</bdi>`}`

const COLUMNS: readonly { readonly title: string; readonly sort: Sort | undefined; readonly kind: string }[] =
  [
    { title: 'Compute', sort: 'name', kind: '' },
    { title: 'State', sort: 'state', kind: '' },
    { title: 'When awake', sort: undefined, kind: 'when' },
    { title: 'CU', sort: 'cu', kind: 'number' },
    { title: 'Awake', sort: 'awake', kind: 'number' },
    { title: 'Idle tail', sort: 'tail', kind: 'number' },
    { title: 'Spend', sort: 'spend', kind: 'number' },
    { title: 'Hit ratio', sort: 'hits', kind: 'number' },
    { title: 'Connections', sort: 'connections', kind: 'number' },
    { title: 'Team', sort: 'team', kind: '' },
  ]

type Heading = {
  readonly sort: Sort | undefined
  readonly kind: string
  readonly query: FleetQuery
  readonly now: Instant
  readonly zone: Zone
}

function headingOf(title: string, { sort, kind, query, now, zone }: Heading): Html {
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

const rangeLinks = (query: FleetQuery): Html =>
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

type Rows = {
  readonly strips: Strips
  /** Below what a screen shows. */
  readonly later: ReadonlySet<ComputeView>
}

function rowOf(
  { snapshot, query, recent }: FleetPageInput,
  { strips, later }: Rows,
  house: PageContext,
): (view: ComputeView) => Html {
  const { zone } = house
  const cells = TIMELINE_CELLS[query.range]
  const context = { now: snapshot.takenAt, zone }
  return (view) => {
    const sums = recent && (recentSumsOf(recent.sums, view.ref) ?? NOTHING)
    const strip = strips.get(computeKey(view.ref))
    return html`<tr ${later.has(view) && html` class="later"`}>
      <th scope="row">
        <a href="/computes/${encodePathPart(view.ref.endpointId)}">${named(computeDisplayName(view))}</a
        ><small>${named(view.ref.endpointId)}</small>
      </th>
      <td class="state ${view.state}"><b>${STATE_WORDS[view.state]}</b>${causeHtml(view, context)}</td>
      <td class="when">${strip && timelineSvg(strip, { cells, dayOf: zone.dayOf })}</td>
      ${cell('CU', sizeHtml(view))}${cell('Awake', sums && awakeHtml(view, sums, { recent, now: snapshot.takenAt }))}${cell('Idle tail', sums && tailHtml(sums))}${cell('Spend', sums && moneyText(sums.spend, view.currency))}${cell('Hit ratio', view.hitRatio === undefined ? undefined : `${(100 * view.hitRatio).toFixed(1)} %`)}${cell('Connections', connectionsHtml(view))}
      ${teamHtml(view)}
    </tr> `
  }
}

const teamHtml = ({ owner: { team, tier } }: ComputeView): Html =>
  html`<td class="team" data-label="Team">
    ${team === '' ? EMPTY_CELL : named(team)}${tier !== '' && html`<small>${named(tier)}</small>`}
  </td>`

/** Letters of what may take the lines it needs: to cut every text off is work for a browser, and few need it. */
const SHORT = 60

/** Where a text that is cut off ends is seen only of one from left to right. */
const cut = (text: string, shown: HtmlPart, about?: Html): Html =>
  html`<bdi ${text.length > SHORT && html` class="long" dir="ltr"${about}`}>${shown}</bdi>`

/** It is told whole where it is pointed at. */
const named = (name: string): Html => cut(name, name, html` title="${name}"`)

function causeHtml({ why }: ComputeView, context: Parameters<typeof withLocalTimes>[1]): Html | undefined {
  const cause = awakeCauseText(why)
  return cause === undefined ? undefined : html`<small>${cut(cause, withLocalTimes(cause, context))}</small>`
}

const NOTHING = { awake: 0, idleTail: 0, spend: 0 } as RecentSums

const cell = (label: string, content: HtmlPart): Html =>
  html`<td class="number" data-label="${label}">${content ?? EMPTY_CELL}</td>`

const sizeHtml = (view: ComputeView): Html =>
  html`${view.currentCu?.cu ?? html`<span class="none">not known</span>`}<small
      >of ${sizeRangeText(view)}</small
    >`

type Since = { readonly recent: RecentSumsTable; readonly now: number }

/** The share is of the days as far as the compute was there, and its account known. */
function awakeHtml({ ref, compute }: ComputeView, { awake }: RecentSums, { recent, now }: Since): Html {
  const from = Math.max(recent.from, compute.createdAt, recent.knownFrom.get(ref.account) ?? 0)
  const share = now > from ? Math.min(1, awake / (now - from)) : 0
  return html`${percentText(share)}<small>${spanText(awake)}</small>`
}

const tailHtml = ({ awake, idleTail }: RecentSums): HtmlPart =>
  awake > 0
    ? html`${percentText(Math.min(1, idleTail / awake))}<small>${spanText(idleTail)}</small>`
    : undefined

function connectionsHtml(view: ComputeView): HtmlPart {
  const count = connectionCount(view)
  return count === undefined ? undefined : html`${count}<small>of ${view.maxConnections}</small>`
}

type Group = { readonly heading?: Html; readonly views: readonly ComputeView[] }

/** One without a heading, or one a team. */
function* groupsOf({ query, recent }: FleetPageInput, { rows, found }: SelectedRows): Generator<Group> {
  if (query.group !== 'team') return yield { views: rows }
  const all = Map.groupBy(found, ({ owner }) => owner.team)
  for (const [team, views] of Map.groupBy(rows, ({ owner }) => owner.team)) {
    const name = team === '' ? 'without a team' : html`<bdi>${team}</bdi>`
    const whole = all.get(team) ?? []
    const heading = html`<tr class="group">
      <th scope="rowgroup" colspan="${COLUMNS.length}">
        ${name}<small
          >${countWithNoun(whole.length, 'compute')}${recent && html`, ${spendOf(whole, recent)}`}</small
        >
      </th>
    </tr>`
    yield { heading, views }
  }
}

function spendOf(views: readonly ComputeView[], { sums }: RecentSumsTable): string {
  const byCurrency = new Map<string, number>()
  for (const { ref, currency } of views)
    byCurrency.set(currency, (byCurrency.get(currency) ?? 0) + (recentSumsOf(sums, ref)?.spend ?? 0))
  return [...byCurrency].map(([currency, spend]) => moneyText(spend, currency)).join(', ')
}

const pager = (query: FleetQuery, page: number, pages: number): Html =>
  html`<nav class="pager" aria-label="More computes">
    ${page > 2 && html`<a href="${fleetPath({ ...query, page: 1 })}">First</a>`}
    ${page > 1 && html`<a rel="prev" href="${fleetPath({ ...query, page: page - 1 })}">Before</a>`}<span
      >Page ${page} of ${pages}</span
    >${page < pages && html`<a rel="next" href="${fleetPath({ ...query, page: page + 1 })}">Next</a>`}${page < pages - 1 && html`<a href="${fleetPath({ ...query, page: pages })}">Last</a>`}
  </nav>`
