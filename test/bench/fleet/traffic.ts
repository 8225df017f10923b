// The clients of a fleet: which computes they use, when, and how long. Seeded; pure.
import { createEventHeap } from '../../../src/local/control/simulation/event-heap.ts'
import { DEFAULT_DELAY } from '../../../src/local/control/project.ts'
import type { SimulatedEvent } from '../../../src/local/control/simulation/simulation.ts'
import type { Random } from '../../../src/local/random.ts'
import { type SimulatedProject, idsOf } from '../../support/simulated-service.ts'
import type { BehaviourChange } from '../../../src/local/engine/behaviour-switches.ts'

export type FleetShape = {
  readonly projects: number
  /** Share of the computes that is awake at any time, 0 to 1. */
  readonly awakeShare: number
  /** Mean length of an awake interval, from the start to the suspension; at least 1200, twice the longest delay. */
  readonly awakeSeconds: number
}

/** Autosuspend delays, s as on the wire, by project in turn: seven of ten have the default. */
const DELAYS = [0, 0, 60, 0, 0, 600, 0, 60, 0, 0] as const
const LONGEST_DELAY = 600

/** Sizes by project in turn, CU; the last one is a range. */
const SIZES: readonly Pick<SimulatedProject, 'cu' | 'maxCu'>[] = [
  { cu: 0.25 },
  { cu: 0.25 },
  { cu: 0.5 },
  { cu: 1 },
  { cu: 2 },
  { cu: 4 },
  { cu: 0.25, maxCu: 2 },
]

/** Between two queries of a client, s: below the shortest delay, so that it keeps what it uses awake. */
const PAUSE = { min: 10, max: 50 }

const PROGRAMS = ['web', 'worker', 'cron', 'psql'] as const

/** How long clients have been there when the service begins to answer, in mean awake intervals: the share is steady. */
const WARM_UP = 5

/** Where the past of a fleet begins whose service answers from `begun` on, ms. */
export const pastOf = ({ awakeSeconds }: FleetShape, begun: number): number =>
  begun - 1000 * WARM_UP * awakeSeconds

/** Positions of switches: those of the goals of the benchmark, unless told otherwise. */
export const fleetBehaviour = ({ behaviour }: { readonly behaviour?: BehaviourChange }): BehaviourChange => ({
  lastActiveLag: 60,
  countersLag: 900,
  operationsMoveProject: false,
  rates: true,
  ...behaviour,
})

export const fleetProjects = ({ projects }: FleetShape): SimulatedProject[] =>
  Array.from({ length: projects }, (_, at) => ({
    name: `project ${at}`,
    ...SIZES[at % SIZES.length],
    suspendTimeoutSeconds: delayOf(at),
  }))

const delayOf = (at: number): number => DELAYS[at % DELAYS.length] ?? 0

type Coming =
  | { readonly kind: 'arrival' }
  | { readonly kind: 'query'; readonly project: number; readonly program: string; readonly until: number }
  | { readonly kind: 'goal'; readonly project: number; readonly cu: number }

/**
 * What the clients do from `from` on, without end. Clients arrive by chance (Poisson), each at a compute that nobody
 * uses, and stay so long that the awake intervals have the mean of the shape and its share is awake.
 *
 * @throws when the shape asks for what no traffic gives
 */
export function* fleetTraffic(
  shape: FleetShape,
  from: number,
  { uniform }: Pick<Random, 'uniform'>,
): Generator<SimulatedEvent> {
  requirePossible(shape)
  const agenda = createEventHeap<Coming>()
  const used = new Set<number>()
  const perSecond = (shape.projects * shape.awakeShare) / shape.awakeSeconds
  agenda.add(from, { kind: 'arrival' })
  for (;;) {
    const due = agenda.take(Infinity)
    if (!due) return
    const { at, item } = due
    switch (item.kind) {
      case 'arrival': {
        agenda.add(at - (1000 * Math.log(1 - uniform())) / perSecond, item)
        const project = Math.floor(uniform() * shape.projects)
        if (used.has(project)) break
        used.add(project)
        const program = PROGRAMS[Math.floor(uniform() * PROGRAMS.length)] ?? 'web'
        const length =
          1000 * (shape.awakeSeconds - (delayOf(project) || DEFAULT_DELAY)) * (0.2 + 1.6 * uniform())
        agenda.add(at, { kind: 'query', project, program, until: at + length })
        const { maxCu } = SIZES[project % SIZES.length] ?? {}
        if (maxCu === undefined) break
        agenda.add(at + 0.3 * length, { kind: 'goal', project, cu: maxCu })
        agenda.add(at + 0.7 * length, { kind: 'goal', project, cu: 0.5 })
        break
      }
      case 'goal':
        yield { at: Math.round(at), kind: 'goal', endpointId: idsOf(item.project).endpointId, cu: item.cu }
        break
      case 'query': {
        const { project, program, until } = item
        const cause = { kind: 'client', applicationName: program, user: 'app_owner' } as const
        yield { at: Math.round(at), kind: 'connect', endpointId: idsOf(project).endpointId, cause }
        const next = Math.min(until, at + 1000 * (PAUSE.min + (PAUSE.max - PAUSE.min) * uniform()))
        if (at < until) agenda.add(next, item)
        else used.delete(project)
      }
    }
  }
}

function requirePossible({ projects, awakeShare, awakeSeconds }: FleetShape): void {
  if (!Number.isInteger(projects) || projects < 1 || projects > 1_000_000)
    throw new Error(`projects: expected a whole number from 1 to 1000000, got ${projects}`)
  if (!(awakeShare > 0 && awakeShare <= 0.5))
    throw new Error(`awakeShare: expected a share above 0 and up to 0.5, got ${awakeShare}`)
  if (!(awakeSeconds >= 2 * LONGEST_DELAY && awakeSeconds <= 86_400))
    throw new Error(`awakeSeconds: expected ${2 * LONGEST_DELAY} to 86400, got ${awakeSeconds}`)
}
