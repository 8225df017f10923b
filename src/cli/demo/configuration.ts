import type { Local } from '../../local/start.ts'
import { AT_RISK, CAST, PAST_TEAMS } from './cast.ts'

type DemoPaths = Readonly<{
  keyFile: string
  passwordFile: string
  /** Holds the address of the receiver of events. */
  receiverFile: string
  /** SHA-256 of the token that may operate, hexadecimal. */
  tokenDigest: string
  /** CU-hours a month of the team at risk. */
  monthLimit: number
  telemetry: number
  api: number
  /** Seconds. */
  activityLag: number
}>

/** Price of a CU-hour, USD: that of the plan today. */
export const CU_HOUR = 0.106

/** Reached by the two busy computes after half a minute. */
const LIMIT = '0.0015 USD'

export const demoConfiguration = (
  { baseUrl, proxyPort }: Pick<Local, 'baseUrl' | 'proxyPort'>,
  paths: DemoPaths,
): string => `accounts:
  - name: demo
    base_url: ${baseUrl}
    api_key_file: ${quoted(paths.keyFile)}
    plan: launch
    cu_hour: ${CU_HOUR}
    dsn: "postgresql://dormouse@127.0.0.1:${proxyPort}/{database}?options=endpoint%3D{endpoint_id}&sslmode=disable"
    dsn_password_file: ${quoted(paths.passwordFile)}
owners:
${TEAMS.map(ownerOf).join('\n')}
budgets:
  - { name: launch, scope: { project: [${projectsOf(isLaunched)}] }, limit: ${LIMIT}, per: day }
  - { name: ${AT_RISK}, scope: { project: [${pastProjects(AT_RISK).join(', ')}] }, limit: ${(paths.monthLimit * CU_HOUR).toFixed(2)} USD, per: month }
notifications:
  - { name: screen, type: webhook, url_file: ${quoted(paths.receiverFile)}, min_severity: info }
policies:
  - match: { project: [${projectsOf(() => true)}] }
    autosuspend: { floor: 2s, ceiling: 6s, wake_cost: 5s }
    advice: { min_history: 12s, min_gaps: 5, min_peaks: 60s, grid: 1s }
poll: { interval: 1s, max_age: 10s }
reading: { database: app, overhead: 0.05, min_interval: 10s, activity_lag: ${paths.activityLag}s, deadline: 1s }
service:
  preset: interface
  requests_per_minute: 12000
  plan_limits: { launch: { delays: { from: 1s, to: 7d } } }
report:
  sinks: [{ name: folder, type: file, path: "./reports/{account}-{slot}.md" }]
server:
  tokens: { demo: { sha256: ${paths.tokenDigest}, scope: operate } }
  telemetry: "127.0.0.1:${paths.telemetry}"
  api: "127.0.0.1:${paths.api}"
store: { folder: ./dormouse-data }
`

const TEAMS = [...new Set([...CAST.map(({ team }) => team), ...Object.keys(PAST_TEAMS)])]

type Member = (typeof CAST)[number]

/** The two busy ones. */
const isLaunched = ({ team, past }: Member) => team === 'payments' && past === undefined

const projectsOf = (isMeant: (member: Member) => boolean) =>
  CAST.filter(isMeant)
    .map(({ role }) => role)
    .join(', ')

const teamProjects = (of: string) =>
  [...CAST.filter(({ team }) => team === of).map(({ role }) => role), ...pastProjects(of)].join(', ')

/** Projects with a known past: what others spent before the demo began nobody knows. */
const pastProjects = (of: string): readonly string[] => (PAST_TEAMS[of] ?? []).map(({ name }) => name)

const ownerOf = (team: string) =>
  `  - { match: { project: [${teamProjects(team)}] }, team: ${team}, tier: dev, channel: "#${team}" }`

/** A path may contain any character. */
const quoted = (text: string) => JSON.stringify(text)
