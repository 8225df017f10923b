// All recommendations of an account for terminals and spreadsheets.
import { sumOf } from '../../std/sum.ts'
import { countWithNoun, moneyText, toSecond, savingText } from './amounts.ts'
import { inMoney } from './compute-fields.ts'
import { csvLine } from './csv.ts'
import type { RecommendationJson, RecommendationsJson, WithheldJson } from './recommendation-schema.ts'
import {
  recommendationLines,
  recommendationSummary,
  recommendationTitle,
  settingText,
} from './recommendation-text.ts'
import { fits, KIND_TEXTS, reasonGroups, WITHHELD_TEXTS, withheldText } from './withheld-text.ts'

/** Computes without an answer that are listed one by one: their cost is a reason to look at them now. */
const MAX_ALWAYS_ON = 20

/** What the list was limited to, as it was asked for. */
type Asked = Readonly<{ compute?: string | undefined; state?: string | undefined }>

/** Lists every reason of one compute, and counts the reasons of many. */
export function recommendationListLines(all: RecommendationsJson, asked: Asked): readonly string[] {
  const { account, currency, recommendations, withheld } = all
  const isOneCompute = asked.compute !== undefined
  const open = recommendations.filter(({ state }) => state === 'open')
  const ended = recommendations.filter(({ state }) => state !== 'open')
  return [
    `account ${account}: ${headingText(all, asked)}`,
    ...[...bySaving(open), ...bySaving(ended)].flatMap((one) => ['', ...blockOf(one, currency)]),
    ...reasonGroups(withheld).flatMap(({ heading, reasons }) => [
      '',
      `${heading}:`,
      ...(isOneCompute ? reasons : alwaysOn(reasons)).map(
        (one) => `  ${computeText(one)}: ${withheldText(one, currency)}`,
      ),
      ...(isOneCompute ? [] : countLines(reasons, currency)),
    ]),
  ]
}

/** A list that was limited to another state says nothing of open ones. */
function headingText(all: RecommendationsJson, asked: Asked): string {
  const { recommendations, withheld, saving_micros_per_30_days: saving, currency } = all
  const { state = 'open' } = asked
  if (state === 'withheld') return withheld.length === 0 ? 'nothing is withheld' : 'what is withheld, and why'
  const { length } = recommendations.filter((one) => one.state === state)
  if (length === 0) return `no ${state} recommendations${notEvaluatedText(all, asked)}`
  const count = countWithNoun(length, `${state} recommendation`)
  return state === 'open' ? `${count}; applying all ${savingText(saving, currency)}` : count
}

/** An empty list of all states is no answer: every compute that was evaluated has an entry. Evaluation begins after the first pass. */
function notEvaluatedText(
  { recommendations, withheld }: RecommendationsJson,
  { compute, state }: Asked,
): string {
  if (state !== undefined || recommendations.length + withheld.length > 0) return ''
  return compute === undefined ? '; no compute was evaluated so far' : `; ${compute} was not evaluated so far`
}

const bySaving = (recommendations: readonly RecommendationJson[]) =>
  recommendations.toSorted((a, b) => b.saving_micros_per_30_days.likely - a.saving_micros_per_30_days.likely)

const blockOf = (one: RecommendationJson, currency: string) => [
  `${computeText(one)}: ${recommendationSummary(one, currency)}`,
  ...recommendationLines(one, currency).map((line) => `  ${line}`),
  ...implementationLines(one).map((line) => `  ${line}`),
  ...(one.state === 'open' ? adviceCommands(one).map((command) => `  ${command}`) : []),
]

/** What implements it: a text for whoever manages the compute, else the request. Reports of earlier versions have no texts. */
export const implementationLines = ({
  curl,
  patch,
}: Pick<RecommendationJson, 'curl' | 'patch'>): readonly string[] =>
  patch ? patch.split('\n') : curl === null ? [] : [curl]

/** What a person may do with an open one: a change of settings can be approved, unless somebody else manages them. */
export const adviceCommands = ({
  id,
  kind,
  patch,
}: Pick<RecommendationJson, 'id' | 'kind' | 'patch'>): readonly string[] => [
  ...(APPROVABLE.has(kind) && !patch ? [`dormouse approve ${id}`] : []),
  `dormouse dismiss ${id} --reason "…"`,
]

/** Kinds that a change implements. */
const APPROVABLE: ReadonlySet<RecommendationJson['kind']> = new Set([
  'delay',
  'sizing',
  'refresh',
  'defaults',
])

/** `ep-one (shop)`; `new computes of project-one (shop)`. */
const computeText = (one: WithheldJson | RecommendationJson) => {
  const { project_id: projectId, endpoint_id: endpointId, name, project_name: project } = one
  const id = endpointId ?? `new computes of ${projectId}`
  const known = name ?? project
  return known === null ? id : `${id} (${known})`
}

/** Delays of computes whose autosuspend is off, the dearest first. */
function alwaysOn(withheld: readonly WithheldJson[]) {
  const costly = withheld.filter((one) => one.always_on_micros_per_30_days !== null)
  return costly.toSorted((a, b) => costOf(b) - costOf(a)).slice(0, MAX_ALWAYS_ON)
}

const costOf = (one: WithheldJson) => one.always_on_micros_per_30_days ?? 0

function countLines(withheld: readonly WithheldJson[], currency: string) {
  const groups = Map.groupBy(
    withheld,
    ({ kind, because }) => `${KIND_TEXTS[kind]}: ${WITHHELD_TEXTS[because]}`,
  )
  const ordered = [...groups].toSorted(
    ([, a], [, b]) => sumOf(b, costOf) - sumOf(a, costOf) || b.length - a.length,
  )
  return ordered.map(([text, same]) => {
    const firstAnswer = same.flatMap(({ until }) => until ?? []).toSorted()[0]
    const cost = sumOf(same, costOf)
    return [
      `  ${text}: ${countWithNoun(same.length, 'compute')}`,
      ...(firstAnswer === undefined ? [] : [`first answer about ${toSecond(firstAnswer)}`]),
      ...(cost === 0 ? [] : [`those without autosuspend cost ${moneyText(cost, currency)} in 30 days`]),
    ].join('; ')
  })
}

const CSV_COLUMNS = [
  'account',
  'project_id',
  'project_name',
  'endpoint_id',
  'name',
  'kind',
  'state',
  'id',
  'from',
  'to',
  'restarts',
  'saving_low',
  'saving',
  'saving_high',
  'currency',
  'confidence',
  'wakes_before',
  'wakes_after',
  'because',
  'until',
] as const

/** A row for each recommendation, and for each reason why there is none, with the state `withheld`, or `fits` where nothing is to change. Savings are those of 30 days. */
export const recommendationCsv = ({ account, currency, recommendations, withheld }: RecommendationsJson) => {
  const identityOf = (one: RecommendationJson | WithheldJson) => [
    account,
    one.project_id,
    one.project_name,
    one.endpoint_id,
    one.name,
    one.kind,
  ]
  const rows = recommendations.map((one) => {
    const { saving_micros_per_30_days: saving, effect, ended } = one
    return [
      ...identityOf(one),
      one.state,
      one.id,
      settingText(one.from),
      settingText(one.to) || recommendationTitle(one),
      String(one.restarts),
      ...[saving.low, saving.likely, saving.high].map(inMoney),
      currency,
      one.confidence,
      effect.wakes_per_day?.before,
      effect.wakes_per_day?.after,
      ended?.because,
      ended?.until,
    ]
  })
  const reasons = withheld.map((one) => [
    ...identityOf(one),
    fits(one) ? 'fits' : 'withheld',
    ...Array.from({ length: 11 }, () => undefined),
    one.because,
    one.until,
  ])
  return [CSV_COLUMNS, ...rows, ...reasons].map(csvLine).join('')
}
