// Items of each list that count, whatever an answer holds: the page sizes that requests ask for, and bounds of lists without pages.

/** Largest page of projects. Source: service-facts.md, "Projects". */
export const PROJECTS_PER_PAGE = 400

/** Page of recent operations, which are few. */
export const RECENT_OPERATIONS_PER_PAGE = 100

/** Largest page of operations. Source: service-facts.md, "Operations". */
export const OPERATIONS_PER_PAGE = 1000

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
