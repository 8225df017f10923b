// Counts of requests by route and status, for tests of a client's request allowance.

/** Method and path without ids → status → number of answers. */
export type RequestCounts = Readonly<Record<string, Readonly<Record<string, number>>>>

export type RequestCounter = {
  count(route: string, status: number): void
  tally(): RequestCounts
}

/** Largest number of routes counted apart. Further paths, which a client may make up, count as `other`. */
const MAX_ROUTES = 200

export function createRequestCounter(): RequestCounter {
  const routes = new Map<string, Map<number, number>>()
  return {
    count: (route, status) => {
      const name = routes.has(route) || routes.size < MAX_ROUTES ? route : 'other'
      const statuses = routes.get(name) ?? new Map<number, number>()
      routes.set(name, statuses.set(status, (statuses.get(status) ?? 0) + 1))
    },
    tally: () =>
      Object.fromEntries([...routes].map(([route, statuses]) => [route, Object.fromEntries(statuses)])),
  }
}

/** Ids in a path: of projects, branches, computes, operations and keys. */
const ID = /\/(?:(?:local|br|ep)-[^/]+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d+)(?=\/|$)/g

/** Method and path with `:id` for each id, such as `GET /api/v2/projects/:id/endpoints`. */
export const routePattern = (method: string, path: string): string =>
  `${method} ${path.replaceAll(ID, '/:id')}`
