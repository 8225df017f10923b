import type { AttributedTime } from '../../model/ledger/evidence.ts'
import type { LikelyAwakeInterval } from '../../model/ledger/ledger.ts'
import type { ConnectionCounts } from '../../model/observation.ts'
import type { ComputeView, ReadingView } from '../../model/output/snapshot.ts'
import type { Instant } from '../../model/units.ts'
import {
  awakeCauseText,
  awakeReasonText,
  computeDisplayName,
  connectionCount,
  explanationLines,
  STATE_WORDS,
  shownCauses,
} from '../text/explain.ts'
import { causeText } from '../text/cause-text.ts'
import { breakable, html, type Html, type HtmlPart } from '../text/html.ts'
import { axisSvg, timelineLegend, timelineSums, timelineSvg } from '../charts/timeline.ts'
import { spendDaysFigure, type SpendDays } from '../charts/spend-days.ts'
import type { TargetChangesJson } from '../text/change-schema.ts'
import type { TargetAdviceJson } from '../text/recommendation-schema.ts'
import type { AwakeTimeline } from '../charts/timeline-cells.ts'
import { headings, tableHtml } from '../text/html-table.ts'
import {
  exactDurationText,
  recentDurationText,
  moneyColumn,
  moneyText,
  percentText,
  shownRangeText,
  shortNumber,
  sizeRangeText,
  spanText,
} from '../text/amounts.ts'
import { adviceSection } from './advice.ts'
import { computeChangesSection } from './changes.ts'
import { TIMELINE_CELLS } from './fleet.ts'
import { EMPTY_CELL, labelledFigure, type PageContext, type PageContent } from './layout.ts'
import { fleetPath, fleetQuery } from './query.ts'
import { clockHtml, timeHtml, withLocalTimes, type LocalNow } from './timestamps.ts'

type ComputePageInput = Readonly<{
  view: ComputeView
  /** The last seven days. */
  week: AwakeTimeline
  /** The last thirty days. */
  month: AwakeTimeline | undefined
  spendDays: SpendDays
  now: Instant
  changes: TargetChangesJson
  advice: TargetAdviceJson
}>

export function computePage(
  { view, week, month, spendDays, now, changes, advice }: ComputePageInput,
  { zone }: PageContext,
): PageContent {
  const localNow = { now, zone }
  const projectPath = fleetPath({ ...fleetQuery({}), project: view.identity.ref.projectId })
  return {
    title: computeDisplayName(view.identity),
    path: '/computes',
    main: html`<p class="crumbs">
        <a href="/">Fleet</a> /
        <a href="${projectPath}"><bdi>${view.identity.project?.name ?? view.identity.ref.projectId}</bdi></a>
      </p>
      <h1>
        <bdi>${computeDisplayName(view.identity)}</bdi>
        <span class="state ${view.state.shown}"><b>${STATE_WORDS[view.state.shown]}</b></span>
      </h1>
      ${awakeCauseText(view.state.reason) !== undefined && html`<p class="lead"><bdi>${withLocalTimes(awakeReasonText(view.state.reason), localNow)}</bdi></p>`}
      ${computeFigures(view)}
      <section>
        <h2>The last seven days</h2>
        ${timelineHtml(week, TIMELINE_CELLS['7d'], zone)} ${timelineLegend()}${intervalTable(week, localNow)}
      </section>
      <section>
        <h2>The last thirty days</h2>
        ${month && timelineHtml(month, MONTH_CELLS, zone)}${spendDaysFigure(spendDays, { title: 'Spend by day', unnamed: '', zone }) ?? html`<p class="about">Nothing was spent.</p>`}
      </section>
      <section>
        <h2>Why</h2>
        <ul class="plain explanation">
          ${explanationLines(view).map((line) => html`<li><bdi>${withLocalTimes(line, localNow)}</bdi></li>`)}
        </ul>
        <p class="about">The beginning of <code>dormouse explain ${view.identity.ref.endpointId}</code>.</p>
      </section>
      ${computeChangesSection(changes, localNow)} ${adviceSection(advice, localNow)}
      ${attributionSection(view)} ${readingSection(view.reading)} ${factsSection(view, localNow)}`,
  }
}

/** Cells of 2 hours in 30 days. */
const MONTH_CELLS = 360

const timelineHtml = (timeline: AwakeTimeline, cells: number, zone: PageContext['zone']) =>
  html`<div class="tall">
    ${timelineSvg(timeline, { cells, dayOf: zone.dayOf })}${axisSvg(timeline.span, zone)}
  </div>`

const computeFigures = (view: ComputeView) =>
  html`<dl class="figures">
    ${labelledFigure('CU', view.reading.size?.cu ?? 'not known', `of ${sizeRangeText(view.identity.compute.sizing)}`)}
    ${labelledFigure('Spend since first seen', moneyText((view.ledger.shown?.amount ?? view.ledger.spend).likely, view.identity.currency), spendRange(view))}
    ${labelledFigure('Hit ratio', view.reading.hitRatio === undefined ? EMPTY_CELL : `${(100 * view.reading.hitRatio).toFixed(1)} %`, view.reading.hitRatio === undefined && (view.reading.at === undefined ? 'never read' : 'not known'))}
    ${labelledFigure('Connections', view.reading.connections ? connectionCount(view.reading.connections) : EMPTY_CELL, `of ${view.reading.maxConnections}`)}
    ${labelledFigure('Autosuspend delay', view.state.delay === 'never' ? 'off' : exactDurationText(view.state.delay))}
  </dl>`

const spendRange = ({ ledger: { spend, shown }, identity: { currency } }: ComputeView) =>
  shownRangeText(spend, shown, (micros) => moneyText(micros, currency))

/** About two screens. */
const MAX_INTERVALS = 50

function intervalTable(timeline: AwakeTimeline, localNow: LocalNow) {
  const { awake, tail } = timelineSums(timeline)
  const newest = timeline.intervals.slice(-MAX_INTERVALS).toReversed()
  const omitted = timeline.intervals.length - newest.length
  return html`<p class="about">Awake ${spanText(awake)}, ${spanText(tail)} of it after the last activity.</p>
    <details data-key="intervals">
      <summary>Show data</summary>
      <p class="about">
        Times awake, the newest first${omitted > 0 && `; ${omitted} older ones are left out`}.
      </p>
      ${tableHtml({
        label: 'Times awake',
        columns: headings({
          From: 'name',
          To: 'name',
          Awake: 'number',
          'Idle tail': 'number',
          'Began with': 'name',
        }),
        rows: newest.map((interval) => intervalRow(interval, localNow)),
      })}
    </details>`
}

const intervalRow = (
  { from, to, tail, restart }: LikelyAwakeInterval,
  { now, zone }: LocalNow,
): HtmlPart[] => [
  timeHtml(from, zone),
  to >= now ? 'still awake' : clockHtml(to, from, zone),
  spanText(to - from),
  spanText(tail),
  restart ? 'restart' : 'wake',
]

function attributionSection({ ledger, identity: { currency } }: ComputeView) {
  const { awake } = ledger
  const awakeBy = shownCauses(ledger)
  if (awakeBy.length === 0) return undefined
  const money = moneyColumn(
    awakeBy.map(({ spend }) => spend),
    currency,
  )
  return html`<section>
    <h2>What kept it awake</h2>
    <p class="about">Since it was first seen, as far as readings cover its time awake.</p>
    ${tableHtml({
      label: 'What kept it awake',
      columns: headings({
        Cause: 'name',
        Application: 'name',
        User: 'name',
        Database: 'name',
        Time: 'number',
        'Of its time awake': 'number',
        Money: 'number',
      }),
      rows: awakeBy.map((attributed) => causeRow(attributed, awake.likely, money(attributed.spend))),
    })}
  </section>`
}

const causeRow = (
  { cause, application, user, database, time }: AttributedTime,
  awake: number,
  money: string,
): readonly HtmlPart[] => [
  causeText(cause),
  ...[application, user, database].map((name) =>
    name === '' ? EMPTY_CELL : html`<bdi>${breakable(name)}</bdi>`,
  ),
  spanText(time),
  awake > 0 ? percentText(Math.min(1, time / awake)) : EMPTY_CELL,
  money,
]

function bytesText(size: number) {
  if (size < 2 ** 20) return `${(size / 2 ** 10).toFixed(0)} kB`
  return size < 2 ** 30 ? `${shortNumber(size / 2 ** 20)} MB` : `${shortNumber(size / 2 ** 30)} GB`
}

const connectionsText = ({ active, idle, idleInTransaction, other }: ConnectionCounts) =>
  `${active} active, ${idle} idle, ${idleInTransaction} idle in a transaction, ${other} other`

function readingSection(reading: ReadingView) {
  const { connections, cacheLimit, cacheUsed, averageActive, problem } = reading
  const cacheText =
    cacheLimit === undefined ? undefined : `${bytesText(cacheUsed ?? 0)} of ${bytesText(cacheLimit)}`
  const lines: readonly (readonly [label: string, value: string | undefined])[] = [
    ['Connections', connections && connectionsText(connections)],
    ['Statements running at a time', averageActive?.toFixed(2)],
    ['File cache in use', cacheText],
    ...reading.workingSet.map(
      ({ window, size }) =>
        [`Working set of the last ${recentDurationText(window)}`, bytesText(size)] as const,
    ),
  ]
  const figures = lines.flatMap(([label, value]) =>
    value === undefined ? [] : [labelledFigure(label, value)],
  )
  return html`<section>
    <h2>The last reading</h2>
    ${figures.length === 0 ? html`<p class="about">It was never read${problem !== undefined && html`: <bdi>${problem}</bdi>`}.</p>` : html`<dl class="figures small">${figures}</dl>`}
  </section>`
}

function factsSection({ identity, ledger: { counters }, state }: ComputeView, { now, zone }: LocalNow) {
  const { ref, compute, project, owner } = identity
  const rows: readonly (readonly [string, string | Html])[] = [
    ['Compute', ref.endpointId],
    ['Project', project ? `${project.name} (${ref.projectId})` : ref.projectId],
    [
      'Branch',
      html`<a href="${fleetPath({ ...fleetQuery({}), branch: compute.branchId })}"
        ><bdi>${compute.branchId}</bdi></a
      >`,
    ],
    ['Account', ref.account],
    ['Region', compute.regionId],
    ['Kind', compute.type === 'read_write' ? 'reads and writes' : 'reads only'],
    ['Team', owner.team || 'none'],
    ['Tier', owner.tier || 'none'],
    [
      'Wakes, suspensions, restarts since first seen',
      `${counters.wakes}, ${counters.suspends}, ${counters.restarts}`,
    ],
    ['Wakes caused by readings', String(counters.wakesCaused)],
    ['Last seen', clockHtml(state.observedAt, now, zone)],
  ]
  return html`<section>
    <h2>What it is</h2>
    <table class="facts">
      <caption class="hidden">
        Facts
      </caption>
      <tbody>
        ${rows.map(
          ([label, value]) =>
            html`<tr>
              <th scope="row">${label}</th>
              <td>${typeof value === 'string' ? html`<bdi>${value}</bdi>` : value}</td>
            </tr>`,
        )}
      </tbody>
    </table>
  </section>`
}
