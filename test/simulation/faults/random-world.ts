// A day of random use under random faults, drawn from a seed.
import type { Random } from '../../../src/model/ports/clock.ts'
import { seconds } from '../../../src/model/units.ts'
import { idsOf, type SimulatedOptions, type SimulatedProject } from '../../support/simulated-service.ts'
import { seeded } from '../seeded.ts'
import { ACCOUNT, branchBudget } from './budgets.ts'
import { at, type DaysOptions } from './days.ts'
import type { Fault, Outage, Route, Slowness } from './faults.ts'
import type { Addresses } from './simulated-readings.ts'

const HOUR = 3600
export const LENGTH = 24 * HOUR
/** Nothing fails in the last hours, in which everything must be found out. */
const CALM_FROM = LENGTH - 2 * HOUR
/** A history is taken to be of the branch of the first look: moves come later, seconds. */
const FIRST_MOVE = 300
/** Without the crowd. */
export const PROJECTS = 6
/** Further projects that are all in use during a fault: looks at them take longer than a pass may take. */
const CROWD = 40

export type RandomWorld = DaysOptions & {
  /** Whether the service has more than the interface text: operations, and times of starts and suspensions. */
  readonly listsOperations: boolean
}

const pick = <Item>(random: Random, items: readonly [Item, ...Item[]]): Item =>
  items[Math.floor(random.unit() * items.length)] ?? items[0]

const times = <Item>(count: number, draw: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => draw(index))

export function randomWorld(seed: number): RandomWorld {
  const random = seeded(seed)
  const listsOperations = random.unit() < 0.8
  // Without operations nothing tells of time before the first pass.
  const past = listsOperations ? pick(random, [0, 0, 2 * 24 * HOUR]) : 0
  const moving = [...new Set(times(2, () => Math.floor(random.unit() * PROJECTS)))]
  const faults = times(4, () => fault(random))
  const crowd = random.unit() < 0.25 ? CROWD : 0
  const projects = [
    ...times(PROJECTS, (index) => project(random, index, past)),
    ...times(crowd, (index) => visitor(random, index, faults[0])),
  ]
  const slow = times(Math.floor(random.unit() * 3), () => slowness(random))
  return {
    seed,
    projects,
    past,
    listsOperations,
    behaviour: { interfaceOnly: !listsOperations },
    faults,
    slowness: slow,
    scripts: moving.map((index) => moves(random, index, [...faults, ...slow])),
    budgets: [ACCOUNT, ...moving.flatMap((index) => branchesOf(index).map(branchBudget))],
    addresses: pick<Addresses>(random, [undefined, 'template', listsOperations ? 'service' : 'template']),
    // More than anybody allows: the more readings, the more could wake a compute.
    overhead: 0.2,
    length: seconds(LENGTH),
  }
}

/** The first is always in use and never suspended; others: always at work, hourly, 60 wakes a day, or rarely. */
function project(random: Random, index: number, past: number): SimulatedProject {
  const pause = index === 0 ? 150 : pick(random, [150, 3600, 1440, 20_000])
  const suspendTimeoutSeconds = index === 0 ? -1 : pick(random, [60, 300, 900, -1])
  const activity: number[] = []
  for (let elapsed = 60 * index - past; elapsed < LENGTH; elapsed += pause * (0.5 + random.unit()))
    activity.push(at(elapsed))
  return { name: `project-${index}`, cu: pick(random, [0.25, 1, 2]), suspendTimeoutSeconds, activity }
}

/** In use in the first half hour of a fault, and shortly before. */
function visitor(random: Random, index: number, during: Fault | undefined): SimulatedProject {
  const from = (during?.from ?? 0) - 300 * random.unit()
  const activity = times(12, (visit) => at(Math.max(60, from) + 150 * (visit + random.unit())))
  return { name: `visitor-${index}`, suspendTimeoutSeconds: 300, activity }
}

function fault(random: Random): Fault {
  const outage = pick<Outage>(random, [404, 403, 401, 302, 423, 429, 500, 503, 'html', 'malformed', 'hang'])
  return {
    ...interval(random),
    outage,
    ...pick<{ route?: Route }>(random, [
      {},
      { route: 'list_projects' },
      { route: 'list_computes' },
      { route: 'list_operations' },
      { route: 'get_connection_uri' },
    ]),
    chance: pick(random, [0.2, 0.9, 1]),
    ...(outage === 429 && { retryAfter: pick(random, [2, 30]) }),
  }
}

/** A client gives up after 10 s: half of the slow times have answers that arrive. */
const slowness = (random: Random): Slowness => ({
  ...interval(random),
  chance: pick(random, [0.1, 0.5, 1]),
  longest: pick(random, [8, 60]),
})

function interval(random: Random): Pick<Fault, 'from' | 'to'> {
  const from = random.unit() * (CALM_FROM - HOUR)
  return { from, to: Math.min(CALM_FROM, from + pick(random, [300, 1800, 2 * HOUR, 6 * HOUR])) }
}

/** Branches of a project with moves: the default branch, and one that gets no compute of its own. */
const branchesOf = (index: number): readonly [string, string] => {
  const { branchId } = idsOf(index)
  return [branchId, `${branchId}-other`]
}

/**
 * A compute moves between two branches of its project; moves are refused while operations run. Once at most while requests fail or are slow:
 * records tell nothing of two moves that nobody could see.
 */
function moves(
  random: Random,
  index: number,
  faults: readonly Pick<Fault, 'from' | 'to'>[],
): NonNullable<SimulatedOptions['scripts']>[number] {
  const { projectId, endpointId } = idsOf(index)
  const [first, other] = branchesOf(index)
  const instants = times(
    1 + Math.floor(random.unit() * 4),
    () => FIRST_MOVE + random.unit() * (LENGTH - FIRST_MOVE),
  ).toSorted((a, b) => a - b)
  const isSeen = (before: number | undefined, then: number): boolean =>
    before === undefined || !faults.some(({ from, to }) => before > from - 120 && then < to + 600)
  return [
    {
      at: 0,
      kind: 'request',
      projectId,
      request: {
        kind: 'create-branch',
        branchId: other,
        name: 'other',
        protected: false,
        parentId: undefined,
        computes: [],
      },
    },
    ...instants
      .filter((then, move) => isSeen(instants[move - 1], then))
      .map((then, move) => ({
        at: at(then),
        kind: 'request' as const,
        projectId,
        request: { kind: 'update' as const, endpointId, changes: {}, branchId: move % 2 ? first : other },
      })),
  ]
}
