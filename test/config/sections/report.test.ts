import { expect, test } from 'vitest'
import { seconds } from '../../../src/model/units.ts'
import { folder, GOOD, load, problemsOf } from '../loading.ts'

const ENV = { KEY: 'env-key', URL: 'https://hooks.example.com/s3cr3t' }

test('receivers of the report have a format that fits them, where nothing is said', () => {
  const config = load(
    `${GOOD}report:
  schedule: 30 7 * * TUE
  catchup: 1d
  sinks:
    - { name: files, type: file, path: "reports/{account}-{slot}.md", keep: 4 }
    - { name: hook, type: webhook, url_env: URL }
    - { name: chat, type: slack, url_env: URL }
    - { name: mail, type: smtp, host: h, from: a@b, to: [c@d], format: csv }
`,
    ENV,
  )
  if (!config.ok) throw new Error(config.error.join('\n'))
  const { cron, catchUp, sinks } = config.value.report
  expect([cron.text, catchUp]).toEqual(['30 7 * * TUE', seconds(86_400)])
  expect(sinks.map(({ name, format }) => `${name} ${format}`)).toEqual([
    'files markdown',
    'hook json',
    'chat slack',
    'mail csv',
  ])
  expect(sinks[0]?.receiver).toEqual({
    type: 'file',
    path: `${folder}/reports/{account}-{slot}.md`,
    keep: 4,
  })
})

test('what is wrong is told', () => {
  const wrong = problemsOf(
    `${GOOD}report:
  schedule: 61 8 * * MON
  sinks:
    - { name: files, type: file, path: "{slot}/report.md" }
    - { name: none, type: file }
    - { name: hook, type: webhook, url_env: URL, path: "{slot}" }
    - { name: pdf, type: webhook, url_env: URL, format: pdf }
`,
    ENV,
  )
  expect(wrong).toEqual([
    expect.stringMatching(/^report\.schedule: .*minute/),
    expect.stringMatching(/^report\.sinks\[0\]\.path: expected a path whose last part has \{slot\}/),
    'report.sinks[1]: type file needs path',
    'report.sinks[2]: path is no key of type webhook',
    expect.stringMatching(/^report\.sinks\[3\]\.format: expected one of markdown/),
  ])
  const twice = problemsOf(
    `${GOOD}report: { sinks: [{ name: a, type: slack, url_env: URL }, { name: a, type: slack, url_env: NO }] }\n`,
    ENV,
  )
  expect(twice).toEqual([
    'report.sinks[1].name: a is the name of report.sinks[0], too',
    'report.sinks[1].url_env: the variable is not set',
  ])
})

const sink = (filter: string): string => `{ name: hook, type: webhook, url_env: URL${filter} }`
const file = (name: string, path: string): string => `{ name: ${name}, type: file, path: "${path}" }`

test('a receiver may be sent the part of a team that there is', () => {
  const owners = 'owners: [{ team: payments }, { match: { project: blog }, team: web }]\n'
  const config = load(`${GOOD}${owners}report: { sinks: [${sink(', filter: { team: web }')}] }\n`, ENV)
  if (!config.ok) throw new Error(config.error.join('\n'))
  expect(config.value.report.sinks.map(({ team }) => team)).toEqual(['web'])
  expect(
    problemsOf(`${GOOD}${owners}report: { sinks: [${sink(', filter: { team: wbe }')}] }\n`, ENV),
  ).toEqual(['report.sinks[0].filter.team: unknown team wbe, expected one of payments, web'])
  expect(problemsOf(`${GOOD}report: { sinks: [${sink(', filter: { team: web }')}] }\n`, ENV)).toEqual([
    'report.sinks[0].filter.team: there is no team web: there are none',
  ])
})

test.each<[string, string, readonly string[]]>([
  ['an owner has', 'owners: [{ team: web }]\n', []],
  [
    'no owner has',
    'owners: [{ team: payments }]\n',
    ['report.only_team: unknown team web, expected one of payments'],
  ],
  ['nobody can have', '', ['report.only_team: there is no team web: there are none']],
])('a report of a team that %s', (_, owners, problems) => {
  expect(problemsOf(`${GOOD}${owners}report: { only_team: web }\n`, ENV)).toEqual(problems)
})

test('two receivers do not write the same file', () => {
  const sinks = [file('a', './r/{slot}.md'), file('b', 'other/{slot}.md'), file('c', 'r/{slot}.md')]
  expect(problemsOf(`${GOOD}report: { sinks: [${sinks.join(', ')}] }\n`, ENV)).toEqual([
    'report.sinks[2].path: is the path of report.sinks[0], too',
  ])
})

test('the reports of several accounts do not replace each other', () => {
  const second = GOOD.replace('accounts:\n', '').replace('main', 'second')
  const sinks = [file('a', 'r/{account}-{slot}.md'), file('b', 'r/{slot}.md')]
  const report = `report: { sinks: [${sinks.join(', ')}] }\n`
  expect(problemsOf(`${GOOD}${report}`, ENV)).toEqual([])
  expect(problemsOf(`${GOOD}${second}${report}`, ENV)).toEqual([
    'report.sinks[1].path: expected {account} in its last part: the reports of 2 accounts would replace each other',
  ])
})
