// Sessions of clients as events of one compute: queries, and the sizes that the load calls for.
import type { ComputeConfig, WakeCause } from '../control/project.ts'
import type { SimulatedEvent } from '../control/simulation/simulation.ts'
import type { Chance } from './chance.ts'
import { type Kind, sessionsOf } from './sessions.ts'

export type Clients = {
  readonly endpointId: string
  readonly config: Pick<ComputeConfig, 'minCu' | 'maxCu'>
  readonly kind: Kind
  readonly from: number
  /** Deletion of the compute, ms; default never. */
  readonly to?: number
}

/** Application names by kind of use. */
const PROGRAMS: Readonly<Record<Kind, readonly [string, ...string[]]>> = {
  office: ['web', 'backoffice', 'metabase'],
  batch: ['airflow', 'dbt', 'cron'],
  preview: ['vercel', 'playwright', 'web'],
  chatty: ['worker', 'healthcheck'],
  always: ['web', 'checkout'],
  rare: ['psql', 'DBeaver'],
  bursty: ['lambda', 'ingest'],
}

/** Probability that a query changes the load of a compute with a range: about every quarter of an hour of use. */
const LOAD_CHANGES = 0.1

/** All queries of the clients of one compute in order of time; endless unless the compute is deleted. */
export function* clientEvents(clients: Clients, chance: Chance): Generator<SimulatedEvent> {
  const { endpointId, config, kind, from, to = Infinity } = clients
  const cause: WakeCause = {
    kind: 'client',
    applicationName: chance.pick(PROGRAMS[kind]),
    user: 'app_owner',
  }
  for (const session of sessionsOf(kind, from, chance)) {
    for (
      let at = session.from;
      at <= session.to;
      at += 1000 * chance.between(session.pause.min, session.pause.max)
    ) {
      if (at >= to) return
      yield { at: Math.round(at), kind: 'connect', endpointId, cause }
      if (config.minCu < config.maxCu && chance.happens(LOAD_CHANGES))
        yield { at: Math.round(at) + 5000, kind: 'goal', endpointId, cu: goalIn(config, chance) }
    }
  }
}

/** A size in the range, in steps of a quarter CU. Small ones are more likely: the square of a uniform number. */
const goalIn = ({ minCu, maxCu }: Clients['config'], chance: Chance): number =>
  minCu + Math.round(4 * (maxCu - minCu) * chance.uniform() ** 2) / 4
