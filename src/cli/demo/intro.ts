// What the demo prints before it begins: computes, addresses, and steps to try.
import type { Monitoring } from './monitoring/monitoring.ts'
import { CAST, PAST_DAYS, PAST_TEAMS } from './cast.ts'
import type { StageSet } from './stage.ts'

export const introLines = (
  stage: StageSet,
  { monitoring, tour }: Readonly<{ monitoring: Monitoring | undefined; tour: boolean }>,
) => [
  'Five computes of a service on this machine, each a real Postgres, and Dormouse watching them:',
  ...CAST.map(
    ({ role, team, delay, about }) =>
      `  ${role.padEnd(9)} of ${team.padEnd(8)} ${delayText(delay).padEnd(27)} ${about}`,
  ),
  `Twenty more of ${Object.keys(PAST_TEAMS).length} teams sleep. The service has ${PAST_DAYS} days of past, which Dormouse has read from it.`,
  'Open',
  ...linksOf(stage, monitoring).map(([url, what]) => `  ${url.padEnd(40)} ${what}`),
  ...(tour
    ? tourLines(stage.apiUrl)
    : ['Try in another terminal', `  npm run -s dormouse -- explain chatty --url ${stage.apiUrl}`]),
  // Debian's has no page of its own
  ...(monitoring ? [`  amtool alert query --alertmanager.url=${monitoring.alertmanagerUrl}`] : []),
]

const delayText = (delay: number | 'never') =>
  delay === 'never' ? 'never sleeps, by settings:' : `sleeps after ${delay} s of silence:`

const linksOf = (
  { apiUrl, telemetryUrl, local, configFile }: StageSet,
  monitoring: Monitoring | undefined,
): readonly (readonly [string, string])[] => [
  [
    `${apiUrl}/?range=7d`,
    'the status page; /budgets is how fast the money goes, /report what last week cost',
  ],
  [`${telemetryUrl}/metrics`, 'what Prometheus reads'],
  ...(monitoring ? ([[monitoring.alertsUrl, PROMETHEUS_TEXT]] as const) : []),
  [local.baseUrl, 'the service'],
  [configFile, 'the configuration of Dormouse'],
]

const PROMETHEUS_TEXT = 'Prometheus with dashboards/alerts.yaml, waiting a second in place of minutes'

type Step = Readonly<{ title: string; command: string; look: readonly string[] }>

const stepsOf = (apiUrl: string): readonly Step[] => [
  {
    title: 'See when each compute was awake',
    command: `open ${apiUrl}/?range=7d`,
    look: [
      'bookings never sleeps, shop works in office hours, warehouse at night, website gets a branch a day;',
      'the orange parts are idle tails: awake after the last activity, waiting for the delay',
    ],
  },
  {
    title: 'Ask why a compute is awake',
    command: `npm run -s dormouse -- explain busy --url ${apiUrl}`,
    look: [
      'a client that never pauses keeps it: its application, user and database are named, with time and money',
    ],
  },
  {
    title: 'Ask what to change',
    command: `npm run -s dormouse -- recommendations --url ${apiUrl}`,
    look: [
      'forgotten is to sleep, indexer to sleep later, each with saving, effect and the exact request;',
      'for every other compute: what it costs, what is not known yet, and when the answer comes',
    ],
  },
  {
    title: 'Find the budget that will not last',
    command: `open ${apiUrl}/budgets`,
    look: ['storefront is within its limit today; the forecast says how likely the month ends above it'],
  },
  {
    title: 'Read what last week cost',
    command: `npm run -s dormouse -- report --format markdown --url ${apiUrl}`,
    look: ['spend by team beside the weeks before, the dearest computes, what kept them awake'],
  },
]

const tourLines = (apiUrl: string): readonly string[] => [
  'Tour, in another terminal or a browser',
  ...stepsOf(apiUrl).flatMap(({ title, command, look }, at) => [
    `  ${at + 1}. ${title}`,
    `     ${command}`,
    ...look.map((line) => `     ${line}`),
  ]),
]
