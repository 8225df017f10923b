// Metrics of the client library. render.test.ts has those of the snapshot.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { CATALOGUE, PREFIX } from '../../../src/outputs/metrics/catalogue.ts'
import { createSelfMetrics } from '../../../src/outputs/metrics/self.ts'
import { bodyText } from '../../support/exposed.ts'

const selfText = async (self = createSelfMetrics()): Promise<string> => bodyText(await self.parts())

test('the client library exports the other families of the catalogue', async () => {
  const text = await selfText()
  const expected = Object.entries(CATALOGUE).filter(
    ([name, { owner }]) => owner === 'self' && name !== 'self_metrics_error',
  )
  expect(expected.filter(([name]) => !text.includes(`# TYPE ${PREFIX}${name} `))).toEqual([])
})

// Each copy has a registry of its own: what one counts the other does not show.
test('there is one client library', () => {
  const lock = readFileSync(new URL('../../../package-lock.json', import.meta.url), 'utf8')
  const { packages } = JSON.parse(lock) as { packages: Record<string, { name?: string }> }
  const copies = Object.entries(packages).filter(([path, { name }]) =>
    [path, name ?? ''].some((text) => /(^|\/)(prom-client|@prometheus-io\/client)$/.test(text)),
  )
  expect(copies.map(([path]) => path)).toEqual(['node_modules/prom-client'])
})

test('a request is counted by operation, code and priority, with its wait and the remaining rate', async () => {
  const self = createSelfMetrics()
  const sent = { key: 'main', operation: 'list_computes', code: '429', seconds: 0.1, retry: false }
  self.request({ ...sent, priority: 'report', waited: 1.5, share: 1, tokens: 9 })
  self.request({ ...sent, priority: 'report', waited: 2, share: 0.5, tokens: 0 })
  const told = (await selfText(self)).split('\n')
  expect(told).toContain(
    'dormouse_api_requests_total{operation="list_computes",code="429",priority="report"} 2',
  )
  expect(told).toContain(
    'dormouse_api_requests_total{operation="list_computes",code="429",priority="poll"} 0',
  )
  expect(told).toContain('dormouse_api_rate_limited_seconds_total{priority="report"} 3.5')
  expect(told).toContain('dormouse_api_rate_limited_seconds_total{priority="verify"} 0')
  expect(told).toContain('dormouse_api_rate_ratio{key="main",operation="list_computes"} 0.5')
  expect(told).toContain('dormouse_api_tokens{key="main"} 0')
})
