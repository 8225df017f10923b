// What the service's count tells of the sizes of computes that move inside a range.
import { largestCu, smallestCu, type Project, type Sizing } from '../../model/service/compute.ts'
import type { Utilisation } from '../../model/ledger/metering.ts'
import type { ProjectEntry } from '../../model/ledger/project-entry.ts'
import { cuMillis, ratio, type Ratio } from '../../model/units.ts'
import { NOT_METERED, type MeteredSizes } from '../settle/sizing.ts'
import { NO_UTILISATION } from './follow.ts'

/** What a project's own habit is mixed with of that of all, CU·ms of room. Doubled, a project is taken for one like the others for twice as long. */
const MIXED = 3_600_000

/** What is known of one project, of what counts tell. */
export type MeteredProject = Pick<ProjectEntry, 'project' | 'metering'> & {
  /** Of its compute where it has one alone; undefined where it has others, or where it is not known. */
  readonly sizing: Sizing | undefined
}

/** Utilisation of all projects of an account together. */
export function accountUtilisation(projects: Iterable<MeteredProject>): Utilisation {
  let [used, capacity] = [0, 0]
  for (const project of projects) {
    const own = utilisationOf(project)
    used += own.used
    capacity += own.capacity
  }
  return { used: cuMillis(used), capacity: cuMillis(capacity) }
}

/** @param all the habit of the whole account */
export function sizesFromMetering(one: MeteredProject | undefined, all: Utilisation): MeteredSizes {
  const expected = expectedShare(one ? utilisationOf(one) : NO_UTILISATION, all)
  const count = one?.metering
  if (!count) return { ...NOT_METERED, expected }
  return { shares: count.shares, expected, until: count.shares.at(-1)?.to }
}

const expectedShare = (own: Utilisation, all: Utilisation): Ratio | undefined =>
  all.capacity === 0
    ? undefined
    : ratio((own.used + (MIXED * all.used) / all.capacity) / (own.capacity + MIXED))

/** What was counted since it is followed, and until there is enough of that, what its record tells of the time before. */
function utilisationOf({ project, metering, sizing }: MeteredProject): Utilisation {
  const { utilisation, current } = metering ?? { utilisation: NO_UTILISATION, current: NO_UTILISATION }
  const own = {
    used: cuMillis(utilisation.used + current.used),
    capacity: cuMillis(utilisation.capacity + current.capacity),
  }
  if (own.capacity >= MIXED || !sizing) return own
  const told = utilisationByRecord(project, sizing)
  const part = told.capacity === 0 ? 0 : Math.min(1, (MIXED - own.capacity) / told.capacity)
  return {
    used: cuMillis(own.used + part * told.used),
    capacity: cuMillis(own.capacity + part * told.capacity),
  }
}

/** How much more or less the count may be than the time awake at the limits allows: both are of whole seconds. */
const ROUNDING = 0.01

/** By the mean size of all the time that the service counts; nothing where the compute cannot always have had the limits it has now. */
function utilisationByRecord({ cpuUsedSeconds, activeSeconds }: Project, sizing: Sizing): Utilisation {
  const [min, max] = [smallestCu(sizing), largestCu(sizing)]
  if (!activeSeconds || min === max) return NO_UTILISATION
  const [used, room] = [cpuUsedSeconds - min * activeSeconds, (max - min) * activeSeconds]
  const slack = ROUNDING * cpuUsedSeconds + max
  if (used < -slack || used > room + slack) return NO_UTILISATION
  return { used: cuMillis(1000 * Math.min(room, Math.max(0, used))), capacity: cuMillis(1000 * room) }
}
