// What clients have asked of the service: the judge of a client's request budget.

/** Answers so far: method and path without ids → status → how many. */
export type RequestCounts = Readonly<Record<string, Readonly<Record<string, number>>>>

export type RequestCounter = {
  count(route: string, status: number): void
  tally(): RequestCounts
}

/** Routes told apart. A client that makes paths up fills the last one, `other`. */
const MOST_ROUTES = 200

export function createRequestCounter(): RequestCounter {
  const routes = new Map<string, Map<number, number>>()
  return {
    count: (route, status) => {
      const name = routes.has(route) || routes.size < MOST_ROUTES ? route : 'other'
      const statuses = routes.get(name) ?? new Map<number, number>()
      routes.set(name, statuses.set(status, (statuses.get(status) ?? 0) + 1))
    },
    tally: () =>
      Object.fromEntries([...routes].map(([route, statuses]) => [route, Object.fromEntries(statuses)])),
  }
}

/** Ids of the service: of projects, branches and computes, of operations, of keys. */
const ID = /\/(?:(?:local|br|ep)-[^/]+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d+)(?=\/|$)/g

/** `GET /api/v2/projects/:id/endpoints`: a call without the ids of its path. */
export const routePattern = (method: string, path: string): string =>
  `${method} ${path.replaceAll(ID, '/:id')}`
