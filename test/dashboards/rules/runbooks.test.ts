import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Io } from '../../../src/cli/terminal/io.ts'
import { runProgram } from '../../../src/cli/program.ts'
import { CATALOGUE, PREFIX } from '../../../src/outputs/metrics/catalogue.ts'
import { alertName, RULE_GROUPS, runbookOf } from '../../../dashboards/rules/rules.ts'
import { testWith } from '../../support/tiers.ts'
import { promtool } from './promtool.ts'
import { noRedactor } from '../../support/secrets.ts'

const ROOT = join(import.meta.dirname, '../../..')
const FOLDER = join(ROOT, 'dashboards/runbooks')
const RULES = RULE_GROUPS.flatMap(({ rules }) => rules)

const books = readdirSync(FOLDER).map((file) => ({
  file,
  name: file.replace(/\.md$/, ''),
  text: readFileSync(join(FOLDER, file), 'utf8'),
}))
const queriesIn = (text: string): string[] =>
  [...text.matchAll(/```promql\n(.+?)\n```/gs)].map(([, query = '']) => query)
/** Heading → text. */
const partsOf = (text: string): ReadonlyMap<string, string> =>
  new Map(
    text
      .split(/^##? /m)
      .slice(1)
      .map((part) => [part.slice(0, part.indexOf('\n')), part.slice(part.indexOf('\n')).trim()]),
  )

test('every alert has a runbook, and every runbook an alert', () => {
  expect(books.map(({ file }) => `dashboards/runbooks/${file}`).toSorted()).toEqual(
    [...new Set(RULES.map(runbookOf))].toSorted(),
  )
})

test.each(books.map(({ name, text }) => [name, text] as const))(
  '%s says the same things in the same order',
  (name, text) => {
    const parts = partsOf(text)
    expect([...parts.keys()]).toEqual([
      name,
      'What it means',
      'Is it urgent?',
      'First three queries',
      'What to do',
      'Silence it',
    ])
    expect([...parts].filter(([title, part]) => title !== name && part === '')).toEqual([])
    expect(queriesIn(parts.get('First three queries') ?? '')).toHaveLength(3)
    expect(parts.get('Silence it')).toContain(`amtool silence add alertname=${name} `)
  },
)

test('links lead to other runbooks', () => {
  const links = books.flatMap(({ text }) => [...text.matchAll(/\]\((.+?)\)/g)].map(([, to]) => to))
  expect(links.filter((to) => !books.some(({ file }) => file === to))).toEqual([])
})

/** A `dormouse` command up to its first placeholder, without the state of `kill`. */
const commandsIn = (text: string): string[] =>
  [...text.matchAll(/`dormouse ((?:[a-z][a-z-]*(?: |(?=`)))+)[^`]*`/g)].map(([, words = '']) =>
    words.trim().replace(/^(kill|brakes) (?:on|off|release(?: \w+)?)$/, '$1'),
  )

test('every command that is named exists', async () => {
  const io: Io = {
    ...noRedactor,
    out: () => undefined,
    err: () => undefined,
    env: {},
    cwd: FOLDER,
    signal: new AbortController().signal,
    columns: undefined,
  }
  const named = [...new Set(books.flatMap(({ text }) => commandsIn(text)))]
  expect(named).toContain('computes update')
  // the help of a command that is not there is that of its parent, unless it is asked for by `help`
  const codes = await Promise.all(
    named.map(async (words) => [
      words,
      await runProgram([...words.split(' ').slice(0, -1), 'help', words.split(' ').at(-1) ?? ''], io),
    ]),
  )
  expect(codes.filter(([, code]) => code !== 0)).toEqual([])
  expect(await runProgram(['computes', 'help', 'nothing'], io)).not.toBe(0)
})

test('every metric that is named is in the catalogue; queries use metrics with basic detail', () => {
  const recorded = RULE_GROUPS.flatMap(({ recordings }) => recordings.map(({ record }) => record))
  const rows = Object.entries(CATALOGUE)
  const named = (text: string): string[] =>
    (text.match(/\bdormouse[_:][\w:]+/g) ?? [])
      .map((name) => name.replace(/_bucket$/, ''))
      .filter((name) => !recorded.includes(name))
  const all = rows.map(([name]) => PREFIX + name)
  const shown = rows
    .filter(([, { basic, owner, each }]) => basic || owner === 'self' || each === 0)
    .map(([name]) => PREFIX + name)
  for (const { text } of books) {
    expect(named(text).filter((name) => !all.includes(name))).toEqual([])
    expect(
      queriesIn(text)
        .flatMap(named)
        .filter((name) => !shown.includes(name)),
    ).toEqual([])
  }
})

testWith('promtool')('promtool can read every query', () => {
  const rules = books.flatMap(({ name, text }) =>
    queriesIn(text).map((expr, at) => ({ record: `runbook:${name}:${at}`, expr })),
  )
  const { ok, said } = promtool(['check', 'rules', 'queries.yaml'], {
    'queries.yaml': { groups: [{ name: 'queries', rules }] },
  })
  expect({ ok, said }).toEqual({
    ok: true,
    said: expect.stringContaining(`${rules.length} rules found`) as string,
  })
})

test('an alert names its runbook by its own name', () => {
  expect(RULES.filter((rule) => !runbookOf(rule).endsWith(`/${alertName(rule)}.md`))).toEqual([])
})
