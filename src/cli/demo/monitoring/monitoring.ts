// With the rules and the routing that come with Dormouse.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../../../model/ports/clock.ts'
import { findProgram, isUp, startMonitor, type MonitorOptions } from './program.ts'
import { startPrometheus } from './prometheus.ts'

const SHIPPED = join(import.meta.dirname, '../../../../dashboards')

export type Programs = Readonly<{ prometheus: string; alertmanager: string }>

/** Undefined if one is missing. Debian has another name for Alertmanager. */
export function findPrograms(path: string | undefined): Programs | undefined {
  const prometheus = findProgram(['prometheus'], path)
  const alertmanager = findProgram(['prometheus-alertmanager', 'alertmanager'], path)
  return prometheus !== undefined && alertmanager !== undefined ? { prometheus, alertmanager } : undefined
}

type MonitoringOptions = Readonly<{
  programs: Programs
  folder: string
  /** Job → `host:port`; the rules are about the job `dormouse`. */
  jobs: Readonly<Record<string, string>>
  target: RoutingTarget
  clock: Clock
}>

export type Monitoring = AsyncDisposable & {
  readonly prometheusUrl: string
  readonly alertsUrl: string
  readonly alertmanagerUrl: string
}

/** Resolves when both answer. @throws when one does not start; then neither runs */
export async function startMonitoring(options: MonitoringOptions): Promise<Monitoring> {
  const { programs, folder, jobs, target, clock } = options
  mkdirSync(folder)
  await using stack = new AsyncDisposableStack()
  const alertmanager = stack.use(
    await startAlertmanager(
      { file: programs.alertmanager, folder: join(folder, 'alertmanager'), clock },
      shortenRouting(shipped('alertmanager.example.yml'), target),
    ),
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

/** @param options the folder is created */
async function startAlertmanager(options: MonitorOptions, routing: string) {
  const { folder } = options
  mkdirSync(folder)
  const file = join(folder, 'alertmanager.yml')
  writeFileSync(file, routing, { mode: 0o600 })
  return startMonitor('alertmanager', options, [
    `--config.file=${file}`,
    `--storage.path=${join(folder, 'data')}`,
    // no cluster: nothing listens for peers
    '--cluster.listen-address=',
  ])
}

/** Debian's Prometheus has the page under `/classic`. */
async function alertsPage(url: string): Promise<string> {
  const classic = `${url}/classic/alerts`
  return (await isUp(classic)) ? classic : `${url}/alerts`
}

const shipped = (name: string) => readFileSync(join(SHIPPED, name), 'utf8')

/** With a second in place of minutes and days, as the routing. */
export const shortenRules = (rules: string): string =>
  replaceAll(rules, [[/^( +(?:keep_firing_)?for): .+$/gm, (_, key) => `${key}: 1s`]])

export type RoutingTarget = Readonly<{
  /** Each receiver has its own path below. */
  url: string
  tokenFile: string
}>

/** With its addresses filled in. The receiver `nobody` gets one, too, so that its notifications can be seen. */
export function shortenRouting(example: string, { url, tokenFile }: RoutingTarget): string {
  const token = JSON.stringify(tokenFile)
  const hook = `    webhook_configs:
      - url: https://your-receiver.example/nobody
        http_config: { authorization: { credentials_file: /run/secrets/receiver-token } }
`
  return replaceAll(example, [
    [/^ {2}- name: nobody\n/gm, (name) => name + hook],
    [/https:\/\/your-receiver\.example/g, () => url],
    [/\/run\/secrets\/receiver-token/g, () => token],
    [/(group_wait|group_interval): \S+/g, (_, key) => `${key}: 1s`],
  ])
}

type Replacement = readonly [pattern: RegExp, to: (...groups: string[]) => string]

/** @throws when a pattern matches nothing: the files have changed */
function replaceAll(text: string, replacements: readonly Replacement[]) {
  let result = text
  for (const [pattern, to] of replacements) {
    const next = result.replace(pattern, to)
    if (next === result) throw new Error(`there is nothing like ${pattern.source} in the file`)
    result = next
  }
  return result
}
