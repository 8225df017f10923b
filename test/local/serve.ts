// The local service as a process of its own: node serve.ts FOLDER [HISTORY]. SIGTERM stops it.
import type { HistoryRequest } from '../../src/local/options.ts'
import { startLocal } from '../../src/local/start.ts'

const past = process.argv[3]

const local = await startLocal({
  folder: process.argv[2] ?? '',
  projects: [{ name: 'shop', suspendTimeoutSeconds: -1 }],
  allowShortDelays: true,
  wakeLatency: { min: 0, max: 0 },
  lastActiveLag: 0,
  ...(past !== undefined && { past: JSON.parse(past) as HistoryRequest }),
})
process.once('SIGTERM', () => void local.stop())
console.log(JSON.stringify({ baseUrl: local.baseUrl, apiKey: local.apiKey }))
