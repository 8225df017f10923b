// Items of each list that count, whatever an answer holds: the page sizes that requests ask for, and bounds of lists without pages.
import { DAY, HOUR } from '../../model/units.ts'

/** Largest page of projects. Source: service-facts.md, "Projects". */
export const PROJECTS_PER_PAGE = 400

/** Largest page of operations. Source: service-facts.md, "Operations". */
export const OPERATIONS_PER_PAGE = 1000

/** Smallest page of operations: nine reads in ten used at most 10, in simulated days of projects with one compute. */
export const SMALL_OPERATIONS_PAGE = 20

/**
 * Pages of operations, smallest first, and how far each reaches back in most projects, ms: one with computes that come and go has some ten
 * an hour. Of a larger page the service would send, and we would decode, operations that are known already.
 */
const OPERATION_PAGES = [
  { limit: SMALL_OPERATIONS_PAGE, reach: HOUR },
  { limit: 100, reach: DAY },
] as const

/** @param reach ms @param before operations that the read before brought: a busy project has more of them */
export const operationsPerPage = (reach: number, before: number): number =>
  OPERATION_PAGES.find((page) => reach <= page.reach && before < page.limit)?.limit ?? OPERATIONS_PER_PAGE

/** Largest page of consumption, in projects. Source: service-facts.md, "Consumption". */
export const CONSUMPTION_PER_PAGE = 100

/** Computes of one project: as many as the largest page of branches has. Source: service-facts.md, "Projects". */
export const MAX_COMPUTES = 10_000

/** Operations that one change starts: the service starts one or two. */
export const MAX_STARTED = 100

/** Keys of an account: the service advises fewer than 10,000. Source: service interface, "Limits". */
export const MAX_KEYS = 20_000

/** Periods of consumption of one project: a year has twelve months. */
export const MAX_PERIODS = 100

/** Pieces of one period: a week has 168 hours. */
export const MAX_PIECES = 1000

/** Metrics of one piece: the service has about ten. */
export const MAX_METRICS = 50
