// One compute: why it is as it is, who held it awake and at what cost.
import type { AwakeShare } from '../../model/ledger/evidence.ts'
import type { AwakeTime } from '../../model/ledger/ledger.ts'
import type { Connections } from '../../model/observation.ts'
import type { ComputeView } from '../../model/output/snapshot.ts'
import type { Instant } from '../../model/units.ts'
import { causeText, explanation, STATE_WORDS, whyText } from '../text/explain.ts'
import { axisSvg } from '../charts/axis.ts'
import { breakable, html, type Html, type Part } from '../text/html.ts'
import { stripSums, stripSvg, type Strip } from '../charts/timeline.ts'
import { tableHtml } from '../text/html-table.ts'
import { chosenText, lastText, money, percent, rangeText, shortNumber, spanText } from '../text/amounts.ts'
import { CELLS } from './fleet.ts'
import { EMPTY, figure, type House, type Page } from './layout.ts'
import { legend } from './legend.ts'
import { fleetPath, fleetQuery } from './query.ts'
import { clockHtml, timeHtml, withTimes } from './timestamps.ts'
import { connectionCount, nameOf, sizeText } from './compute-label.ts'

export type Explained = {
  readonly view: ComputeView
  /** Of seven days. */
  readonly strip: Strip
  readonly now: Instant
}

export function computePage({ view, strip, now }: Explained, house: House): Page {
  const { zone } = house
  const context = { now, zone }
  const fleet = fleetQuery({})
  return {
    title: nameOf(view),
    path: '/computes',
    main: html`<p class="crumbs">
        <a href="/">Fleet</a> /
        <a href="${fleetPath({ ...fleet, project: view.ref.projectId })}"
          ><bdi>${view.project?.name ?? view.ref.projectId}</bdi></a
        >
      </p>
      <h1>
        <bdi>${nameOf(view)}</bdi> <span class="state ${view.state}"><b>${STATE_WORDS[view.state]}</b></span>
      </h1>
      ${causeText(view.why) !== undefined && html`<p class="lead"><bdi>${withTimes(whyText(view.why), context)}</bdi></p>`}
      ${figures(view)}
      <section>
        <h2>The last seven days</h2>
        <div class="tall">
          ${stripSvg(strip, { cells: CELLS['7d'], dayOf: zone.dayOf })}${axisSvg(strip.span, zone)}
        </div>
        ${legend()}${stretchTable(strip, { now, house })}
      </section>
      <section>
        <h2>Why</h2>
        <ul class="plain explanation">
          ${explanation(view).map((line) => html`<li><bdi>${withTimes(line, context)}</bdi></li>`)}
        </ul>
        <p class="about">
          The same as <code>dormouse explain ${view.ref.endpointId}</code>. Nothing would be changed: Dormouse
          advises nothing yet.
        </p>
      </section>
      ${culprits(view)} ${inside(view)} ${facts(view, { now, house })}`,
  }
}

const figures = (view: ComputeView): Html =>
  html`<dl class="figures">
    ${figure('CU', view.currentCu?.cu ?? 'not known', `of ${sizeText(view)}`)}
    ${figure('Spend since first seen', money(view.spend.likely, view.currency), spendRange(view))}
    ${figure('Hit ratio', view.hitRatio === undefined ? EMPTY : `${(100 * view.hitRatio).toFixed(1)} %`, view.hitRatio === undefined && (view.readingAt === undefined ? 'never read' : 'not known'))}
    ${figure('Connections', connectionCount(view) ?? EMPTY, `of ${view.maxConnections}`)}
    ${figure('Autosuspend delay', view.delay === 'never' ? 'never sleeps' : chosenText(view.delay))}
  </dl>`

const spendRange = ({ spend, currency }: ComputeView): string | undefined =>
  rangeText(spend, (micros) => money(micros, currency))

type Context = { readonly now: Instant; readonly house: House }

/** Of those listed. Doubled, a page of a chatty compute is twice as long. */
const STRETCHES = 50

function stretchTable(strip: Strip, { now, house }: Context): Html {
  const { awake, tail } = stripSums(strip)
  const newest = strip.stretches.slice(-STRETCHES).toReversed()
  const left = strip.stretches.length - newest.length
  return html`<p class="about">Awake ${spanText(awake)}, ${spanText(tail)} of it after the last activity.</p>
    <details data-key="stretches">
      <summary>Show data</summary>
      <p class="about">Times awake, the newest first${left > 0 && `; ${left} older ones are left out`}.</p>
      ${tableHtml({
        label: 'Times awake',
        columns: [
          { title: 'From', kind: 'name' },
          { title: 'To', kind: 'name' },
          { title: 'Awake', kind: 'number' },
          { title: 'Idle tail', kind: 'number' },
          { title: 'Began with', kind: 'name' },
        ],
        rows: newest.map((stretch) => stretchRow(stretch, { now, house })),
      })}
    </details>`
}

const stretchRow = (
  { from, to, tail, restart }: AwakeTime,
  { now, house: { zone } }: Context,
): readonly Part[] => [
  timeHtml(from, zone),
  to >= now ? 'still awake' : clockHtml(to, from, zone),
  spanText(to - from),
  spanText(tail),
  restart ? 'restart' : 'wake',
]

function culprits({ awakeBy, awake, currency }: ComputeView): Html | undefined {
  if (awakeBy.length === 0) return undefined
  return html`<section>
    <h2>Who held it awake</h2>
    <p class="about">As far as readings cover its time awake, since it was first seen.</p>
    ${tableHtml({
      label: 'Who held it awake',
      columns: [
        { title: 'Because of', kind: 'name' },
        { title: 'Application', kind: 'name' },
        { title: 'User', kind: 'name' },
        { title: 'Database', kind: 'name' },
        { title: 'Time', kind: 'number' },
        { title: 'Of its time awake', kind: 'number' },
        { title: 'Money', kind: 'number' },
      ],
      rows: awakeBy.map((share) => culpritRow(share, awake.likely, currency)),
    })}
  </section>`
}

const culpritRow = (
  { cause, application, user, database, time, spend }: AwakeShare,
  awake: number,
  currency: string,
): readonly Part[] => [
  cause,
  ...[application, user, database].map((name) => (name === '' ? EMPTY : html`<bdi>${breakable(name)}</bdi>`)),
  spanText(time),
  awake > 0 ? percent(Math.min(1, time / awake)) : EMPTY,
  money(spend, currency),
]

/** `8 kB`, `1.5 GB`. */
function sizeOf(size: number): string {
  if (size < 2 ** 20) return `${(size / 2 ** 10).toFixed(0)} kB`
  return size < 2 ** 30 ? `${shortNumber(size / 2 ** 20)} MB` : `${shortNumber(size / 2 ** 30)} GB`
}

const connectionsText = ({ active, idle, idleInTransaction, other }: Connections): string =>
  `${active} active, ${idle} idle, ${idleInTransaction} idle in a transaction, ${other} other`

/** What readings saw; nothing where there was none. */
function inside({
  connections,
  cacheLimit,
  cacheUsed,
  workingSet,
  averageActive,
  readingProblem,
}: ComputeView): Html {
  const lines: readonly (readonly [string, string | undefined])[] = [
    ['Connections', connections && connectionsText(connections)],
    ['Statements running at a time', averageActive?.toFixed(2)],
    [
      'File cache in use',
      cacheLimit === undefined ? undefined : `${sizeOf(cacheUsed ?? 0)} of ${sizeOf(cacheLimit)}`,
    ],
    ...workingSet.map(
      ({ window, size }) => [`Working set of the last ${lastText(window)}`, sizeOf(size)] as const,
    ),
  ]
  const known = lines.flatMap(([label, value]) => (value === undefined ? [] : [figure(label, value)]))
  return html`<section>
    <h2>Inside, at the last reading</h2>
    ${known.length === 0 ? html`<p class="about">It was never read inside${readingProblem !== undefined && html`: <bdi>${readingProblem}</bdi>`}.</p>` : html`<dl class="figures small">${known}</dl>`}
  </section>`
}

function facts(
  { ref, compute, project, owner, counters, seenAt }: ComputeView,
  { now, house: { zone } }: Context,
): Html {
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
    ['Wakes caused by Dormouse', String(counters.wakesCaused)],
    ['Last seen', clockHtml(seenAt, now, zone)],
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
