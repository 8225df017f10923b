// The simulated service as a process of its own, to be measured: node simulate.ts PROJECTS
import { startSimulated } from '../../src/local/simulated.ts'

const count = Number(process.argv[2])
const service = await startSimulated({
  projects: Array.from({ length: count }, (_, n) => ({
    name: `project ${n}`,
    activity: [Date.now() + 10 * n],
  })),
  behaviour: { wakeLatency: { min: 0, max: 0 } },
})
const headers = { authorization: `Bearer ${service.apiKey}` }
const latencies: number[] = []
let listed = 0
for (let cursor = ''; ;) {
  const before = performance.now()
  const answer = await fetch(`${service.baseUrl}/projects?limit=400${cursor}`, { headers })
  const { projects, pagination }: { projects: unknown[]; pagination?: { cursor: string } } = JSON.parse(
    await answer.text(),
  )
  latencies.push(performance.now() - before)
  listed += projects.length
  if (!pagination || projects.length < 400) break
  cursor = `&cursor=${pagination.cursor}`
}
const single: number[] = []
for (let n = 0; n < 400; n += 1) {
  const id = String(n).padStart(6, '0')
  const before = performance.now()
  await (await fetch(`${service.baseUrl}/projects/local-${id}/endpoints`, { headers })).text()
  single.push(performance.now() - before)
}
const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
console.log(
  JSON.stringify({
    listed,
    rssMiB: Math.round(process.memoryUsage().rss / 1_048_576),
    pageMs: median(latencies),
    endpointsMs: median(single),
  }),
)
await service.stop()
