// The service of a fleet, as a process of its own: node service.ts SHAPE, started by start.ts.
import { createScaledClock } from '../../support/scaled-clock.ts'
import { createRandom } from '../../../src/local/random.ts'
import { startSimulated } from '../../support/simulated-service.ts'
import type { FleetOptions } from './start.ts'
import { fleetBehaviour, fleetProjects, fleetTraffic, pastOf } from './traffic.ts'

/** Between two looks at what is due while nobody asks, ms of the machine's clock. */
const TICK = 100

const options = JSON.parse(process.argv[2] ?? '') as FleetOptions
const begun = Date.now()
const machine = createScaledClock(options.scale, begun)
const { since, until } = options.past ?? { since: pastOf(options, begun), until: begun }
const clock = { ...machine, now: () => machine.now() - begun + until }
const service = await startSimulated({
  projects: fleetProjects(options),
  scripts: [fleetTraffic(options, since, createRandom(options.seed))],
  clock,
  since,
  behaviour: fleetBehaviour(options),
})
service.advance()
setInterval(() => service.advance(), TICK)
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.({ rssBytes: process.memoryUsage.rss(), cpuSeconds: (user + system) / 1e6 })
})
// the end of who started it, however that ends
process.on('disconnect', () => process.exit(0))
process.send?.({ baseUrl: service.baseUrl, apiKey: service.apiKey, since, begun, until })
