// The store of a daemon that knows its fleet: filled by its own passes, on virtual time, over the same simulated service.
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadWithSource, type Config } from '../../../src/config/load.ts'
import { createRandom } from '../../../src/local/random.ts'
import { startSimulated } from '../../support/simulated-service.ts'
import { imagine } from './imagined.ts'
import type { FleetOptions } from './start.ts'
import { fleetBehaviour, fleetProjects, fleetTraffic, pastOf } from './traffic.ts'
import { createVirtualClock } from '../../support/virtual-clock.ts'
import { environmentOf } from '../../support/secrets.ts'

/** Where the simulation begins, and where the daemon left off, ms. */
export type Past = { readonly since: number; readonly until: number }

/**
 * At its own rate it needs most of a day to look at everything once. Nothing is told by how long that took, so here it has ten times the
 * requests; nor is anything looked at again only because it is old until that day is over.
 */
const FILLING = 'poll: { interval: 15m }\nservice: { requests_per_minute: 3500 }'

/** Minutes at the ordinary rate after that: longer than most computes are awake. */
const SETTLING = 30

/**
 * Fills `folder`/data. What is in `kept` already is taken from there, and what was made is put there.
 *
 * @param yaml of the configuration, but for the store and the rates
 */
export async function warmUp(
  shape: FleetOptions,
  {
    folder,
    yaml,
    kept,
  }: { readonly folder: string; readonly yaml: string; readonly kept?: string | undefined },
): Promise<Past> {
  if (kept !== undefined && existsSync(join(kept, 'past.json'))) {
    cpSync(join(kept, 'data'), join(folder, 'data'), { recursive: true })
    return JSON.parse(readFileSync(join(kept, 'past.json'), 'utf8')) as Past
  }
  const begun = Date.now()
  const since = pastOf(shape, begun)
  const clock = createVirtualClock(begun)
  const service = await startSimulated({
    projects: fleetProjects(shape),
    scripts: [fleetTraffic(shape, since, createRandom(shape.seed))],
    clock: { now: () => clock.now(), after: () => () => undefined, sleep: () => Promise.resolve() },
    since,
    behaviour: { ...fleetBehaviour(shape), rates: false },
  })
  const config = (rates: string): Config => {
    const file = join(folder, 'warm.yaml')
    writeFileSync(file, `${yaml}\n${rates}\n`)
    const loaded = loadWithSource(file, environmentOf({ FLEET_KEY: service.apiKey }))
    if (!loaded.ok) throw new Error(loaded.error.join('\n'))
    return loaded.value.config
  }
  await imagine({
    service,
    clock,
    config: config(FILLING),
    unseenFirst: true,
    isOver: ({ ledger: { projects } }) =>
      projects.size > 0 && [...projects.values()].every(({ listed }) => listed),
  })
  const settled = clock.now() + 60_000 * SETTLING
  await imagine({ service, clock, config: config(''), isOver: () => clock.now() >= settled })
  await service.stop()
  const past = { since, until: clock.now() }
  if (kept !== undefined) {
    mkdirSync(kept, { recursive: true })
    cpSync(join(folder, 'data'), join(kept, 'data'), { recursive: true })
    writeFileSync(join(kept, 'past.json'), JSON.stringify(past))
  }
  return past
}
