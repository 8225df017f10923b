import { expect, test } from 'vitest'
import {
  boardJson,
  type BoardJson,
  type SectionHeading,
  type PlacedPanel,
} from '../../../dashboards/boards/board.ts'
import { BOARDS } from '../../../dashboards/boards/boards.ts'
import { CATALOGUE, PREFIX } from '../../../src/outputs/metrics/catalogue.ts'
import { createSelfMetrics } from '../../../src/outputs/metrics/self.ts'
import { RULE_GROUPS } from '../../../dashboards/rules/rules.ts'
import { panelsOf } from './answered.ts'
import { selectorsOf } from './selectors.ts'

const JSONS = BOARDS.map(boardJson)
const each = test.each(JSONS.map((board) => [board.title, board] as const))

/** Queries of panels, annotations and variables. */
const queriesOf = (board: BoardJson): readonly string[] => [
  ...panelsOf(board).flatMap(({ targets }) => targets.map(({ expr }) => expr)),
  ...board.annotations.list.flatMap((one) => ('target' in one ? [one.target.expr] : [])),
  ...board.templating.list.flatMap((one) => (one.type === 'query' ? [askedBy(one.query.query)] : [])),
]

/** Selector or query of a variable, without the function around it. */
const askedBy = (query: string): string => query.replace(/^\w+\(/, '').replace(/(, \w+)?\)$/, '')

const SUFFIXES = { histogram: ['_bucket', '_sum', '_count'], counter: [''], gauge: [''] } as const
const EXPORTED = new Set(
  Object.entries(CATALOGUE).flatMap(([name, { type }]) =>
    SUFFIXES[type].map((suffix) => PREFIX + name + suffix),
  ),
)
const RECORDED = RULE_GROUPS.flatMap(({ recordings }) => recordings.map(({ record }) => record))

each('%s: every metric is exported or recorded', async (_, board) => {
  const process = (await createSelfMetrics().parts()).map(({ name }) => name)
  const known = new Set([...EXPORTED, ...RECORDED, ...process])
  const named = queriesOf(board).flatMap((query) => selectorsOf(query).map(({ name }) => name))
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter((name) => !known.has(name))).toEqual([])
})

const lesser = Object.entries(CATALOGUE)
  .filter(([, { basic, owner, each: count }]) => !basic && owner === 'snapshot' && count > 0)
  .map(([name]) => PREFIX + name)
const isLesser = (query: string): boolean => selectorsOf(query).some(({ name }) => lesser.includes(name))

/** Panels, series and columns that are marked (full), and those that must be. */
function fullIn({ type, title, targets, fieldConfig }: PlacedPanel) {
  const needs = targets.map(({ expr }) => isLesser(expr))
  const isWhole = type !== 'table' && needs.length > 0 && needs.every(Boolean)
  const names = type === 'table' ? ['', ...columnsOf(fieldConfig)] : targets.map((one) => one.legendFormat)
  return {
    said: [title, ...names].map((name) => name.endsWith(' (full)')),
    needed: [isWhole, ...needs.map((one) => one && !isWhole)],
  }
}

/** The first query of a table has its rows, each further one a column. */
const columnsOf = ({ overrides }: PlacedPanel['fieldConfig']): readonly string[] =>
  overrides
    .filter(({ properties }) => properties.some(({ id }) => id === 'unit'))
    .map(({ matcher }) => matcher.options)

each('%s: what needs all details says so, and nothing else does', (_, board) => {
  for (const panel of panelsOf(board)) {
    const { said, needed } = fullIn(panel)
    expect([panel.title, said]).toEqual([panel.title, needed])
    expect([panel.title, panel.description.includes('metrics.detail: full')]).toEqual([
      panel.title,
      needed.some(Boolean),
    ])
  }
})

test('the fleet board needs no more than metrics.detail: basic', () => {
  const [fleet] = JSONS
  expect(fleet?.uid).toBe('dormouse-fleet')
  expect(queriesOf(fleet as BoardJson).filter(isLesser)).toEqual([])
})

const overlap = ({ gridPos: a }: Placed, { gridPos: b }: Placed): boolean =>
  a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h
type Placed = PlacedPanel | SectionHeading

each('%s: panels fill their lines, stay apart, and have ids of their own', (_, { panels }) => {
  const all: readonly Placed[] = panels
  expect(all.flatMap((one, at) => all.slice(at + 1).filter((other) => overlap(one, other)))).toEqual([])
  expect(all.filter(({ gridPos: { x, w, h } }) => x + w > 24 || w < 3 || (h < 4 && w < 24))).toEqual([])
  const lines = Map.groupBy(all, ({ gridPos }) => gridPos.y)
  for (const line of lines.values()) expect(line.reduce((sum, { gridPos }) => sum + gridPos.w, 0)).toBe(24)
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
})

each('%s: its links lead to the others, with the time and what was chosen', (_, board) => {
  const [link] = board.links
  expect(link).toMatchObject({ type: 'dashboards', keepTime: true, includeVars: true })
  expect(JSONS.filter(({ tags }) => link?.tags.every((tag) => tags.includes(tag)))).toHaveLength(4)
  expect(board.templating.list.map(({ name }) => name)).toEqual(
    'datasource job team project compute budget currency'.split(' '),
  )
})

each(
  '%s: every variable that is shown is asked for, and every one that is asked for is shown',
  (_, board) => {
    const asked = JSON.stringify([board.panels, board.annotations])
    const shown = board.templating.list.filter(({ hide }) => hide === 0).map(({ name }) => name)
    const known = board.templating.list.map(({ name }) => name)
    const named = [...asked.matchAll(/\$\{?(\w+)/g)]
      .map(([, name = '']) => name)
      .filter((name) => !name.startsWith('__'))
    expect(new Set(named)).toEqual(new Set(shown))
    expect(named.filter((name) => !known.includes(name))).toEqual([])
  },
)

each('%s: every column of a table that is named is there, and links lead to a board', (_, board) => {
  const uids = JSONS.map(({ uid }) => uid)
  for (const { type, title, transformations = [], fieldConfig, options } of panelsOf(board)) {
    if (type !== 'table') continue
    const organize = transformations.find(({ id }) => id === 'organize')?.options as {
      renameByName: Record<string, string>
    }
    const columns = Object.values(organize.renameByName)
    expect([title, new Set(columns).size]).toEqual([title, columns.length])
    const named = [
      ...fieldConfig.overrides.map(({ matcher }) => matcher.options),
      ...(options['sortBy'] as { displayName: string }[]).map(({ displayName }) => displayName),
    ]
    expect(named.filter((name) => !columns.includes(name))).toEqual([])
    const links = [...JSON.stringify(fieldConfig.overrides).matchAll(/"\/d\/([\w-]+)/g)].map(
      ([, uid = '']) => uid,
    )
    expect(links.filter((uid) => !uids.includes(uid))).toEqual([])
  }
})

/** Pattern as Grafana reads it: without slashes it must match the whole name. */
const patternOf = (text: string): RegExp => new RegExp(/^\/(.*)\/$/.exec(text)?.[1] ?? `^${text}$`)

each('%s: what is said of some series is said of series that are there', (_, board) => {
  const patterns = panelsOf(board).flatMap(({ title, targets, fieldConfig: { overrides } }) =>
    overrides
      .filter(({ matcher }) => matcher.id === 'byRegexp')
      .map(({ matcher }) => ({ title, pattern: patternOf(matcher.options), targets })),
  )
  const idle = patterns.filter(
    ({ pattern, targets }) => !targets.some(({ legendFormat }) => pattern.test(legendFormat)),
  )
  expect(idle.map(({ title }) => title)).toEqual([])
})
