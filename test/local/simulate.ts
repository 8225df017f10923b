// The simulated service as a process of its own, for measurements: node simulate.ts PROJECTS [DAYS]
// With DAYS its projects have a history of this length.
import { startSimulated } from '../support/simulated-service.ts'

const [count, days] = [Number(process.argv[2]), Number(process.argv[3] ?? 0)]
const young = Array.from({ length: count }, (_, n) => ({
  name: `project ${n}`,
  activity: [Date.now() + 10 * n],
}))
const begun = performance.now()
const service = await startSimulated({
  projects: days > 0 ? [] : young,
  ...(days > 0 && { past: { span: 86_400 * days, projects: count, seed: 7 } }),
  behaviour: { wakeLatency: { min: 0, max: 0 } },
})
const startMs = performance.now() - begun
const headers = { authorization: `Bearer ${service.apiKey}` }
const latencies: number[] = []
const ids: string[] = []
for (let cursor = ''; ;) {
  const before = performance.now()
  const answer = await fetch(`${service.baseUrl}/projects?limit=400${cursor}`, { headers })
  const { projects, pagination }: { projects: { id: string }[]; pagination?: { cursor: string } } =
    JSON.parse(await answer.text())
  latencies.push(performance.now() - before)
  ids.push(...projects.map(({ id }) => id))
  if (!pagination || projects.length < 400) break
  cursor = `&cursor=${pagination.cursor}`
}
const single: number[] = []
for (const id of ids.slice(0, 400)) {
  const before = performance.now()
  await (await fetch(`${service.baseUrl}/projects/${id}/endpoints`, { headers })).text()
  single.push(performance.now() - before)
}
const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
console.log(
  JSON.stringify({
    listed: ids.length,
    startMs,
    rssMiB: Math.round(process.memoryUsage().rss / 1_048_576),
    pageMs: median(latencies),
    endpointsMs: median(single),
  }),
)
await service.stop()
