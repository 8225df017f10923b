// The configuration of the demo's daemon, for people to read, too.
import type { Local } from '../../local/start.ts'
import { CAST } from './cast.ts'

export type DemoPaths = {
  readonly keyFile: string
  readonly passwordFile: string
  /** Holds the address that events are told to. */
  readonly receiverFile: string
  /** Ports. */
  readonly telemetry: number
  readonly api: number
  /** Seconds. */
  readonly activityLag: number
}

/** Money that the busy team has spent after half a minute. */
const LIMIT = '0.0015 USD'

export const demoConfiguration = (
  { baseUrl, proxyPort }: Pick<Local, 'baseUrl' | 'proxyPort'>,
  places: DemoPaths,
): string => `accounts:
  - name: demo
    base_url: ${baseUrl}
    api_key_file: ${quoted(places.keyFile)}
    plan: launch
    dsn: "postgresql://dormouse@127.0.0.1:${proxyPort}/{database}?options=endpoint%3D{endpoint_id}&sslmode=disable"
    dsn_password_file: ${quoted(places.passwordFile)}
owners:
${[...new Set(CAST.map(({ team }) => team))].map(ownerOf).join('\n')}
budgets:
  - { name: payments, scope: { project: [${projectsOf('payments')}] }, limit: ${LIMIT}, per: day }
notifications:
  - { name: screen, type: webhook, url_file: ${quoted(places.receiverFile)}, min_severity: info }
poll: { interval: 1s, max_age: 10s }
reading: { database: app, overhead: 0.05, min_interval: 10s, activity_lag: ${places.activityLag}s, deadline: 1s }
service: { preset: interface, requests_per_minute: 3000 }
server: { telemetry: "127.0.0.1:${places.telemetry}", api: "127.0.0.1:${places.api}" }
store: { folder: ./dormouse-data }
`

const projectsOf = (of: string): string =>
  CAST.filter(({ team }) => team === of)
    .map(({ role }) => role)
    .join(', ')

const ownerOf = (team: string): string =>
  `  - { match: { project: [${projectsOf(team)}] }, team: ${team}, tier: dev, channel: "#${team}" }`

/** A path may have any character in it. */
const quoted = (text: string): string => JSON.stringify(text)
