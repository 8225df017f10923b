// What readers of each format get: golden files of three fleets, names that mean harm, limits of mail and chat.
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { REPORT_FORMATS, type ReportFormat } from '../../../../src/model/output/report.ts'
import { REPORT_RENDERINGS } from '../../../../src/outputs/report/formats/formats.ts'
import { displayWidth } from '../../../../src/outputs/text/display-name.ts'
import { reportSchema, type Report } from '../../../../src/outputs/report/schema.ts'
import { budgetAmountText, hoursText, moneyText, spanText } from '../../../../src/outputs/text/amounts.ts'
import { problemsOf } from '../../page/well-formed.ts'
import { HOSTILE } from '../../../support/hostile-names.ts'
import { check } from '../../../support/property.ts'
import { longTest } from '../../../support/tiers.ts'
import { budget } from '../fleet-budgets.ts'
import { FLEETS, inputOf, told } from '../fleets.ts'
import { advisedAll, budgetNamed, namedAll } from '../hostile-fleet.ts'

const rendered = (report: Report, format: ReportFormat): string =>
  REPORT_RENDERINGS[format].render(report).join('')

const goldenOf = (fleet: string, format: ReportFormat): string =>
  join(import.meta.dirname, '../golden', `${fleet}.${format}.golden`)

describe.each(Object.entries(FLEETS))('a %s fleet', (name, fleet) => {
  const report = told(inputOf(fleet))

  test('fits the published schema', () => {
    expect(reportSchema.safeParse(JSON.parse(rendered(report, 'json'))).error).toBeUndefined()
  })

  test.each(REPORT_FORMATS)('as %s equals its golden file', (format) => {
    const file = goldenOf(name, format)
    const text = rendered(report, format)
    if (process.env['GOLDEN'] === 'write') writeFileSync(file, text)
    expect(text).toBe(readFileSync(file, 'utf8'))
  })

  test.each(['markdown', 'text', 'html', 'html-full'] as const)(
    'every amount in %s is in the JSON',
    (format) => {
      const known = amountsIn(report)
      const shown = rendered(report, format).match(/\d[\d.,]*[ \u00A0](USD|cents|h|CU-hours)\b/g) ?? []
      expect(shown.filter((one) => !known.has(one.replace('\u00A0', ' ')))).toEqual([])
      expect(shown.length).toBeGreaterThanOrEqual(name === 'quiet' ? 5 : 30)
    },
  )
})

/** Each number of a report in every way that a number is told. */
function amountsIn(value: unknown): ReadonlySet<string> {
  const numbers: number[] = []
  const walk = (part: unknown): void => {
    if (typeof part === 'number') numbers.push(Math.abs(part))
    else if (typeof part === 'object' && part !== null) for (const one of Object.values(part)) walk(one)
  }
  walk(value)
  const { movers, recommendations } = value as Report
  const compared = recommendations?.listed.flatMap(({ alternatives, saving_micros_per_30_days: best }) =>
    alternatives.map((one) => best.likely - one.saving_micros_per_30_days.likely),
  )
  const changes = [...movers.map((one) => one.micros - one.before_micros), ...(compared ?? [])].map(Math.abs)
  return new Set(
    [...numbers, ...changes].flatMap((number) => [
      moneyText(number, 'USD'),
      budgetAmountText(number, 'USD'),
      `${number / 1_000_000} USD`,
      hoursText(number * 1000),
      spanText(number * 1000),
    ]),
  )
}

describe('hostile names', () => {
  const events = HOSTILE.map((name) => [1, 'problem', `${name}: ${name}`] as const)
  const advised = advisedAll(HOSTILE)
  const planned = budgetNamed('<b>|`*\u202E')
  const report = told(inputOf({ computes: namedAll(HOSTILE), planned, events, ...advised }))

  test('do not control a terminal or reverse text', () => {
    for (const format of ['markdown', 'text', 'html', 'html-full', 'slack'] as const) {
      const text = rendered(report, format).replaceAll('\n', '')
      expect(text.match(/[\p{Cc}\p{Zl}\p{Zp}\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu)).toBeNull()
      expect(text.isWellFormed()).toBe(true)
    }
  })

  test('are not HTML tags', () => {
    const tags = new Set(
      [...rendered(report, 'html').matchAll(/<\/?([a-z!][a-z0-9]*)/gi)].map(([, tag]) => tag),
    )
    expect(tags).toEqual(
      new Set([
        '!doctype',
        'body',
        'code',
        'h1',
        'h2',
        'h3',
        'head',
        'html',
        'li',
        'meta',
        'p',
        'table',
        'td',
        'th',
        'title',
        'tr',
        'ul',
      ]),
    )
    expect(attributes(rendered(report, 'html'))).toEqual(
      attributes(rendered(told(inputOf(FLEETS.busy)), 'html')),
    )
  })

  test('are not markup on the page with charts, whose policy loads nothing', () => {
    const page = rendered(report, 'html-full')
    expect(problemsOf(page.replace(/<style>[^<]*<\/style>/, ''))).toEqual([])
    expect(page).not.toMatch(/<script|<img|<[^>]*\s(?:style|on\w+|src)=/)
    const [, digest] = /style-src 'sha256-([^']+)'/.exec(page) ?? []
    const [, style = ''] = /<style>([^<]*)<\/style>/.exec(page) ?? []
    expect(createHash('sha256').update(style).digest('base64')).toBe(digest)
  })

  test('are not Markdown markup and do not end a cell', () => {
    const lines = rendered(report, 'markdown').split('\n')
    const rows = lines.filter((line) => line.startsWith('|'))
    const tables = lines
      .map((line) => (line.startsWith('|') ? line : ''))
      .join('\n')
      .split(/\n{2,}/)
    const ragged = tables.filter((table) => new Set(table.trim().split('\n').map(cellsOf)).size !== 1)
    expect(ragged).toEqual([])
    expect(rows.length).toBeGreaterThan(60)
    const codes = /(`+)(?!`).*?[^`]\1(?!`)/g
    const text = lines.join('\n')
    expect(text.replaceAll(codes, '').match(/(?<!\\)[`*_[\]]|<|:\/\/|www\.|@|(?<!^#*)#/gm)).toBeNull()
    expect([...text.matchAll(codes)].map(([code]) => code)).toContain('`@here`')
  })

  test('take no more than 78 columns of text; commands stay whole', () => {
    const wide = rendered(report, 'text')
      .split('\n')
      .filter((line) => displayWidth(line) > 78 && !/^ {4}(curl|PATCH) /.test(line))
    expect(wide).toEqual([])
  })

  test('are plain or preformatted in Slack', () => {
    const message = JSON.parse(rendered(report, 'slack')) as SlackMessage
    expect(new Set(textTypes(message))).toEqual(new Set(['plain_text', 'text']))
    expect(message.text).not.toMatch(/[<>]/)
  })
})

const cellsOf = (row: string): number => row.split(/(?<!\\)\|/).length

const attributes = (html: string): readonly string[] =>
  [...new Set([...html.matchAll(/<[^>]*?\s([a-z]+)=/g)].map(([, name]) => name ?? ''))].toSorted()

type SlackMessage = { readonly text: string; readonly blocks: readonly { readonly type: string }[] }

function textTypes(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return []
  const own = 'text' in value && typeof value.text === 'string' && 'type' in value ? [String(value.type)] : []
  return [...own, ...Object.values(value).flatMap(textTypes)]
}

describe('limits', () => {
  const expectLimited = (_: string, name: string): void => {
    const computes = namedAll(Array.from({ length: 10_000 }, () => name))
    const [first] = FLEETS.busy.planned?.budgets ?? []
    const budgets = first ? Array.from({ length: 1000 }, () => ({ ...first, name })) : []
    const report = told(
      inputOf({
        computes,
        known: 2,
        planned: { budgets, month: undefined },
        ...advisedAll(Array.from({ length: 150 }, () => name)),
        plan: { groupBy: 'project' },
        events: Array.from({ length: 300 }, () => [1, 'problem', `${name}: ${name}`]),
      }),
    )
    expect(Buffer.byteLength(rendered(report, 'html'))).toBeLessThanOrEqual(100_000)
    expect(Buffer.byteLength(rendered(report, 'html-full'))).toBeLessThanOrEqual(4_300_000)
    const { blocks, text } = JSON.parse(rendered(report, 'slack')) as SlackMessage
    expect(blocks.length).toBeLessThanOrEqual(50)
    expect(Math.max(text.length, ...longest(blocks))).toBeLessThanOrEqual(3000)
  }
  const names = [
    ['signs that are written longer', '&'.repeat(200)],
    ['emoji', '👩‍👩‍👧‍👦'.repeat(20)],
    ['letters with marks', 'e\u0301\u0302'.repeat(66)],
  ] as const
  longTest.each(names)('a mail about 10,000 computes named in %s has 100 kB at most', expectLimited)

  const longest = (value: unknown): readonly number[] => {
    if (typeof value === 'string') return [value.length]
    return typeof value === 'object' && value !== null ? Object.values(value).flatMap(longest) : []
  }
})

longTest('no cell of CSV is a formula, and names come back as they were', () => {
  check(
    fc.property(
      fc.array(fc.string({ unit: 'binary', maxLength: 20 }), { minLength: 1, maxLength: 5 }),
      (names) => {
        const csv = rendered(told(inputOf({ computes: namedAll(names), known: 1 })), 'csv')
        const [heads = [], ...rows] = parsed(csv)
        const [at, spend] = [heads.indexOf('project_name'), heads.indexOf('spend')]
        expect(rows.map((row) => row[at]?.replace(/^'(?=[=+\-@\t\r])/, ''))).toEqual(names)
        for (const row of rows) {
          expect(row).toHaveLength(heads.length)
          expect(row.filter((cell) => /^[=+\-@\t\r]/.test(cell))).toEqual([])
          expect(Number(row[spend])).toBeGreaterThan(0)
        }
      },
    ),
  )
})

/** A reader of RFC 4180 that knows nothing of the writer. */
function parsed(csv: string): readonly (readonly string[])[] {
  const rows: string[][] = [[]]
  for (const [, quoted, bare, end] of csv.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    rows.at(-1)?.push(quoted === undefined ? (bare ?? '') : quoted.replaceAll('""', '"'))
    if (end === '\r\n') rows.push([])
  }
  return rows.slice(0, -1)
}

test('on a page each name is isolated, and long setting names may break', () => {
  const computes = namedAll(['\u05e9\u05dc\u05d5\u05dd', 'shop']).map((one) => ({
    ...one,
    hours: 24,
    heldBy: { 'idle-in-transaction/psql/ann/shop': 1 },
  }))
  const page = rendered(told(inputOf({ computes })), 'html-full')
  const [first] = computes
  expect(page).toContain(
    `<bdi>\u05e9\u05dc\u05d5\u05dd</bdi> / <bdi>\u05e9\u05dc\u05d5\u05dd</bdi> (<bdi>${first?.endpointId}</bdi>)`,
  )
  expect(page).toContain('idle_<wbr />in_<wbr />transaction_<wbr />session_<wbr />timeout')
})

test('redacted names are in no format', () => {
  const secret = 'quux'
  const plan = { redact: ['names', 'clients'] as const, groupBy: 'project' as const }
  const computes = namedAll([secret, secret]).map((one) => ({
    ...one,
    place: { ...one.place, unreadBecause: undefined, owner: FLEETS.busy.computes[0]?.place?.owner ?? NONE },
  }))
  const recommendations = advisedAll([secret, secret]).recommendations?.slice(0, 2) ?? []
  const ofProject = { ...budget('previews', 31, 0.02), scope: { project: [`${secret}-*`] } }
  const planned = { budgets: [ofProject, { ...ofProject, scope: {} }], month: undefined }
  const report = told({ ...inputOf({ computes, plan, recommendations }), planned })
  expect(report.budgets?.map(({ scope }) => scope)).toEqual(['some computes', 'all'])
  expect(report.movers.length).toBe(2)
  expect(report.recommendations?.listed.length).toBe(2)
  for (const format of REPORT_FORMATS) expect(rendered(report, format)).not.toContain(secret)
})

const NONE = { team: '', tier: '', channel: undefined, costCentre: undefined }
