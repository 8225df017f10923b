import { RECOMMENDATION_KINDS, type RecommendationKind } from '../../model/policy/recommendation.ts'
import { moneyText, shortNumber } from '../text/amounts.ts'
import { html, type Html, type HtmlPart } from '../text/html.ts'
import { headings, tableHtml } from '../text/html-table.ts'
import type { RecommendationJson, WithheldJson } from '../text/recommendation-schema.ts'
import {
  amountText,
  recommendationLines,
  recommendationTitle,
  stateText,
} from '../text/recommendation-text.ts'
import { KIND_TEXTS, withheldReason } from '../text/withheld-text.ts'
import { detailsHtml } from './advice.ts'
import { choice, ownerOptions } from './filters.ts'
import { EMPTY_CELL, encodePathPart, labelledFigure, type PageContent } from './layout.ts'
import { NONE_VALUE, pageNumber } from './query.ts'
import { targetLink } from './target-link.ts'
import { withLocalTimes, type LocalNow } from './timestamps.ts'

const LISTS = ['open', 'implemented', 'dismissed', 'withheld', 'fits'] as const
export type AdviceList = (typeof LISTS)[number]

export type AdviceQuery = Readonly<{
  state: AdviceList
  kind: RecommendationKind | undefined
  /** Undefined: any; empty: computes without one. */
  team: string | undefined
  /** From 1. */
  page: number
}>

/** Values that are not understood are ignored. */
export const adviceQuery = (parameters: Readonly<Record<string, string>>): AdviceQuery => ({
  state: LISTS.find((one) => one === parameters['state']) ?? 'open',
  kind: RECOMMENDATION_KINDS.find((one) => one === parameters['kind']),
  team: parameters['team'] === NONE_VALUE ? '' : parameters['team'] || undefined,
  page: pageNumber(parameters['page']),
})

type AdviceRowBase = Readonly<{ currency: string; team: string }>
export type AdviceRow =
  | (AdviceRowBase & Readonly<{ kind: 'recommendation'; one: RecommendationJson }>)
  | (AdviceRowBase & Readonly<{ kind: 'withheld'; one: WithheldJson }>)

export type AdvicePageInput = Readonly<{
  query: AdviceQuery
  /** Rows of this page: largest likely saving, or largest cost without autosuspend, first. */
  rows: readonly AdviceRow[]
  matches: number
  teams: readonly string[]
  /** Saving of each account in 30 days, with all open ones applied. */
  savings: readonly Readonly<{ account: string; text: string }>[]
  localNow: LocalNow
}>

/** Keeps a page below 300 kB. */
export const ADVICE_PER_PAGE = 100

export function recommendationsPage(input: AdvicePageInput): PageContent {
  const { query, rows, matches, savings } = input
  const pages = Math.max(1, Math.ceil(matches / ADVICE_PER_PAGE))
  return {
    title: 'Recommendations',
    path: '/recommendations',
    main: html`<h1>Recommendations</h1>
      <dl class="figures">
        ${savings.map(({ account, text }) => labelledFigure(savings.length > 1 ? `Applying all, ${account}` : 'Applying all', text))}
      </dl>
      ${listLinks(query)} ${filterForm(input)}
      ${rows.length === 0 ? html`<p class="nothing">${emptyText(query)}</p>` : tableOf(input)}
      ${pages > 1 && pager(query, pages)}`,
  }
}

const LIST_TEXTS: Readonly<Record<AdviceList, string>> = {
  open: 'Open',
  implemented: 'Implemented',
  dismissed: 'Dismissed',
  withheld: 'Withheld',
  fits: 'Nothing to change',
}

const EMPTY_TEXTS: Readonly<Record<AdviceList, string>> = {
  open: 'There is none: “Withheld” says why, and when there may be one.',
  implemented: 'None was implemented.',
  dismissed: 'None is dismissed.',
  withheld: 'Nothing is withheld: no compute has been judged yet, or every kind has its answer.',
  fits: 'No compute has been judged yet, or none has a setting that fits.',
}

const emptyText = ({ state, kind, team }: AdviceQuery) =>
  kind === undefined && team === undefined ? EMPTY_TEXTS[state] : 'Nothing matches these filters.'

/** Order of the lists that hold reasons in place of recommendations, in words after the number of rows. */
const ORDER_TEXTS: Readonly<Partial<Record<AdviceList, string>>> = {
  withheld: 'withheld, the dearest first',
  fits: 'with nothing to change',
}

const pathOf = ({ state, kind, team, page }: AdviceQuery) => {
  const values = {
    state: state === 'open' ? undefined : state,
    kind,
    team: team === '' ? NONE_VALUE : team,
    page: page === 1 ? undefined : String(page),
  }
  const parameters = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodePathPart(value)}`],
  )
  return `/recommendations${parameters.length === 0 ? '' : `?${parameters.join('&')}`}`
}

const listLinks = (query: AdviceQuery) =>
  html`<nav class="choices" aria-label="States">
    ${LISTS.map(
      (state) =>
        html`<a
          href="${pathOf({ ...query, state, page: 1 })}"
          ${state === query.state && html` aria-current="true"`}
          >${LIST_TEXTS[state]}</a
        >`,
    )}
  </nav>`

const filterForm = ({ query: { kind, team, state }, teams }: AdvicePageInput) =>
  html`<form
    class="filters"
    method="get"
    action="/recommendations"
    role="search"
    aria-label="Recommendations"
  >
    ${choice('Kind', 'kind', { options: RECOMMENDATION_KINDS.map((one) => [one, KIND_TEXTS[one]]), selected: kind })}
    ${teams.length > 0 && choice('Team', 'team', ownerOptions(teams, team))}
    ${state !== 'open' && html`<input type="hidden" name="state" value="${state}" />`}
    <button type="submit">Show</button>
  </form>`

function tableOf({ rows, query, matches, localNow }: AdvicePageInput): Html {
  const { state } = query
  const columns =
    state in ORDER_TEXTS
      ? headings({ Compute: 'name', Kind: 'name', Why: 'words', Team: 'name' })
      : headings({
          Compute: 'name',
          Recommendation: 'words',
          'Saving in 30 days': 'number',
          'Wakes a day': 'number',
          Confidence: 'name',
          Team: 'name',
        })
  return html`<p class="about">${matches} ${ORDER_TEXTS[state] ?? `${state}, by likely saving`}.</p>
    ${tableHtml({ label: 'Recommendations', columns, rows: rows.map((row) => cellsOf(row, localNow)) })}`
}

function cellsOf(row: AdviceRow, localNow: LocalNow): readonly HtmlPart[] {
  const team = row.team === '' ? EMPTY_CELL : html`<bdi>${row.team}</bdi>`
  const { one, currency } = row
  const compute = targetLink(one, 'recommendations')
  if (row.kind === 'withheld')
    return [compute, KIND_TEXTS[one.kind], withLocalTimes(withheldReason(row.one, currency), localNow), team]
  return recommendationCells(row.one, currency, { compute, team, localNow })
}

function recommendationCells(
  one: RecommendationJson,
  currency: string,
  { compute, team, localNow }: Readonly<{ compute: Html; team: Html; localNow: LocalNow }>,
): readonly HtmlPart[] {
  const saving = one.saving_micros_per_30_days
  const wakes = one.effect.wakes_per_day
  const title = html`<bdi>${withLocalTimes(recommendationTitle(one), localNow)}</bdi>`
  return [
    compute,
    html`${saving.likely < 0 && html`<b>${amountText(one, currency)}:</b> `}${title}
      ${one.state !== 'open' && html`<small><bdi>${withLocalTimes(stateText(one, currency), localNow)}</bdi></small>`}
      <details data-key="${one.id}">
        <summary>More</summary>
        ${detailsHtml(one, recommendationLines(one, currency), localNow)}
      </details>`,
    html`${moneyText(saving.likely, currency)}<small
        >${moneyText(saving.low, currency)} to ${moneyText(saving.high, currency)}</small
      >`,
    wakes ? `${shortNumber(wakes.before)} → ${shortNumber(wakes.after)}` : EMPTY_CELL,
    one.confidence,
    team,
  ]
}

const pager = (query: AdviceQuery, pages: number) =>
  html`<nav class="pager" aria-label="More recommendations">
    ${query.page > 1 && html`<a rel="prev" href="${pathOf({ ...query, page: query.page - 1 })}">Before</a>`}<span
      >Page ${Math.min(query.page, pages)} of ${pages}</span
    >${query.page < pages && html`<a rel="next" href="${pathOf({ ...query, page: query.page + 1 })}">Next</a>`}
  </nav>`
