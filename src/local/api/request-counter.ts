// Counts of requests by route and status, for tests of a client's request allowance.

/** Largest number of routes counted apart. Further paths, which a client may make up, count as `other`. */
const MAX_ROUTES = 200

/** `tally` returns: method and path without ids → status → number of answers. */
export type RequestCounter = ReturnType<typeof createRequestCounter>

export function createRequestCounter() {
  const routes = new Map<string, Record<number, number>>()
  return {
    count: (route: string, status: number): void => {
      const name = routes.has(route) || routes.size < MAX_ROUTES ? route : 'other'
      const statuses = routes.get(name) ?? {}
      routes.set(name, { ...statuses, [status]: (statuses[status] ?? 0) + 1 })
    },
    tally: () => Object.fromEntries(routes),
  }
}

/** Ids in a path: of projects, branches, computes, operations and keys. */
const ID = /\/(?:(?:local|br|ep)-[^/]+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d+)(?=\/|$)/g

/** Method and path with `:id` for each id, such as `GET /api/v2/projects/:id/endpoints`. */
export const routePattern = (method: string, path: string): string =>
  `${method} ${path.replaceAll(ID, '/:id')}`
