// Writes every file that is made from the code: `npm run generate`. test/docs.test.ts fails when one differs.
import { readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { stringify } from 'yaml'
import { defaultYaml } from '../../src/config/defaults.ts'
import { configJsonSchemaText } from '../../src/config/json-schema.ts'
import { BOARDS, boardText, boardFileOf } from '../../dashboards/boards/boards.ts'
import { CATALOGUE, PREFIX } from '../../src/outputs/metrics/catalogue.ts'
import { unitOf } from '../../src/outputs/metrics/catalogue/family.ts'
import { DAY_COLUMNS, INTERVAL_COLUMNS, ROLLUP_COLUMNS } from '../../src/outputs/text/export-columns.ts'
import { reportJsonSchema } from '../../src/outputs/report/schema.ts'
import { changesJsonSchema } from '../../src/outputs/text/change-schema.ts'
import { recommendationsJsonSchema } from '../../src/outputs/text/recommendation-schema.ts'
import { alertName, RULE_GROUPS, ruleFile, runbookOf } from '../../dashboards/rules/rules.ts'
import { FILES, FOLDERS } from './dependencies.ts'

export const ROOT = join(import.meta.dirname, '../..')

export type Generated = {
  /** Relative to the top level. */
  readonly path: string
  /** The new text of the file, from its current text; undefined where the file does not exist yet. */
  readonly content: (current: string | undefined) => string
}

/** One entry for each file, or for each part of one between markers. */
export const GENERATED: readonly Generated[] = [
  { path: 'config/schema.json', content: configJsonSchemaText },
  { path: 'config/report.schema.json', content: () => indentedJson(reportJsonSchema()) },
  {
    path: 'config/recommendations.schema.json',
    content: () => indentedJson(recommendationsJsonSchema()),
  },
  { path: 'config/changes.schema.json', content: () => indentedJson(changesJsonSchema()) },
  { path: 'config/default.yaml', content: () => defaultYaml() },
  { path: 'src/README.md', content: between('dependencies', dependencyTable) },
  { path: 'config/README.md', content: between('keys', keyTable) },
  { path: 'config/README.md', content: between('export', exportTable) },
  { path: 'dashboards/README.md', content: between('metrics', metricTable) },
  { path: 'dashboards/README.md', content: between('alerts', alertTable) },
  { path: 'dashboards/alerts.yaml', content: alertsYaml },
  { path: 'config/deploy/kubernetes/monitoring/prometheus-rule.yaml', content: prometheusRuleYaml },
  ...BOARDS.map((board) => ({ path: boardFileOf(board), content: () => boardText(board) })),
]

/** Puts what `text` yields between `<!-- name -->` and `<!-- /name -->`; the rest of the file is written by people. */
function between(name: string, text: () => string): Generated['content'] {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  return (whole = `${begin}\n${end}\n`) => {
    const from = whole.indexOf(begin)
    const to = whole.indexOf(end)
    if (from === -1 || to < from) throw new Error(`expected the markers ${begin} and ${end}`)
    return `${whole.slice(0, from + begin.length)}\n\n${text()}\n\n${whole.slice(to)}`
  }
}

const code = (words: readonly string[]): string => words.map((word) => `\`${word}\``).join(' ')

const indentedJson = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`

function dependencyTable(): string {
  const folders = Object.entries(FOLDERS).map(
    ([folder, { purpose, mayImport }]) =>
      `| ${code([folder])} | ${purpose} | ${mayImport ? code(mayImport) || 'nothing' : ''} |`,
  )
  const files = Object.entries(FILES).map(
    ([file, allowed]) => `| ${code([file])} | | ${code(allowed) || 'nothing'} |`,
  )
  return [
    '| folder or file | purpose | may import, besides itself |',
    '|---|---|---|',
    ...folders,
    ...files,
  ].join('\n')
}

type KeySchema = {
  readonly description?: string
  readonly default?: unknown
  readonly properties?: Readonly<Record<string, KeySchema>>
  readonly items?: KeySchema
  readonly anyOf?: readonly KeySchema[]
}

/** Every key of the configuration by its path; the keys of receivers and selectors, which occur several times, have a row each time. */
function keyTable(): string {
  const rows = keyRows(JSON.parse(configJsonSchemaText()) as KeySchema, '')
  return ['| key | default | meaning |', '|---|---|---|', ...rows].join('\n')
}

function keyRows({ properties = {}, items, anyOf = [] }: KeySchema, path: string): readonly string[] {
  const own = Object.entries(properties).flatMap(([key, schema]) => [
    `| \`${path}${key}\` | ${defaultOf(schema)} | ${(schema.description ?? '').replaceAll('|', '\\|')} |`,
    ...keyRows(schema, `${path}${key}.`),
  ])
  const listed = items ? keyRows(items, `${path.slice(0, -1)}[].`) : []
  return [...new Set([...own, ...listed, ...anyOf.flatMap((schema) => keyRows(schema, path))])]
}

/** A section has no default of its own: its keys have. */
const defaultOf = ({ default: value }: KeySchema): string =>
  value === undefined || JSON.stringify(value) === '{}' ? '' : `\`${JSON.stringify(value)}\``

function metricTable(): string {
  const rows = Object.entries(CATALOGUE).map(([name, family]) => {
    const { type, labels, basic, help } = family
    return `| \`${PREFIX}${name}\`${basic ? ' •' : ''} | ${type} | ${code(labels)} | ${unitOf(name, family) ?? ''} | ${help} |`
  })
  return ['| metric | type | labels | unit | meaning |', '|---|---|---|---|---|', ...rows].join('\n')
}

function exportTable(): string {
  const tables = [
    ['days', DAY_COLUMNS],
    ['intervals', INTERVAL_COLUMNS],
    ['rollups, rollups-5m', ROLLUP_COLUMNS],
  ] as const
  const rows = tables.flatMap(([what, columns]) =>
    Object.entries(columns).map(([name, [meaning]]) => `| ${what} | \`${name}\` | ${meaning} |`),
  )
  return ['| of | column | meaning |', '|---|---|---|', ...rows].join('\n')
}

/** Text of an alert, with … in place of its templates. */
function alertTable(): string {
  const rows = RULE_GROUPS.flatMap(({ rules }) =>
    rules.map((rule) => {
      const says = rule.summary
        .replace(/\{\{ with .*?\{\{ end \}\}/g, '')
        .replace(/\{\{.*?\}\}/g, '…')
        .replace(/\.$/, '')
      return `| [\`${alertName(rule)}\`](${relative('dashboards', runbookOf(rule))}) | ${rule.severity} | ${rule.for ?? 'at once'} | ${says} |`
    }),
  )
  return ['| alert | severity | after | says |', '|---|---|---|---|', ...rows].join('\n')
}

const ALERTS_HEAD = `# Rules for Prometheus 2.42 or newer, written by \`npm run generate\` from dashboards/rules.
# The job that scrapes Dormouse has to be called dormouse.
`

function alertsYaml(): string {
  return ALERTS_HEAD + stringify(ruleFile(RULE_GROUPS), { lineWidth: 0 })
}

/** The same rules for the Prometheus operator. */
function prometheusRuleYaml(): string {
  const resource = {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: { name: 'dormouse' },
    spec: ruleFile(RULE_GROUPS),
  }
  const head =
    '# dashboards/alerts.yaml for the Prometheus operator, written by `npm run generate` from dashboards/rules.\n'
  return head + stringify(resource, { lineWidth: 0 })
}

/** The file as it is; undefined when it is not there. */
export function current({ path }: Generated): string | undefined {
  try {
    return readFileSync(join(ROOT, path), 'utf8')
  } catch {
    return undefined
  }
}

if (import.meta.main) {
  for (const generated of GENERATED) {
    writeFileSync(join(ROOT, generated.path), generated.content(current(generated)))
    console.log(generated.path)
  }
}
