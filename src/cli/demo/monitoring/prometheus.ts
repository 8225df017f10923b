import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startMonitor, type MonitorServer, type MonitorOptions } from './program.ts'

type PrometheusOptions = MonitorOptions & {
  readonly jobs: Readonly<Record<string, string>>
  /** Text of the rules, and `host:port` of the Alertmanager. */
  readonly alerts?: Readonly<{ rules: string; to: string }> | undefined
}

export async function startPrometheus(options: PrometheusOptions): Promise<MonitorServer> {
  const { folder, jobs, alerts } = options
  mkdirSync(folder)
  const at = (name: string) => join(folder, name)
  // JSON is YAML
  const config = { ...GLOBAL, ...scrapeConfig(jobs), ...alertConfig(alerts, at) }
  writeFileSync(at('prometheus.yml'), JSON.stringify(config))
  if (alerts) writeFileSync(at('alerts.yaml'), alerts.rules)
  return startMonitor('prometheus', options, [
    `--config.file=${at('prometheus.yml')}`,
    `--storage.tsdb.path=${at('data')}`,
  ])
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
