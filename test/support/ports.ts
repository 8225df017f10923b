// Ports of daemons that tests start, and that begin to listen seconds after the choice of their port.
import { createServer } from 'node:net'
import { listenOn } from '../../src/local/proxy/listen.ts'

/** Below those of `freePort` (20,000 to 32,767), from which Postgres servers and poolers take theirs at any time. */
const FIRST_PORT = 10_000
const PORTS_PER_WORKER = 1000
const MAX_WORKERS = 9

/** Workers that run at the same time have different numbers, from 1 on. Source: Vitest. */
// oxlint-disable-next-line node/no-process-env -- how Vitest tells it
const worker = (Number(process.env['VITEST_POOL_ID'] ?? 0) || 0) % MAX_WORKERS

/** The port last given; the first is a random one, since the worker before it may have left connections behind. */
let last = Math.floor(Math.random() * PORTS_PER_WORKER)

/** Free, and given to nobody else: a worker gives each of its ports once in a thousand times. */
export async function ownPort(): Promise<number> {
  for (let attempt = 0; attempt < PORTS_PER_WORKER; attempt += 1) {
    last = (last + 1) % PORTS_PER_WORKER
    await using server = createServer()
    const port = await listenOn(server, FIRST_PORT + worker * PORTS_PER_WORKER + last)
    if (port !== undefined) return port
  }
  throw new Error(`no port of worker ${worker} is free`)
}
