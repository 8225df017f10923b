// What a fleet page is asked for: which computes, in which order. What is not understood is as if it had not been asked.

export const SORTS = ['name', 'state', 'cu', 'awake', 'tail', 'spend', 'hits', 'connections', 'team'] as const
export type Sort = (typeof SORTS)[number]
export const RANGES = ['24h', '7d'] as const
export type Range = (typeof RANGES)[number]
/** Of a strip. */
export const RANGE_HOURS: Readonly<Record<Range, number>> = { '24h': 24, '7d': 168 }
export const STATES = ['active', 'init', 'idle', 'unknown'] as const

/** Text that each compute must have; undefined: any. An empty team or tier is that of computes without one. */
export type FleetFilters = {
  readonly text: string | undefined
  readonly state: string | undefined
  readonly team: string | undefined
  readonly tier: string | undefined
  readonly project: string | undefined
  readonly branch: string | undefined
}

export type FleetQuery = FleetFilters & {
  readonly sort: Sort
  readonly descending: boolean
  readonly range: Range
  readonly group: 'team' | undefined
  /** From 1. */
  readonly page: number
}

type Given = Readonly<Record<string, string>>

/** What orders text begins with A, what orders amounts with the largest. */
const isText = (sort: Sort): boolean => sort === 'name' || sort === 'team'

export function fleetQuery(given: Given): FleetQuery {
  const sort = SORTS.find((one) => one === given['sort']) ?? 'spend'
  return {
    text: given['text'] || undefined,
    state: STATES.find((one) => one === given['state']),
    team: named(given['team']),
    tier: named(given['tier']),
    project: given['project'] || undefined,
    branch: given['branch'] || undefined,
    sort,
    descending: isDescending(given['order'], sort),
    range: RANGES.find((one) => one === given['range']) ?? '24h',
    group: given['group'] === 'team' ? 'team' : undefined,
    page: pageNumber(given['page']),
  }
}

const isDescending = (order: string | undefined, sort: Sort): boolean =>
  order === 'asc' || order === 'desc' ? order === 'desc' : !isText(sort)

export function pageNumber(text: string | undefined): number {
  const page = Number(text)
  return Number.isSafeInteger(page) && page > 0 ? page : 1
}

/** How a form says that there is to be none: an empty choice is any. */
export const NONE_VALUE = '-'

const named = (given: string | undefined): string | undefined =>
  given === undefined || given === '' ? undefined : given === NONE_VALUE ? '' : given

/** The address of the page that shows `query`, without what goes without saying. */
export function fleetPath(query: FleetQuery): string {
  const { text, state, team, tier, project, branch, sort, descending, range, group, page } = query
  const words = Object.entries({
    text,
    state,
    team: team === '' ? NONE_VALUE : team,
    tier: tier === '' ? NONE_VALUE : tier,
    project,
    branch,
    group,
    sort: sort === 'spend' ? undefined : sort,
    order: descending === !isText(sort) ? undefined : descending ? 'desc' : 'asc',
    range: range === '24h' ? undefined : range,
    page: page === 1 ? undefined : String(page),
  }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value.toWellFormed())}`],
  )
  return words.length === 0 ? '/' : `/?${words.join('&')}`
}

/** The same with other computes first: the one way, and the other when it is asked for again. */
export const sortedBy = (query: FleetQuery, sort: Sort): FleetQuery => ({
  ...query,
  sort,
  descending: query.sort === sort ? !query.descending : !isText(sort),
  page: 1,
})
