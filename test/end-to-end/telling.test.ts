// A daemon that is killed before a receiver took its message: the next one tells it, with the same key.
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { receiver } from '../outputs/notify/http-receiver.ts'
import { dormouse, fleetAt, metricsAt, setting, until, type Setting } from './support.ts'

let world: Setting
beforeAll(async () => {
  world = await setting([{ name: 'one', suspendTimeoutSeconds: 600 }])
})
afterAll(() => world[Symbol.asyncDispose]())

test('an event outlives kill −9 and arrives, and no address is shown', async () => {
  await using ears = await receiver(500)
  const file = join(world.folder, 'told.yaml')
  writeFileSync(
    file,
    `${readFileSync(world.configFile, 'utf8')}
notifications: [{ name: ops, type: webhook, url_env: URL, secret_env: SECRET, events: [key-refused] }]
`,
  )
  const env = { URL: ears.url, SECRET: 'shared-s3cr3t' }
  const key = readFileSync(world.keyFile, 'utf8')
  await using first = dormouse(['run', '--config', file], env)
  await until('the first pass', () => fleetAt(world.apiUrl))
  writeFileSync(world.keyFile, 'wrong')
  await until('an attempt', () => ears.heard[0])
  first.child.kill('SIGKILL')
  await first.ended
  writeFileSync(world.keyFile, key)
  ears.answer(200)
  await using second = dormouse(['run', '--config', file], env)
  const arrived = 'dormouse_notifications_total{sink="ops",result="delivered"}'
  await until('the message', async () => {
    const metrics = await metricsAt(world.telemetryUrl).catch(() => undefined)
    return metrics?.get(arrived) === 1 ? true : undefined
  })
  const keys = ears.heard.map(({ headers }) => headers['idempotency-key'])
  expect(new Set(keys).size).toBe(1)
  expect(JSON.parse(ears.heard.at(-1)?.body ?? '')).toMatchObject({ kind: 'key-refused', account: 'main' })
  second.child.kill('SIGTERM')
  expect(await second.ended).toBe(0)
  const shown = [first, second].map((run) => run.out() + run.err()).join('\n')
  expect(shown).toContain('watching')
  expect(shown).not.toContain('s3cr3t')
})

test('passes go on while receivers of events and of a report hang, and both arrive in the end', async () => {
  await using events = await receiver('hang')
  await using reports = await receiver('hang')
  const file = join(world.folder, 'hanging.yaml')
  const token = 'a-token-that-may-operate'
  writeFileSync(
    file,
    `${readFileSync(world.configFile, 'utf8').replace('server: {', `server: { tokens: { me: { sha256: "${createHash('sha256').update(token).digest('hex')}", scope: operate } },`)}
store: { folder: ./hanging }
notifications: [{ name: ops, type: webhook, url_env: EVENTS, events: [key-refused] }]
report: { sinks: [{ name: boss, type: webhook, url_env: REPORTS }] }
`,
  )
  const key = readFileSync(world.keyFile, 'utf8')
  await using run = dormouse(['run', '--config', file], { EVENTS: events.url, REPORTS: reports.url })
  await until('the first pass', () => fleetAt(world.apiUrl))
  const asked = await fetch(`${world.apiUrl}/api/v1/report/send`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
  })
  expect(asked.status).toBe(202)
  writeFileSync(world.keyFile, 'wrong')
  await until('both attempts', () => (events.heard[0] && reports.heard[0] ? true : undefined))
  writeFileSync(world.keyFile, key)
  const passes = async (): Promise<number> => {
    const metrics = await metricsAt(world.telemetryUrl)
    return metrics.get('dormouse_job_runs_total{job_name="pass",result="success"}') ?? 0
  }
  const before = await passes()
  await until('five more passes', async () => ((await passes()) >= before + 5 ? true : undefined))
  const told = [
    'dormouse_notifications_total{sink="ops",result="delivered"}',
    'dormouse_report_deliveries_total{sink="boss",result="delivered"}',
  ]
  const hanging = await metricsAt(world.telemetryUrl)
  expect(told.map((name) => hanging.get(name))).toEqual([0, 0])
  for (const one of [events, reports]) one.answer(200)
  await until(
    'both messages',
    async () => {
      const metrics = await metricsAt(world.telemetryUrl)
      return told.every((name) => metrics.get(name) === 1) ? true : undefined
    },
    120,
  )
  for (const { heard } of [events, reports])
    expect(new Set(heard.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
  run.child.kill('SIGTERM')
  expect(await run.ended).toBe(0)
})
