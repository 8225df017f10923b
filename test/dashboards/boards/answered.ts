// Problems in the answers of a Prometheus to the queries of a board.
import type { BoardJson, SectionHeading, PlacedPanel } from '../../../dashboards/boards/board.ts'
import type { Found, Past } from './past.ts'

/** Variables that Grafana replaces; `Past` has the time range. */
const TIMES: Readonly<Record<string, string>> = {
  __rate_interval: '5m',
  __interval: '5m',
  __range: '7d',
}

/** Seconds of `$__interval`; annotations use a longer one. */
const STEP = 300
const OFTEN = 60

export const panelsOf = (board: BoardJson): readonly PlacedPanel[] =>
  board.panels.filter((panel: PlacedPanel | SectionHeading): panel is PlacedPanel => panel.type !== 'row')

/** Name of a variable → its value. */
export type Chosen = ReadonlyMap<string, string>

export const interpolated = (text: string, chosen: Chosen): string =>
  text.replaceAll(/\$(\w+)/g, (whole, name: string) => TIMES[name] ?? chosen.get(name) ?? whole)

/** A line per query without a result, without a number, or with unexpected labels. */
export async function problemsOf(board: BoardJson, past: Past): Promise<readonly string[]> {
  const { chosen, problems } = await choose(board, past)
  for (const panel of panelsOf(board)) {
    const answers: Found[][] = []
    for (const target of panel.targets) {
      const query = interpolated(target.expr, chosen)
      // oxlint-disable-next-line no-await-in-loop -- one after the other is easier on a small machine
      const found = await (target.instant ? past.now(query) : past.range(query, STEP))
      const what = `${panel.title}, ${target.refId}`
      answers.push([...found])
      problems.push(...about(found, what), ...absent(target.legendFormat, found, what))
    }
    problems.push(...(panel.type === 'table' ? tableProblems(panel, answers) : doubles(panel, answers)))
  }
  for (const annotation of board.annotations.list) {
    if (!('target' in annotation)) continue
    // oxlint-disable-next-line no-await-in-loop
    const found = await past.range(interpolated(annotation.target.expr, chosen), OFTEN)
    problems.push(...about(found, annotation.name), ...absent(annotation.textFormat, found, annotation.name))
  }
  return problems
}

const isNumber = (value: string): boolean => value !== 'NaN'

function about(found: readonly Found[], what: string): readonly string[] {
  if (found.length === 0) return [`${what}: finds nothing`]
  return found.some(({ values }) => values.some(isNumber)) ? [] : [`${what}: finds no number`]
}

const named = (legend: string): readonly string[] =>
  [...legend.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label)

/** Every label that a legend names must be on the series. */
const absent = (legend: string, found: readonly Found[], what: string): readonly string[] =>
  named(legend)
    .filter((label) => found.length > 0 && !found.some(({ metric }) => label in metric))
    .map((label) => `${what}: no series has the label ${label} of the legend`)

/** Two series with the same legend: of two replicas, or of two queries. */
function doubles({ title, targets }: PlacedPanel, answers: readonly (readonly Found[])[]): readonly string[] {
  const called = targets.flatMap(({ legendFormat }, index) =>
    (answers[index] ?? []).map(({ metric }) =>
      named(legendFormat).reduce(
        (text, label) => text.replaceAll(`{{${label}}}`, metric[label] ?? ''),
        legendFormat,
      ),
    ),
  )
  const again = called.filter((text, index) => called.indexOf(text) < index)
  return [...new Set(again)].map((text) => `${title}: more than one series is called ${text}`)
}

type Organize = {
  readonly excludeByName: Readonly<Record<string, boolean>>
  readonly indexByName: Readonly<Record<string, number>>
}

/** Rows are merged by the labels that all queries share: each label set may occur once per query. */
function tableProblems(
  { title, targets, transformations = [] }: PlacedPanel,
  answers: readonly Found[][],
): string[] {
  const organize = transformations.find(({ id }) => id === 'organize')?.options as Organize | undefined
  const known = [...Object.keys(organize?.indexByName ?? {}), ...Object.keys(organize?.excludeByName ?? {})]
  const labels = answers.map((found) => new Set(found.flatMap(({ metric }) => Object.keys(metric))))
  const all = new Set(labels.flatMap((some) => [...some]))
  const shared = [...all].filter((label) => labels.every((some) => some.has(label)))
  const expected = known.filter((name) => name !== 'Time' && !name.startsWith('Value #'))
  return [
    ...(shared.length === 0 ? [`${title}: its queries share no label`] : []),
    ...[...all]
      .filter((label) => !known.includes(label))
      .map((label) => `${title}: ${label} is a column nobody wants`),
    ...expected.filter((label) => !all.has(label)).map((label) => `${title}: no query has ${label}`),
    ...answers.flatMap((found, index) => {
      const keys = found.map(({ metric }) => JSON.stringify(shared.map((label) => metric[label])))
      return new Set(keys).size === keys.length
        ? []
        : [`${title}, ${targets[index]?.refId}: more than one series for a row`]
    }),
  ]
}

/** Values of the variables when a board opens: all, or the first. */
async function choose(board: BoardJson, past: Past): Promise<{ chosen: Chosen; problems: string[] }> {
  const chosen = new Map<string, string>()
  const problems: string[] = []
  for (const variable of board.templating.list) {
    if (variable.type !== 'query') continue
    const { name, query, allValue } = variable
    // oxlint-disable-next-line no-await-in-loop -- each asks with those before it
    const options = await optionsOf(interpolated(query.query, chosen), variable.regex, past)
    if (options.length === 0) problems.push(`$${name}: finds nothing`)
    chosen.set(name, allValue ?? options[0] ?? '')
  }
  return { chosen, problems }
}

async function optionsOf(query: string, regex: string, past: Past): Promise<readonly string[]> {
  const [, selector = '', label = ''] = /^label_values\((.+),\s*(\w+)\)$/.exec(query) ?? []
  if (label !== '') return past.labelValues(selector, label)
  const [, expr] = /^query_result\((.+)\)$/.exec(query) ?? []
  if (expr === undefined) throw new Error(`a variable asks ${query}`)
  const texts = (await past.now(expr)).map(resultText)
  const pattern = new RegExp(regex.slice(1, -1))
  return texts.flatMap((text) => pattern.exec(text)?.groups?.['value'] ?? [])
}

/** A series in the notation of Grafana variables. */
const resultText = ({ metric, values }: Found): string =>
  `{${Object.entries(metric)
    .map(([name, value]) => `${name}="${value}"`)
    .join(',')}} ${values[0]} 0`
