import { onTestFinished, expect, test } from 'vitest'
import { startFleetService } from './start.ts'

test('a hundred thousand projects, two in a hundred awake, fit in 1.5 GB', async () => {
  const service = await startFleetService({
    projects: 100_000,
    awakeShare: 0.02,
    awakeSeconds: 1200,
    seed: 1,
    scale: 1,
    behaviour: { rates: false },
  })
  onTestFinished(() => service.stop())
  const headers = { authorization: `Bearer ${service.apiKey}` }
  const before = await service.usage()
  let [listed, pages] = [0, 0]
  for (let cursor = ''; ; pages += 1) {
    const answer = await fetch(`${service.baseUrl}/projects?limit=400${cursor}`, { headers })
    const { projects } = (await answer.json()) as { readonly projects: readonly { readonly id: string }[] }
    listed += projects.length
    if (projects.length < 400) break
    cursor = `&cursor=${projects.at(-1)?.id}`
  }
  const { cpuSeconds, rssBytes } = await service.usage()
  const { computes } = await service.truth()
  console.log('fleet of 100,000', {
    rssMiB: Math.round(rssBytes / 2 ** 20),
    cpuPerPageMs: (1000 * (cpuSeconds - before.cpuSeconds)) / pages,
  })
  expect(listed).toBe(100_000)
  expect(computes.filter(({ intervals }) => intervals.at(-1)?.to === null).length).toBeGreaterThan(1500)
  expect(rssBytes).toBeLessThan(1.5e9)
})
