import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { receiver } from '../../outputs/notify/http-receiver.ts'
import { dormouse, words } from '../local-cli.ts'

let cwd = ''
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'dormouse-check-'))
  writeFileSync(
    join(cwd, 'dormouse.yaml'),
    'mode: observe\naccounts: [{ name: a, base_url: "https://h/api/v2", plan: free, api_key_env: KEY }]\n',
  )
  writeFileSync(join(cwd, 'bad.yaml'), 'mode: on\npol: {}\n')
})
afterAll(() => rmSync(cwd, { recursive: true }))

const env = { KEY: 'very-secret' }

test('a good configuration is shown as it comes out, without secrets', async () => {
  const { code, out, err } = await dormouse(['check-config'], { cwd, env })
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(out).toMatch(/^ok\n\n/)
  expect(parse(out.replace('ok\n', ''))).toMatchObject({
    mode: 'observe',
    accounts: [{ name: 'a', api_key_env: 'KEY', projects: 'discover' }],
    poll: { interval: '60s', max_age: '15m' },
  })
  expect(out).not.toContain('very-secret')
  const asJson = await dormouse(words('check-config --json'), { cwd, env })
  expect(JSON.parse(asJson.out)).toMatchObject({
    ok: true,
    config: { mode: 'observe', log: { level: 'info' } },
  })
  expect(asJson.out).not.toContain('very-secret')
})

const ACCOUNT = 'accounts: [{ name: a, base_url: "https://h/api/v2", plan: free, api_key_env: KEY }]\n'
const noLevers = (mode: string) => `mode: ${mode} changes nothing by itself: no policy has levers`
const SETTLE =
  'service.settle: a request without an answer may take effect up to 120 s later: with 60 s a change may be made twice'

test.each<[string, readonly string[]]>([
  ['mode: approve', [noLevers('approve')]],
  ['mode: apply', [noLevers('apply')]],
  ['mode: apply\npolicies: [{ match: {}, levers: [sizing] }]', []],
  ['mode: apply\npolicies: [{ levers: [warm] }]', []],
  ['service: { settle: 120s }', []],
  ['service: { settle: 60s }', [SETTLE]],
  ['mode: apply\nservice: { settle: 60s }', [noLevers('apply'), SETTLE]],
])('%j is warned of what it means for changes', async (text, warnings) => {
  writeFileSync(join(cwd, 'changes.yaml'), `${ACCOUNT}${text}\n`)
  const { code, err } = await dormouse(words('check-config --config changes.yaml'), { cwd, env })
  expect([code, err]).toEqual([0, warnings.map((one) => `dormouse: warning: ${one}\n`).join('')])
  const asJson = await dormouse(words('check-config --config changes.yaml --json'), { cwd, env })
  expect(JSON.parse(asJson.out)).toMatchObject({ ok: true, warnings })
})

test.each<[string, string, readonly string[]]>([
  [
    'that no owner has',
    'owners: [{ team: payments }]\n',
    ['budgets[0].team: unknown team paymets, did you mean payments?'],
  ],
  ['that an owner has', 'owners: [{ team: paymets }]\n', []],
  ['of its own, where there are no owners', '', []],
])('a budget of a team %s', async (_, owners, warnings) => {
  const text = `${ACCOUNT}${owners}budgets: [{ name: all, limit: 5 USD, team: paymets }]\n`
  writeFileSync(join(cwd, 'budgets.yaml'), text)
  const { code, err } = await dormouse(words('check-config --config budgets.yaml'), { cwd, env })
  expect([code, err]).toEqual([0, warnings.map((one) => `dormouse: warning: ${one}\n`).join('')])
})

test('policies that nobody can follow are problems, a line each, and nothing else is printed', async () => {
  const text = `windows: { service: "Sun 02:00-05:00", lunch: "12:00-12:05" }
brakes: { fleet_in_flight: 0 }
timezone: CET
policies:
  - { mode: apply, restart: { when: [window] } }
  - { mode: suggest }
`
  writeFileSync(join(cwd, 'policies.yaml'), `${ACCOUNT}${text}`)
  const { code, out, err } = await dormouse(words('check-config --config policies.yaml'), { cwd, env })
  expect({ code, out }).toEqual({ code: 2, out: '' })
  expect(err.split('\n').map((line) => line.split(':')[1]?.trim())).toEqual(
    expect.arrayContaining(['brakes.fleet_in_flight', 'timezone', 'policies[0].restart']),
  )
  const later = text
    .replace('fleet_in_flight: 0', 'fleet_in_flight: 1')
    .replace('CET', 'UTC')
    .replace('[window]', '[window], windows: [lunch]')
  writeFileSync(join(cwd, 'policies.yaml'), `${ACCOUNT}${later}`)
  const across = await dormouse(words('check-config --config policies.yaml'), { cwd, env })
  expect(across).toMatchObject({ code: 2, out: '' })
  expect(across.err.split('\n').filter((line) => line !== '')).toEqual([
    expect.stringContaining('policies[0].restart.windows[0]: no change fits into lunch'),
    expect.stringContaining('policies[1].mode: contradicts policies[0].mode'),
    expect.stringContaining('windows.service: is the update window of each project'),
  ])
})

test('a kill switch that is neither on nor off is a problem', async () => {
  const killed = { ...env, DORMOUSE_KILL_SWITCH: 'yes' }
  expect(await dormouse(words('check-config'), { cwd, env: killed })).toEqual({
    code: 2,
    out: '',
    err: 'dormouse: DORMOUSE_KILL_SWITCH: expected 1 or 0, got yes\n',
  })
})

test('all problems are told at once', async () => {
  const problems = [
    'mode: expected one of off, observe, suggest, approve, apply',
    'accounts: is missing',
    'pol: unknown key, did you mean poll?',
  ]
  expect(await dormouse(words('check-config --config bad.yaml'), { cwd })).toEqual({
    code: 2,
    out: '',
    err: problems.map((problem) => `dormouse: ${problem}\n`).join(''),
  })
  const asJson = await dormouse(words('check-config --config bad.yaml --json'), { cwd })
  expect([asJson.code, JSON.parse(asJson.out)]).toEqual([2, { ok: false, problems }])
})

test('a receiver can be tried, and what came of it is told without its address', async () => {
  await using ears = await receiver()
  writeFileSync(
    join(cwd, 'told.yaml'),
    `accounts: [{ name: a, base_url: "https://h/api/v2", plan: free, api_key_env: KEY }]
notifications: [{ name: ops, type: webhook, url_env: URL }]
report: { sinks: [{ name: files, type: file, path: "out/{account}-{slot}.md" }] }
`,
  )
  const known = { ...env, URL: ears.url }
  const trying = (name: string, ...more: string[]) =>
    dormouse(['check-config', '--config', 'told.yaml', '--send-test', name, ...more], { cwd, env: known })
  const told = async (...line: [string, string]) => {
    const { code, out, err } = await trying(...line)
    return { code, err, said: JSON.parse(out) as unknown }
  }
  expect(await trying('ops')).toEqual({ code: 0, out: 'ops: delivered\n', err: '' })
  expect(JSON.parse(ears.heard[0]?.body ?? '')).toMatchObject({ kind: 'test' })
  expect(await trying('files')).toMatchObject({ code: 0, out: 'files: delivered\n' })
  expect(readFileSync(join(cwd, 'out/test-test.md'), 'utf8')).toContain('test of Dormouse')
  ears.answer(500)
  expect(await trying('ops')).toEqual({ code: 1, out: '', err: 'dormouse: ops: answered 500\n' })
  expect(await trying('boss')).toMatchObject({
    code: 2,
    err: expect.stringContaining('--send-test: expected one of ops, files, got boss'),
  })
  expect(await told('files', '--json')).toEqual({ code: 0, err: '', said: { ok: true, delivered: 'files' } })
  expect(await told('ops', '--json')).toEqual({
    code: 1,
    err: '',
    said: { ok: false, problems: ['ops: answered 500'] },
  })
  expect(await told('boss', '--json')).toMatchObject({ code: 2, err: '', said: { ok: false } })
})
