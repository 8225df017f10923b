// Configuration of the simulated week: two accounts, budgets with rungs, windows, owners, receivers.

/** Address of the simulated service of the account `main`; requests to it stay in this process. */
export const SERVICE_URL = 'https://service.test/api/v2'
/** Variables of the environment that the configuration names. */
export const ENVIRONMENT = {
  OUTPUTS_KEY: 'api-key',
  OUTPUTS_HOOK: 'https://hook.test/events',
  OUTPUTS_SECRET: 'signing-secret',
  OUTPUTS_CHAT: 'https://chat.test/incoming',
  OUTPUTS_REPORTS: 'https://reports.test/weekly',
}

export const configuration = (folder: string): string => `
timezone: Europe/Berlin
accounts:
  - { name: main, base_url: '${SERVICE_URL}', api_key_env: OUTPUTS_KEY, plan: launch }
  - { name: lab, base_url: '${SERVICE_URL}', api_key_env: OUTPUTS_KEY, plan: scale }
service: { use_connection_uri: true }
store: { folder: '${folder}' }
reading: { database: app }
metrics: { detail: full }
poll: { interval: 5m }
calendars: { holidays: { dates: [2026-10-22] } }
windows:
  office: { days: Mon-Fri, from: 08:00, to: 19:00, except: [holidays] }
  night: { days: Mon-Fri, from: 22:00, to: 06:00 }
owners:
  - { match: { project: [shop, reports] }, team: payments, channel: '#payments', cost_centre: cc-100, tier: prod }
  - { match: { project: 'blog*' }, team: web, tier: dev }
  - { match: { project: 'project-ep-*' }, team: lab }
budgets:
  - { name: main-month, scope: { account: main }, limit: 6 USD, per: month }
  - { name: payments-day, scope: { account: main, project: [shop, reports] }, limit: 0.6 USD, per: day, mode: hard }
  - { name: office-hours, scope: { account: main }, limit: 60 awake_hours, per: week, in: office }
  - { name: nights, scope: { account: main }, limit: 2 cu_hours, per: day, outside: office }
  - { name: lab-week, scope: { account: lab }, limit: 30 cu_hours, per: week }
notifications:
  - { name: hook, type: webhook, url_env: OUTPUTS_HOOK, secret_env: OUTPUTS_SECRET, min_severity: info }
  - { name: chat, type: slack, url_env: OUTPUTS_CHAT, team: payments }
report:
  sinks:
    - { name: archive, type: webhook, url_env: OUTPUTS_REPORTS }
    - { name: chat, type: slack, url_env: OUTPUTS_CHAT }
`
