// Counts of requests by route and status: tests check a client's request allowance with them.

/** Routes counted apart; further paths, which a client may make up, are `other`. */
const MAX_ROUTES = 200

/** `tally`: method and path without ids → status → answers. */
export type RequestCounter = ReturnType<typeof createRequestCounter>

export function createRequestCounter() {
  const routes = new Map<string, Record<number, number>>()
  return {
    count: (route: string, status: number) => {
      const name = routes.has(route) || routes.size < MAX_ROUTES ? route : 'other'
      const statuses = routes.get(name) ?? {}
      routes.set(name, { ...statuses, [status]: (statuses[status] ?? 0) + 1 })
    },
    tally: () => Object.fromEntries(routes),
  }
}

/** Ids of projects, branches, computes, operations and keys. */
const ID = /\/(?:(?:local|br|ep)-[^/]+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d+)(?=\/|$)/g

/** Method and path, such as `GET /api/v2/projects/:id/endpoints`. */
export const routePattern = (method: string, path: string): string =>
  `${method} ${path.replaceAll(ID, '/:id')}`
