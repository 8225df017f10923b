import { describe, expect, test } from 'vitest'
import { toIso } from '../../../src/model/time.ts'
import { at } from '../../support/zones.ts'
import { ACCOUNT, GOOD, load, problemsOf } from '../loading.ts'

const SECTIONS = `
timezone: Europe/Berlin
windows:
  office: Mon-Fri 08:00-19:00
  always: 00:00-24:00
  freeze: { from: "2026-11-26T00:00", to: "2026-12-01T00:00" }
`

const budgetsOf = (text: string, before = GOOD) => {
  const config = load(`${before}${SECTIONS}budgets:\n  - ${text}\n`)
  if (!config.ok) throw new Error(config.error.join('\n'))
  return config.value.budgets
}
const budget = (text: string) => budgetsOf(text)[0]

const problems = (text: string, before = GOOD) => problemsOf(`${before}${SECTIONS}budgets:\n  - ${text}\n`)

describe('a budget of the configuration', () => {
  test('of a name and a limit is one of the account, month by month, and tells', () => {
    expect(budget('{ name: all, limit: 200 USD }')).toEqual({
      name: 'all',
      account: 'main',
      scope: {},
      exempt: [],
      team: undefined,
      limit: { unit: 'money', amount: 200_000_000, currency: 'USD' },
      mode: 'soft',
      per: 'month',
      definition: '[{},"money","month","Europe/Berlin",1,null,null]',
      periodAt: expect.any(Function),
      wallAt: expect.any(Function),
      countedIn: expect.any(Function),
    })
  })

  test('says which computes count, and which of them are left alone', () => {
    expect(
      budget(
        '{ name: a, limit: 1 USD, mode: hard, scope: { account: main, project: [preview-*, x], type: read_only }, exempt: { branch: br-main-1 } }',
      ),
    ).toMatchObject({
      account: 'main',
      mode: 'hard',
      scope: { project: ['preview-*', 'x'], type: 'read_only' },
      exempt: [{ branch: ['br-main-1'] }],
    })
  })

  test.each([
    ['0.5 USD', { unit: 'money', amount: 500_000, currency: 'USD' }],
    ['500 cu_hours', { unit: 'cu_hours', amount: 1_800_000_000 }],
    ['0.1 awake_hours', { unit: 'awake_hours', amount: 360_000 }],
  ])('has a limit of %s', (limit, expected) => {
    expect(budget(`{ name: a, limit: ${limit} }`)?.limit).toEqual(expected)
  })

  test.each([
    ['per: day', '2026-11-19T23:00:00Z', '2026-11-20T23:00:00Z'],
    ['per: day, zone: America/New_York', '2026-11-20T05:00:00Z', '2026-11-21T05:00:00Z'],
    ['per: week', '2026-11-15T23:00:00Z', '2026-11-22T23:00:00Z'],
    ['per: week, anchor: Sun', '2026-11-14T23:00:00Z', '2026-11-21T23:00:00Z'],
    ['per: month', '2026-10-31T23:00:00Z', '2026-11-30T23:00:00Z'],
    ['per: month, anchor: 31', '2026-10-30T23:00:00Z', '2026-11-29T23:00:00Z'],
    ['per: window, in: office', '2026-11-20T07:00:00Z', '2026-11-23T07:00:00Z'],
  ])('%s has that period', (text, from, to) => {
    expect(budget(`{ name: a, limit: 1 USD, ${text} }`)?.periodAt(at('2026-11-20T12:00:00Z'))).toEqual({
      from: at(from),
      to: at(to),
    })
  })

  test.each([
    ['', ['2026-11-20T12:00:00Z 2026-11-23T12:00:00Z']],
    [
      ', in: office',
      ['2026-11-20T12:00:00Z 2026-11-20T18:00:00Z', '2026-11-23T07:00:00Z 2026-11-23T12:00:00Z'],
    ],
    [', outside: office', ['2026-11-20T18:00:00Z 2026-11-23T07:00:00Z']],
  ])('counts at some times%s', (text, parts) => {
    const counted = budget(`{ name: a, limit: 1 USD${text} }`)?.countedIn(
      at('2026-11-20T12:00:00Z'),
      at('2026-11-23T12:00:00Z'),
    )
    expect(counted?.map(({ from, to }) => `${toIso(from)} ${toIso(to)}`)).toEqual(parts)
  })

  test('is another one when something else is counted, not when its limit or its reach is another', () => {
    const one = budget('{ name: a, limit: 1 USD, in: office }')?.definition
    const same = ['limit: 2 USD, in: office', 'limit: 1 USD, in: office, exempt: { type: read_only }']
    const others = [
      'limit: 1 cu_hours, in: office',
      'limit: 1 USD',
      'limit: 1 USD, in: office, anchor: 2',
      'limit: 1 USD, in: office, scope: { project: a }',
      'limit: 1 USD, in: office, zone: UTC',
    ]
    expect(same.map((text) => budget(`{ name: a, ${text} }`)?.definition === one)).toEqual([true, true])
    expect(others.filter((text) => budget(`{ name: a, ${text} }`)?.definition === one)).toEqual([])
  })
})

const TWO = `accounts:\n${['a', 'b'].map((name) => `- { name: ${name}, base_url: "https://h/api/v2", plan: free, api_key_env: KEY }`).join('\n')}\n`
const LIMIT =
  'budgets[0].limit: expected an amount above 0 and its unit, such as 200 USD, 500 cu_hours or 100 awake_hours'
const MONTH_DAY =
  'budgets[0].anchor: expected a day of the month, 1 to 31; the last one where a month has no such day'
const PERIODS =
  'does not open again and again, with time in between: expected a window that does, to count per window'

describe('what is wrong with budgets is told:', () => {
  test.each<[string, string, string[]]>([
    ['nothing in it', '{}', ['budgets[0].name: is missing', 'budgets[0].limit: is missing']],
    [
      'a name',
      '{ name: My Budget, limit: 1 USD }',
      ['budgets[0].name: expected 1 to 40 of the characters a-z 0-9 -'],
    ],
    ['a limit below 0', '{ name: a, limit: -1 USD }', [`${LIMIT}, got -1 USD`]],
    ['a limit of 0', '{ name: a, limit: 0 USD }', [`${LIMIT}, got 0 USD`]],
    ['a limit without a unit', '{ name: a, limit: "200" }', [`${LIMIT}, got 200`]],
    ['a limit that is a number', '{ name: a, limit: 200 }', [LIMIT]],
    [
      'another currency',
      '{ name: a, limit: 1 EUR }',
      ['budgets[0].limit: expected USD, the currency of account main, got EUR'],
    ],
    [
      'an unknown unit',
      '{ name: a, limit: 1 hour }',
      ['budgets[0].limit: expected USD, the currency of account main, got hour'],
    ],
    [
      'an unknown key',
      '{ name: a, limit: 1 USD, scopes: {} }',
      ['budgets[0].scopes: unknown key, did you mean scope?'],
    ],
    [
      'a text for what is exempt',
      '{ name: a, limit: 1 USD, exempt: ep-x }',
      ['budgets[0].exempt: expected keys and values or a list'],
    ],
    [
      'an unknown key of the scope',
      '{ name: a, limit: 1 USD, scope: { projects: x } }',
      ['budgets[0].scope.projects: unknown key, did you mean project?'],
    ],
    [
      'an unknown key of what is exempt',
      '{ name: a, limit: 1 USD, exempt: [{ branches: x }] }',
      ['budgets[0].exempt[0].branches: unknown key, did you mean branch?'],
    ],
    [
      'a name of a branch',
      '{ name: a, limit: 1 USD, exempt: { branch: main } }',
      [
        'budgets[0].exempt.branch: expected ids of branches, which begin with br-: the service tells no names',
      ],
    ],
    [
      'no patterns',
      '{ name: a, limit: 1 USD, scope: { project: [] } }',
      ['budgets[0].scope.project: expected a pattern such as preview-*, or a list of them'],
    ],
    [
      'a type',
      '{ name: a, limit: 1 USD, scope: { type: primary } }',
      ['budgets[0].scope.type: expected one of read_write, read_only'],
    ],
    [
      'an account',
      '{ name: a, limit: 1 USD, scope: { account: mai } }',
      ['budgets[0].scope.account: unknown account mai, did you mean main?'],
    ],
    ['a day of the month', '{ name: a, limit: 1 USD, anchor: 32 }', [MONTH_DAY]],
    ['a weekday of a month', '{ name: a, limit: 1 USD, anchor: Mon }', [MONTH_DAY]],
    [
      'a day of a week',
      '{ name: a, limit: 1 USD, per: week, anchor: 1 }',
      ['budgets[0].anchor: expected the day that a week begins with, such as Mon'],
    ],
    [
      'two days of a week',
      '{ name: a, limit: 1 USD, per: week, anchor: Mon-Tue }',
      ['budgets[0].anchor: expected the day that a week begins with, such as Mon'],
    ],
    [
      'an anchor of a day',
      '{ name: a, limit: 1 USD, per: day, anchor: 1 }',
      ['budgets[0].anchor: a period of a day has no anchor'],
    ],
    [
      'a zone',
      '{ name: a, limit: 1 USD, zone: GMT }',
      ['budgets[0].zone: expected an IANA name, did you mean UTC or Europe/London?'],
    ],
    [
      'an unknown window',
      '{ name: a, limit: 1 USD, in: ofice }',
      ['budgets[0].in: unknown window ofice, did you mean office?'],
    ],
    [
      'a strange window',
      '{ name: a, limit: 1 USD, outside: xyz }',
      ['budgets[0].outside: unknown window xyz, expected one of office, always, freeze'],
    ],
    [
      'two windows',
      '{ name: a, limit: 1 USD, in: office, outside: freeze }',
      ['budgets[0]: expected at most one of in and outside'],
    ],
    [
      'per window without one',
      '{ name: a, limit: 1 USD, per: window }',
      ['budgets[0]: per window needs a window under in'],
    ],
    [
      'per window of one that opens once',
      '{ name: a, limit: 1 USD, per: window, in: freeze }',
      [`budgets[0].in: freeze ${PERIODS}`],
    ],
    [
      'per window of one that never shuts',
      '{ name: a, limit: 1 USD, per: window, in: always }',
      [`budgets[0].in: always ${PERIODS}`],
    ],
    [
      'a hard budget of an account',
      '{ name: a, limit: 1 USD, mode: hard }',
      [
        'budgets[0].mode: expected soft: a budget of a whole account only tells, so name projects, branches, computes or a type',
      ],
    ],
    [
      'a hard budget of everything',
      '{ name: a, limit: 1 USD, mode: hard, scope: { compute: "*" } }',
      [
        'budgets[0].mode: expected soft: a budget of a whole account only tells, so name projects, branches, computes or a type',
      ],
    ],
    [
      'two of one name',
      '{ name: a, limit: 1 USD }\n  - { name: a, limit: 2 USD }',
      ['budgets[1].name: a is the name of budgets[0], too'],
    ],
  ])('%s', (_, text, expected) => {
    expect(problems(text)).toEqual(expected)
  })

  test('no account where there are several', () => {
    expect(problems('{ name: x, limit: 1 USD }', TWO)).toEqual([
      'budgets[0].scope.account: is missing: expected one of a, b',
    ])
    expect(budgetsOf('{ name: x, limit: 1 USD, scope: { account: b } }', TWO)[0]?.account).toBe('b')
  })

  test('a window where there are none', () => {
    expect(problemsOf(`${GOOD}budgets: [{ name: a, limit: 1 USD, in: office }]`)).toEqual([
      'budgets[0].in: there is no window office: there are none',
    ])
  })

  test('no list', () => {
    expect(problemsOf(`${GOOD}budgets: { name: a }`)).toEqual(['budgets: expected a list of budgets'])
  })

  test('with everything else', () => {
    const text = '{ name: a, limit: 1 EUR, in: x, scope: { account: y } }\n  - { name: a, limit: 1 GBP }'
    expect(problems(text, `${ACCOUNT}    api_key_env: NO_KEY\n`)).toEqual([
      'accounts[0].api_key_env: the variable is not set',
      'budgets[0].scope.account: unknown account y, expected one of main',
      'budgets[0].in: unknown window x, expected one of office, always, freeze',
      'budgets[1].name: a is the name of budgets[0], too',
      'budgets[1].limit: expected USD, the currency of account main, got GBP',
    ])
  })
})
