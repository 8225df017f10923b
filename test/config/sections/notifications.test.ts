import { expect, test } from 'vitest'
import { seconds } from '../../../src/model/units.ts'
import { insecureSettings } from '../../../src/config/load.ts'
import { GOOD, load, problemsOf } from '../loading.ts'

const ENV = { KEY: 'env-key', URL: 'https://hooks.example.com/s3cr3t', SECRET: 'shared' }

test('a receiver has what the file says, and reads its secrets when they are asked for', () => {
  const config = load(
    `${GOOD}owners: [{ team: payments, channel: "#payments" }]
notifications:
  - { name: ops, type: webhook, url_env: URL, secret_env: SECRET, min_severity: info, repeat_after: 1h }
  - { name: pay, type: slack, url_file: key, team: payments, channel: "#payments", events: [budget-rung] }
  - { name: boss, type: smtp, host: mail.example.com, from: a@example.com, to: [b@example.com] }
`,
    ENV,
  )
  if (!config.ok) throw new Error(config.error.join('\n'))
  const [ops, pay, boss] = config.value.notifications
  expect(ops?.subscription).toEqual({
    events: undefined,
    minSeverity: 'info',
    team: undefined,
    channel: undefined,
    repeatAfter: seconds(3600),
  })
  expect(pay).toMatchObject({
    receiver: { type: 'slack', url: { from: 'url_file' } },
    subscription: { events: ['budget-rung'], minSeverity: 'info', team: 'payments', channel: '#payments' },
  })
  expect(boss?.receiver).toEqual({
    type: 'smtp',
    host: 'mail.example.com',
    port: 587,
    user: undefined,
    password: undefined,
    from: 'a@example.com',
    to: ['b@example.com'],
    insecure: false,
    anyCertificate: false,
  })
  expect(JSON.stringify(config.value.notifications)).not.toContain('s3cr3t')
  expect(ops?.receiver.type === 'webhook' && ops.receiver.url.read()).toEqual({ ok: true, value: ENV.URL })
})

test.each([
  ['of warning and above', '', 'warning'],
  ['of any severity, of the kinds that it names', ', events: [change-scheduled, change-applied]', 'info'],
  ['of the severity that it names', ', events: [change-failed], min_severity: critical', 'critical'],
])('a receiver gets events %s', (_, more, minSeverity) => {
  const config = load(entries(more), { ...ENV, LOCAL: ENV.URL })
  expect(config.ok && config.value.notifications[0]?.subscription).toMatchObject({ minSeverity })
})

const OWNERS = 'owners: [{ team: payments, channel: "#payments" }, { match: { project: blog }, team: web }]\n'

test.each<[string, string, string, readonly string[]]>([
  ['a team and its channel', OWNERS, ', team: payments, channel: "#payments"', []],
  [
    'names that no owner has',
    OWNERS,
    ', team: paymets, channel: "#paymets"',
    [
      'notifications[0].team: unknown team paymets, did you mean payments?',
      'notifications[0].channel: unknown channel #paymets, did you mean #payments?',
    ],
  ],
  [
    'names without owners',
    '',
    ', team: web, channel: "#web"',
    [
      'notifications[0].team: there is no team web: there are none',
      'notifications[0].channel: there is no channel #web: there are none',
    ],
  ],
  [
    'the team of a budget alone',
    'budgets: [{ name: all, limit: 5 USD, team: finance }]\n',
    ', team: finance',
    [],
  ],
])('a receiver of %s', (_, owners, more, problems) => {
  expect(problemsOf(`${entries(more)}${owners}`, { ...ENV, LOCAL: ENV.URL })).toEqual(problems)
})

/** As the daemon tells a changed receiver from an unchanged one. */
function keyOf(place: string): string {
  const text = `${GOOD}notifications: [{ name: ops, type: webhook, ${place} }]\n`
  const config = load(text, { ...ENV, OTHER: ENV.URL })
  return config.ok ? JSON.stringify(config.value.notifications) : config.error.join('\n')
}

test('a receiver whose secret comes from another place is another one', () => {
  expect(keyOf('url_env: URL')).toContain('ops')
  expect(keyOf('url_env: OTHER')).not.toBe(keyOf('url_env: URL'))
})

test('all that is wrong is told, and no secret with it', () => {
  const wrong = problemsOf(
    `${GOOD}notifications:
  - { name: ops, type: webhook }
  - { name: two, type: slack, url_env: URL, url_file: key, host: mail.example.com }
  - { name: boss, type: smtp, to: [nobody] }
  - { name: "a b", type: pager }
  - { name: kinds, type: slack, url_env: URL, events: [wake], min_severity: high, repeat_after: 1s }
`,
    ENV,
  )
  expect(wrong).toEqual([
    'notifications[0]: expected exactly one of url_file and url_env',
    'notifications[1]: host is no key of type slack',
    'notifications[1]: expected exactly one of url_file and url_env',
    'notifications[2].to[0]: expected a mail address such as team@example.com',
    'notifications[2]: type smtp needs host',
    'notifications[2]: type smtp needs from',
    'notifications[3].name: expected 1 to 40 of the characters a-z 0-9 -',
    'notifications[3].type: expected one of webhook, slack, smtp',
    expect.stringMatching(/^notifications\[4\].events\[0\]: expected one of budget-rung, wake-caused/),
    'notifications[4].min_severity: expected one of info, warning, critical',
    'notifications[4].repeat_after: expected a length of time of 1m to 30d',
  ])
  const later = problemsOf(
    `${GOOD}notifications:
  - { name: ops, type: slack, url_env: MISSING }
  - { name: ops, type: smtp, host: h, from: a@b, to: [c@d], password_file: nowhere }
`,
    ENV,
  )
  expect(later).toEqual([
    'notifications[0].url_env: the variable is not set',
    'notifications[1].name: ops is the name of notifications[0], too',
    'notifications[1].password_file: the file cannot be read: there is no such file',
  ])
})

const entries = (more: string) => `${GOOD}notifications:
  - { name: ops, type: webhook, url_env: URL${more} }
  - { name: pay, type: slack, url_env: LOCAL }
`

test('an address without encryption needs insecure: true, and a password encryption', () => {
  const env = { KEY: 'env-key', URL: 'http://hooks.example.com/s3cr3t', LOCAL: 'http://127.0.0.1:1/s3cr3t' }
  expect(problemsOf(entries(''), env)).toEqual([
    'notifications[0].url_env: expected https, as the host is not loopback, or insecure: true',
  ])
  const config = load(entries(', insecure: true'), env)
  expect(config.ok && insecureSettings(config.value)).toEqual(['notifications.ops'])
  const smtp = 'type: smtp, host: h, from: a@b, to: [c@d]'
  const mail = `${GOOD}notifications:
  - { name: ops, ${smtp}, insecure: true, user: me, password_env: KEY }
  - { name: pay, type: slack, url_env: LOCAL, any_certificate: true }
`
  expect(problemsOf(mail, env)).toEqual([
    'notifications[0]: insecure: no password is sent without encryption; leave out insecure, or user and password',
    'notifications[1]: any_certificate is no key of type slack',
  ])
})

test.each([
  ['http://h/api/v2', 'http://localhost.example.com/api/v2'],
  ['http://127.0.0.1.example.com/api/v2', 'http://10.0.0.1/api/v2'],
])('a service at %s needs insecure: true', (...urls) => {
  for (const url of urls) {
    const account = (more: string) =>
      `accounts: [{ name: a, base_url: "${url}", plan: free, api_key_env: KEY${more} }]`
    expect(problemsOf(account(''), ENV)).toEqual([
      'accounts[0].base_url: expected https, as the host is not loopback, or insecure: true',
    ])
    const config = load(account(', insecure: true'), ENV)
    expect(config.ok && insecureSettings(config.value)).toEqual(['accounts.a'])
  }
})

test.each([
  'http://localhost:1/api/v2',
  'http://127.1.2.3/api/v2',
  'http://[::1]:2/api/v2',
  'https://h/api/v2',
])('a service at %s needs nothing more', (url) => {
  const config = load(`accounts: [{ name: a, base_url: "${url}", plan: free, api_key_env: KEY }]`, ENV)
  expect(config.ok && insecureSettings(config.value)).toEqual([])
})
