// A Prometheus on loopback that scrapes every second.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../../local/proxy/listen.ts'
import type { Clock } from '../../../model/ports/clock.ts'
import { waitUntilUp, startProgram } from './program.ts'

export type PrometheusOptions = {
  /** Path of the program. */
  readonly file: string
  /** New folder for configuration, data and log. */
  readonly folder: string
  /** Name of the job → `host:port` of its target. */
  readonly jobs: Readonly<Record<string, string>>
  /** Text of the rules, and the Alertmanager as `host:port`. */
  readonly alerts?: { readonly rules: string; readonly to: string } | undefined
  readonly clock: Clock
}

export type Prometheus = AsyncDisposable & { readonly url: string }

/** Resolves when it answers. @throws when it does not start */
export async function startPrometheus(options: PrometheusOptions): Promise<Prometheus> {
  const { file, folder, jobs, alerts, clock } = options
  mkdirSync(folder)
  const at = (name: string): string => join(folder, name)
  // JSON is YAML
  writeFileSync(
    at('prometheus.yml'),
    JSON.stringify({ ...GLOBAL, ...scrapeConfig(jobs), ...alertConfig(alerts, at) }),
  )
  if (alerts) writeFileSync(at('alerts.yaml'), alerts.rules)
  const address = `127.0.0.1:${await freePort()}`
  const words = [
    `--config.file=${at('prometheus.yml')}`,
    `--storage.tsdb.path=${at('data')}`,
    `--web.listen-address=${address}`,
    '--log.level=warn',
  ]
  await using stack = new AsyncDisposableStack()
  const program = stack.use(startProgram({ file, words, logFile: at('prometheus.log'), clock }))
  const url = `http://${address}`
  await waitUntilUp('prometheus', program, { url: `${url}/-/ready`, clock })
  const open = stack.move()
  return { url, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

const GLOBAL = { global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' } }

const scrapeConfig = (jobs: PrometheusOptions['jobs']): object => ({
  scrape_configs: Object.entries(jobs).map(([job, address]) => ({
    job_name: job,
    static_configs: [{ targets: [address] }],
  })),
})

const alertConfig = (alerts: PrometheusOptions['alerts'], at: (name: string) => string): object =>
  alerts
    ? {
        rule_files: [at('alerts.yaml')],
        alerting: { alertmanagers: [{ static_configs: [{ targets: [alerts.to] }] }] },
      }
    : {}
