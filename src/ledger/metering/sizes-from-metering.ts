// Sizes of computes that move inside a range, from the service's metering.
import { largestCu, smallestCu, type Project, type Sizing } from '../../model/service/compute.ts'
import type { ProjectMetering, Utilisation } from '../../model/ledger/metering.ts'
import type { ProjectEntry } from '../../model/ledger/project-entry.ts'
import { HOUR, cuMillis, ratio, type Instant } from '../../model/units.ts'
import { NOT_METERED, type MeteredSizes } from '../settle/sizing.ts'
import { NO_UTILISATION } from './follow.ts'

/** Weight of the account's utilisation, CU·ms of capacity: an hour of a range of 1 CU, so that a project's own soon prevails. */
const ACCOUNT_WEIGHT = HOUR

export type MeteredProject = Pick<ProjectEntry, 'project' | 'metering'> & {
  /** Sizing of its only compute; undefined where it has several, or where it is not known. */
  readonly sizing: Sizing | undefined
}

export function accountUtilisation(projects: Iterable<MeteredProject>): Utilisation {
  let [used, capacity] = [0, 0]
  for (const project of projects) {
    const own = utilisationOf(project)
    used += own.used
    capacity += own.capacity
  }
  return { used: cuMillis(used), capacity: cuMillis(capacity) }
}

/** @param account utilisation of the whole account */
export function sizesFromMetering(project: MeteredProject | undefined, account: Utilisation): MeteredSizes {
  const expected = expectedShare(project ? utilisationOf(project) : NO_UTILISATION, account)
  const metering = project?.metering
  if (!metering) return { ...NOT_METERED, expected }
  return { shares: metering.shares, expected, until: meteredUntil(metering) }
}

/** End of the time whose metered usage is known; undefined where there is none. */
export const meteredUntil = (metering: ProjectMetering | undefined): Instant | undefined =>
  metering?.shares.at(-1)?.to

const expectedShare = (own: Utilisation, account: Utilisation) =>
  account.capacity === 0
    ? undefined
    : ratio((own.used + (ACCOUNT_WEIGHT * account.used) / account.capacity) / (own.capacity + ACCOUNT_WEIGHT))

/** Filled up from the project's record until there is enough of it. */
function utilisationOf({ project, metering, sizing }: MeteredProject): Utilisation {
  const { utilisation, current } = metering ?? { utilisation: NO_UTILISATION, current: NO_UTILISATION }
  const own = {
    used: cuMillis(utilisation.used + current.used),
    capacity: cuMillis(utilisation.capacity + current.capacity),
  }
  if (own.capacity >= ACCOUNT_WEIGHT || !sizing) return own
  const recorded = utilisationByRecord(project, sizing)
  const part = recorded.capacity === 0 ? 0 : Math.min(1, (ACCOUNT_WEIGHT - own.capacity) / recorded.capacity)
  return {
    used: cuMillis(own.used + part * recorded.used),
    capacity: cuMillis(own.capacity + part * recorded.capacity),
  }
}

/** Share by which the metered usage may exceed what the active time allows: both are in whole seconds. */
const ROUNDING = 0.01

/** By the mean size over all metered time; none where the compute cannot always have had its present limits. */
function utilisationByRecord({ cpuUsedSeconds, activeSeconds }: Project, sizing: Sizing): Utilisation {
  const [min, max] = [smallestCu(sizing), largestCu(sizing)]
  if (!activeSeconds || min === max) return NO_UTILISATION
  const [used, capacity] = [cpuUsedSeconds - min * activeSeconds, (max - min) * activeSeconds]
  const slack = ROUNDING * cpuUsedSeconds + max
  if (used < -slack || used > capacity + slack) return NO_UTILISATION
  return { used: cuMillis(1000 * Math.min(capacity, Math.max(0, used))), capacity: cuMillis(1000 * capacity) }
}
