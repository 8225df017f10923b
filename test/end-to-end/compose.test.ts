// The files that compose.yaml mounts, from a real compute to a receiver: the daemon, Prometheus and Alertmanager as processes. Addresses are
// those of this machine in place of names of containers, and times are a second.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { findPrograms, shortenRouting, shortenRules } from '../../src/cli/demo/monitoring/monitoring.ts'
import { startMonitor } from '../../src/cli/demo/monitoring/program.ts'
import { createClock } from '../../src/daemon/clock.ts'
import { receiver } from '../outputs/notify/http-receiver.ts'
import { ROOT } from '../support/generate.ts'
import { queryOf, scraped } from '../support/prometheus.ts'
import { testWith } from '../support/tiers.ts'
import { dormouse, setting, until, type Setting } from './support.ts'

const shipped = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

/** @throws when `from` is not in the text */
function replaced(text: string, from: string, to: string): string {
  expect(text).toContain(from)
  return text.replaceAll(from, to)
}

/** Starts both programs. Resolves with the address of Prometheus. */
async function monitoring({ folder, telemetryUrl }: Setting, url: string, stack: AsyncDisposableStack) {
  const programs = findPrograms(process.env['PATH'])
  if (!programs) throw new Error('prometheus or prometheus-alertmanager is missing')
  const written = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  const start = async (name: keyof typeof programs, words: readonly string[]) =>
    stack.use(await startMonitor(name, { file: programs[name], folder, clock: createClock() }, words))

  const target = { url, tokenFile: written('receiver-token', 'a-shared-token') }
  const routing = shortenRouting(shipped('dashboards/alertmanager.example.yml'), target)
  const alertmanager = await start('alertmanager', [
    `--config.file=${written('alertmanager.yml', routing)}`,
    `--storage.path=${join(folder, 'alerts')}`,
    '--cluster.listen-address=',
  ])
  const rules = written('alerts.yaml', shortenRules(shipped('dashboards/alerts.yaml')))
  const config = [
    ['dormouse:9477', new URL(telemetryUrl).host],
    ['alertmanager:9093', alertmanager.address],
    ['/etc/prometheus/alerts.yaml', rules],
    ['30s', '1s'],
  ].reduce(
    (text, [from = '', to = '']) => replaced(text, from, to),
    shipped('config/deploy/compose/prometheus.yml'),
  )
  const prometheus = await start('prometheus', [
    `--config.file=${written('prometheus.yml', config)}`,
    `--storage.tsdb.path=${join(folder, 'series')}`,
  ])
  return prometheus.url
}

testWith('prometheus', 'prometheus-alertmanager')(
  'the files of compose.yaml bring an alert to its receiver',
  async () => {
    await using stack = new AsyncDisposableStack()
    // a delay of -1 is autosuspend off: the alert of that has the severity info, which the routing sends to nobody
    const world = stack.use(await setting([{ name: 'forgotten', suspendTimeoutSeconds: -1 }]))
    const ears = stack.use(await receiver())
    stack.use(dormouse(['run', '--config', world.configFile]))
    await scraped(queryOf(await monitoring(world, ears.url, stack)), 1)
    const heard = await until(
      'the alert',
      () => ears.heard.find(({ body }) => body.includes('"alertname":"DormouseAutosuspendDisabled"')),
      60,
    )
    expect(JSON.parse(heard.body)).toMatchObject({
      receiver: 'nobody',
      alerts: [{ status: 'firing', labels: { severity: 'info' } }],
    })
    expect(heard.headers.authorization).toBe('Bearer a-shared-token')
  },
)
