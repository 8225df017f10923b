import type { Local } from '../../local/start.ts'
import { CAST } from './cast.ts'

type DemoPaths = Readonly<{
  keyFile: string
  passwordFile: string
  /** Holds the address of the receiver of events. */
  receiverFile: string
  telemetry: number
  api: number
  /** Seconds. */
  activityLag: number
}>

/** The busy team reaches it after half a minute. */
const LIMIT = '0.0015 USD'

export const demoConfiguration = (
  { baseUrl, proxyPort }: Pick<Local, 'baseUrl' | 'proxyPort'>,
  paths: DemoPaths,
): string => `accounts:
  - name: demo
    base_url: ${baseUrl}
    api_key_file: ${quoted(paths.keyFile)}
    plan: launch
    dsn: "postgresql://dormouse@127.0.0.1:${proxyPort}/{database}?options=endpoint%3D{endpoint_id}&sslmode=disable"
    dsn_password_file: ${quoted(paths.passwordFile)}
owners:
${[...new Set(CAST.map(({ team }) => team))].map(ownerOf).join('\n')}
budgets:
  - { name: payments, scope: { project: [${projectsOf('payments')}] }, limit: ${LIMIT}, per: day }
notifications:
  - { name: screen, type: webhook, url_file: ${quoted(paths.receiverFile)}, min_severity: info }
policies:
  - { autosuspend: { floor: 2s, ceiling: 6s, wake_cost: 5s } }
advice: { min_history: 12s, min_gaps: 5, min_peaks: 60s, grid: 1s }
poll: { interval: 1s, max_age: 10s }
reading: { database: app, overhead: 0.05, min_interval: 10s, activity_lag: ${paths.activityLag}s, deadline: 1s }
service:
  preset: interface
  requests_per_minute: 3000
  plan_limits: { launch: { delays: { from: 1s, to: 7d } } }
server: { telemetry: "127.0.0.1:${paths.telemetry}", api: "127.0.0.1:${paths.api}" }
store: { folder: ./dormouse-data }
`

const projectsOf = (of: string) =>
  CAST.filter(({ team }) => team === of)
    .map(({ role }) => role)
    .join(', ')

const ownerOf = (team: string) =>
  `  - { match: { project: [${projectsOf(team)}] }, team: ${team}, tier: dev, channel: "#${team}" }`

/** A path may contain any character. */
const quoted = (text: string) => JSON.stringify(text)
