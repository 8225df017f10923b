// Sessions of clients on one compute: queries, and sizes that the load calls for.
import type { SizeRange, WakeCause } from '../control/project.ts'
import type { SimulatedEvent } from '../control/simulation/simulation.ts'
import type { Chance } from './chance.ts'
import { type Kind, USES } from './kinds.ts'

export type Clients = Readonly<{
  endpointId: string
  config: SizeRange
  kind: Kind
  from: number
  /** Deletion of the compute, ms; default never. */
  to?: number | undefined
}>

/** Probability that a query changes the load: about every quarter of an hour of use. */
const LOAD_CHANGES = 0.1

/** Queries in order of time; endless unless the compute is deleted. */
export function* clientEvents(clients: Clients, chance: Chance): Generator<SimulatedEvent> {
  const { endpointId, config, kind, from, to = Infinity } = clients
  const { programs, sessions } = USES[kind]
  const cause: WakeCause = { kind: 'client', applicationName: chance.pick(programs), user: 'app_owner' }
  for (const { from: start, to: end, pause } of sessions(from, chance)) {
    for (let at = start; at <= end; at += 1000 * chance.between(pause.min, pause.max)) {
      if (at >= to) return
      // it stays connected until its work is done
      const session = { stays: Math.round(end - at) }
      yield { at: Math.round(at), kind: 'connect', endpointId, cause, session }
      if (config.minCu < config.maxCu && chance.happens(LOAD_CHANGES))
        yield { at: Math.round(at) + 5000, kind: 'goal', endpointId, cu: goalIn(config, chance) }
    }
  }
}

/** A quarter of a CU is the step; small goals are likelier. */
const goalIn = ({ minCu, maxCu }: SizeRange, chance: Chance) =>
  minCu + Math.round(4 * (maxCu - minCu) * chance.uniform() ** 2) / 4
