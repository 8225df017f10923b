import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createLiveSettings } from '../../src/daemon/reload.ts'
import { createSelfMetrics } from '../../src/outputs/metrics/self.ts'
import { seconds } from '../../src/model/units.ts'
import { folder, GOOD, loadAll, makeConfigFolder } from '../config/loading.ts'
import { bodyText } from '../support/exposed.ts'
import { fakeClock } from '../support/fake-clock.ts'

const OTHER_TOKEN = `server: { tokens: { anna: { sha256: ${'a'.repeat(64)}, scope: operate } } }\n`
const BUDGET = 'budgets: [{ name: all, limit: 5 USD, per: day }]\n'

function settingsOf(text: string) {
  const clock = fakeClock('2026-11-02T09:00:00Z')
  const self = createSelfMetrics()
  const log = { info: () => undefined, warn: () => undefined, level: 'info' }
  const first = loadAll(text)
  if (!first.ok) throw new Error(first.error.join('\n'))
  let now = text
  const settings = createLiveSettings(first.value, () => loadAll(now), { clock, self, log })
  return {
    ...settings,
    clock,
    log,
    edit: (next: string) => {
      now = next
      return settings.reload()
    },
    told: async () =>
      bodyText(await self.parts())
        .split('\n')
        .filter((line) => line.startsWith('dormouse_config_last_reload')),
  }
}

/** Without what it can do. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

test.each([
  ['owners', `${GOOD}owners: [{ match: {}, team: web }]\n`, ['owners[0]']],
  ['policies', `${GOOD}policies: [{ recommend: "off" }]\n`, ['policies[0]']],
  ['brakes', `${GOOD}brakes: { hold_off: 1m }\n`, ['brakes.hold_off']],
  [
    'freezes',
    `${GOOD}windows: { sale: Mon 08:00-09:00 }\nchanges: { freeze: [sale] }\n`,
    ['changes.freeze[0]', 'windows'],
  ],
  ['evidence', `${GOOD}advice: { min_gaps: 10 }\n`, ['advice.min_gaps']],
  ['budgets', GOOD + BUDGET, ['budgets']],
  ['the level of the log', `${GOOD}log: { level: warn }\n`, ['log.level']],
  ['tokens', GOOD + OTHER_TOKEN, ['server.tokens.anna']],
  ['names', `${GOOD}server: { names: [dormouse.internal] }\n`, ['server.names[0]']],
  ['who may read', GOOD + OTHER_TOKEN.replace('{', '{ open: false,'), ['server.tokens.anna', 'server.open']],
  ['what metrics show', `${GOOD}metrics: { detail: full }\n`, ['metrics.detail']],
  [
    'receivers of events',
    `${GOOD}notifications: [{ name: ops, type: slack, url_env: KEY }]\n`,
    ['notifications[0]'],
  ],
  [
    'the report and its receivers',
    `${GOOD}report: { schedule: 0 9 * * TUE, sinks: [{ name: ops, type: slack, url_env: KEY }] }\n`,
    ['report.schedule', 'report.sinks[0]'],
  ],
  ['nothing', `${GOOD}# a remark\n`, []],
])('%s: taken over', (_, text, changed) => {
  const { edit, config, hash } = settingsOf(GOOD)
  const before = hash()
  expect(edit(text)).toEqual({ ok: true, value: changed })
  const anew = loadAll(text)
  expect(plain(config())).toEqual(plain(anew.ok && anew.value.config))
  expect(hash() === before).toBe(changed.length === 0)
})

test.each([
  ['a listener', 'server: { api: "127.0.0.1:9999" }\n', ['server.api']],
  ['the store', 'store: { folder: ./elsewhere }\n', ['store.folder']],
  ['the pace', 'poll: { interval: 30s }\n', ['poll.interval']],
  ['two', 'timezone: Europe/Berlin\nmode: observe\n', ['mode', 'timezone']],
])('%s: needs a restart, and of the rest nothing is taken over either', (_, text, paths) => {
  const { edit, config, hash, log } = settingsOf(GOOD)
  const before = { config: config(), hash: hash() }
  expect(edit(`${GOOD}log: { level: warn }\n${BUDGET}${text}`)).toEqual({
    ok: false,
    error: paths.map((path) => `${path}: changed; that needs a restart`),
  })
  expect({ config: config(), hash: hash() }).toEqual(before)
  expect(config()).toBe(before.config)
  expect(log.level).toBe('info')
})

test('another key file needs a restart; another key in it is read anyway', () => {
  const { edit } = settingsOf(GOOD)
  expect(edit(GOOD.replace('api_key_env: KEY', 'api_key_file: ./key'))).toEqual({
    ok: false,
    error: ['accounts[0].api_key_file', 'accounts[0].api_key_env']
      .toSorted((a, b) => a.localeCompare(b))
      .map((path) => `${path}: changed; that needs a restart`),
  })
})

test('a policy that has moved within the file is named with the line it has now', () => {
  const policies = 'policies:\n  - match: { project: shop }\n    levers: [delay]\n'
  const { edit, config } = settingsOf(GOOD + policies)
  const ref = { account: 'main', projectId: 'shop', endpointId: 'ep-one' }
  const target = {
    ref,
    projectName: 'shop',
    branchId: 'br-one',
    name: undefined,
    type: 'read_write',
  } as const
  const lineNow = () => config().policies.changesOf(target).line
  const before = lineNow() ?? 0
  expect(edit(`# two\n# remarks\n${GOOD}${policies}`)).toEqual({ ok: true, value: [] })
  expect(lineNow()).toBe(before + 2)
})

test.each([
  ['of all', '', 'prices: { cu_hour: 1 }\n', ['prices.cu_hour']],
  [
    'of one account',
    GOOD.replace('plan: launch', 'plan: launch\n    cu_hour: 1'),
    '',
    ['accounts[0].cu_hour'],
  ],
])(
  'a price %s holds from when it is taken over, and what was counted keeps its own',
  async (_, other, more, paths) => {
    const { edit, config, clock } = settingsOf(GOOD)
    const pricesNow = () => config().accounts[0]?.prices
    const before = pricesNow()
    await clock.advance(seconds(60))
    expect(edit((other || GOOD) + more)).toEqual({ ok: true, value: [...paths, 'prices of accounts[0]'] })
    const raised = { from: clock.now(), perCuHour: 1_000_000 }
    expect(pricesNow()).toEqual({ currency: 'USD', periods: [...(before?.periods ?? []), raised] })
    await clock.advance(seconds(60))
    const dearer = pricesNow()
    edit(`${(other || GOOD) + more}log: { level: warn }\n`)
    expect(pricesNow()).toBe(dearer)
    edit(GOOD)
    const back = { from: clock.now(), perCuHour: before?.periods.at(-1)?.perCuHour }
    expect(pricesNow()?.periods.slice(-2)).toEqual([raised, back])
  },
)

test('prices that are others in a file of the same name are taken over, in another currency they are not', () => {
  makeConfigFolder()
  const file = join(folder, 'prices.yaml')
  const prices = (amount: string, currency = 'USD') =>
    writeFileSync(
      file,
      `currency: ${currency}\nplans: { launch: [{ from: 2020-01-01, cu_hour: ${amount} }] }\n`,
    )
  prices('0.1')
  const text = `${GOOD}prices: { file: ./prices.yaml }\n`
  const { edit, config } = settingsOf(text)
  prices('0.2')
  expect(edit(text)).toEqual({ ok: true, value: ['prices of accounts[0]'] })
  const { accounts } = config()
  expect(accounts[0]?.prices.periods.map(({ perCuHour }) => perCuHour)).toEqual([100_000, 200_000])
  prices('0.2', 'EUR')
  expect(edit(text)).toEqual({
    ok: false,
    error: ['currency of accounts[0]: changed; that needs a restart'],
  })
  prices('0.2')
  expect(edit(text.replace(' }', ', currency: EUR }'))).toEqual({
    ok: false,
    error: ['prices.currency', 'currency of accounts[0]'].map(
      (path) => `${path}: changed; that needs a restart`,
    ),
  })
  expect(config().accounts).toBe(accounts)
})

test('of a file that is wrong all problems are told, and the configuration before stays', async () => {
  const { edit, config, told, clock } = settingsOf(GOOD)
  const before = config()
  const begun = clock.now() / 1000
  await clock.advance(seconds(60))
  expect(edit(`${GOOD}pol: {}\nmode: maybe\n`)).toEqual({
    ok: false,
    error: [
      expect.stringMatching(/^mode: expected one of/),
      expect.stringMatching(/^pol: unknown key, did you mean poll/),
    ],
  })
  expect(config()).toBe(before)
  expect(await told()).toEqual([
    'dormouse_config_last_reload_successful 0',
    `dormouse_config_last_reload_success_timestamp_seconds ${begun}`,
  ])
  edit(GOOD)
  expect(await told()).toEqual([
    'dormouse_config_last_reload_successful 1',
    `dormouse_config_last_reload_success_timestamp_seconds ${begun + 60}`,
  ])
})

test('what is not another is the same object, so that nothing is worked out anew for it', () => {
  const text = `${GOOD}${BUDGET}owners: [{ match: {}, team: web }]\n`
  const { edit, config } = settingsOf(text)
  const before = config()
  edit(`${text}log: { level: warn }\n`)
  expect(config().owners).toBe(before.owners)
  expect(config().budgets).toBe(before.budgets)
  expect(config().notifications).toBe(before.notifications)
  expect(config().report).toBe(before.report)
  expect(config().accounts).toBe(before.accounts)
  edit(`${text}windows: { night: "Mon-Fri 22:00-06:00" }\n`)
  expect(config().owners).toBe(before.owners)
  expect(config().budgets).not.toBe(before.budgets)
})
