// The client against the local service with the public rates on: 700 requests a minute, 40 a second on one route.
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { memoryFolder } from '../support/folder.ts'
import { createClock } from '../../src/daemon/clock.ts'
import { createRandom } from '../../src/daemon/random.ts'
import type { Local } from '../../src/local/start.ts'
import { startQuickly } from '../support/start-quickly.ts'
import { ok } from '../../src/std/result.ts'
import { createService, type ServiceOptions } from '../../src/service/service.ts'
import type { RequestReport } from '../../src/service/http/request.ts'

const running = new AbortController().signal
let folder = ''
let local: Local

beforeAll(async () => {
  folder = memoryFolder('dormouse-rates-')
  local = await startQuickly({ folder, wakeLatency: { min: 0, max: 0 }, projects: [{ name: 'shop' }] })
  await fetch(`${local.baseUrl.replace('/api/v2', '')}/_control`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ rates: true }),
  })
})
afterAll(async () => {
  await local.stop()
  rmSync(folder, { recursive: true, force: true })
})

test('a client that asks too fast is slowed down on that route, and loses nothing', async () => {
  const reports: RequestReport[] = []
  const options: ServiceOptions = {
    baseUrl: local.baseUrl,
    readKey: () => ok(local.apiKey),
    clock: createClock(),
    random: createRandom(),
    requestsPerMinute: 12_000,
    projects: 'discover',
    onRequest: (report) => reports.push(report),
  }
  const service = createService(options)
  const keys = Array.from({ length: 100 }, () => service.listKeys(running))
  const answers = await Promise.all(keys)
  expect(answers.filter((answer) => !answer.ok)).toEqual([])

  const codes = Map.groupBy(reports, ({ code }) => code)
  expect(codes.get('200')).toHaveLength(100)
  expect(codes.get('429')?.length).toBeGreaterThan(0)
  expect(reports.at(-1)?.share).toBeLessThan(0.7)

  expect(await service.listProjects(running)).toMatchObject({ ok: true })
  expect(reports.at(-1)).toMatchObject({ operation: 'list_projects', code: '200', share: 1 })
})
