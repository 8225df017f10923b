// Prometheus and Alertmanager with the rules and the routing that come with Dormouse, on loopback.
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../../../model/ports/clock.ts'
import { startAlertmanager } from './alertmanager.ts'
import { shortenRouting, shortenRules, type RoutingTarget } from './shortened-rules.ts'
import { findProgram, isUp } from './program.ts'
import { startPrometheus } from './prometheus.ts'

const SHIPPED = join(import.meta.dirname, '../../../../dashboards')

/** The programs; Debian calls one of them by another name. */
export type Programs = { readonly prometheus: string; readonly alertmanager: string }

/** Undefined where one is missing. */
export function findPrograms(path: string | undefined): Programs | undefined {
  const prometheus = findProgram(['prometheus'], path)
  const alertmanager = findProgram(['prometheus-alertmanager', 'alertmanager'], path)
  return prometheus !== undefined && alertmanager !== undefined ? { prometheus, alertmanager } : undefined
}

export type MonitoringOptions = {
  readonly programs: Programs
  /** Made for them. */
  readonly folder: string
  /** Name of the job → `host:port` of its target; the rules are about the job `dormouse`. */
  readonly jobs: Readonly<Record<string, string>>
  readonly telling: RoutingTarget
  readonly clock: Clock
}

export type Monitoring = AsyncDisposable & {
  readonly prometheusUrl: string
  /** Where Prometheus shows alerts to people. */
  readonly alertsUrl: string
  readonly alertmanagerUrl: string
}

/** Resolves when both answer. @throws when one does not start; then none runs */
export async function startMonitoring(options: MonitoringOptions): Promise<Monitoring> {
  const { programs, folder, jobs, telling, clock } = options
  mkdirSync(folder)
  await using stack = new AsyncDisposableStack()
  const alertmanager = stack.use(
    await startAlertmanager({
      file: programs.alertmanager,
      folder: join(folder, 'alertmanager'),
      routing: shortenRouting(shipped('alertmanager.example.yml'), telling),
      clock,
    }),
  )
  const prometheus = stack.use(
    await startPrometheus({
      file: programs.prometheus,
      folder: join(folder, 'prometheus'),
      jobs,
      alerts: { rules: shortenRules(shipped('alerts.yaml')), to: alertmanager.address },
      clock,
    }),
  )
  const alertsUrl = await alertsPage(prometheus.url)
  const open = stack.move()
  return {
    prometheusUrl: prometheus.url,
    alertsUrl,
    alertmanagerUrl: alertmanager.url,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

/** Debian has only the page that others keep under `/classic`. */
async function alertsPage(url: string): Promise<string> {
  const classic = `${url}/classic/alerts`
  return (await isUp(classic)) ? classic : `${url}/alerts`
}

const shipped = (name: string): string => readFileSync(join(SHIPPED, name), 'utf8')
