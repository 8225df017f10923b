// What the demo says first: who plays, and what to open.
import { CAST } from './cast.ts'
import type { Monitoring } from './monitoring/monitoring.ts'
import type { StageSet } from './stage.ts'

/** Lines. */
export const introLines = (stage: StageSet, monitoring: Monitoring | undefined): readonly string[] => [
  'Five computes of a service on this machine, each a real Postgres, and Dormouse watching them:',
  ...CAST.map(
    ({ role, team, delay, about }) =>
      `  ${role.padEnd(9)} of ${team.padEnd(8)} ${sleeps(delay).padEnd(27)} ${about}`,
  ),
  'Open',
  ...places(stage, monitoring).map(([url, what]) => `  ${url.padEnd(40)} ${what}`),
  'Try in another terminal',
  `  npx dormouse explain chatty --url ${stage.apiUrl}`,
  // Debian's has no page of its own
  ...(monitoring ? [`  amtool alert query --alertmanager.url=${monitoring.alertmanagerUrl}`] : []),
]

const sleeps = (delay: number | 'never'): string =>
  delay === 'never' ? 'never sleeps, by settings:' : `sleeps after ${delay} s of silence:`

const places = (
  { apiUrl, telemetryUrl, local, configFile }: StageSet,
  monitoring: Monitoring | undefined,
): readonly (readonly [string, string])[] => [
  [`${apiUrl}/`, 'the status page; /budgets is how fast the money goes'],
  [`${telemetryUrl}/metrics`, 'what Prometheus reads'],
  ...(monitoring ? ([[monitoring.alertsUrl, WHAT_PROMETHEUS_HAS]] as const) : []),
  [local.baseUrl, 'the service'],
  [configFile, 'the configuration of Dormouse'],
]

const WHAT_PROMETHEUS_HAS = 'Prometheus with dashboards/alerts.yaml, waiting a second in place of minutes'
