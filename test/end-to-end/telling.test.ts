// A daemon that is killed before a receiver took its message: the next one tells it, with the same key.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { receiver } from '../send/http-receiver.ts'
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
