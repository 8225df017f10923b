// Values that are not understood are ignored.

const SORTS = [
  'name',
  'state',
  'cu',
  'awake',
  'tail',
  'spend',
  'hits',
  'connections',
  'saving',
  'team',
] as const
export type Sort = (typeof SORTS)[number]
const RANGES = ['24h', '7d'] as const
export type Range = (typeof RANGES)[number]
export const RANGE_HOURS: Readonly<Record<Range, number>> = { '24h': 24, '7d': 168 }
export const STATES = ['active', 'init', 'idle', 'unknown'] as const

/** Undefined: any. An empty team or tier selects computes without one. */
export type FleetFilters = Readonly<{
  text: string | undefined
  state: string | undefined
  team: string | undefined
  tier: string | undefined
  project: string | undefined
  branch: string | undefined
}>

export type FleetQuery = FleetFilters & {
  readonly sort: Sort
  readonly descending: boolean
  readonly range: Range
  readonly group: 'team' | undefined
  /** From 1. */
  readonly page: number
}

/** From A to Z first; amounts from the largest. */
const isText = (sort: Sort) => sort === 'name' || sort === 'team'

export function fleetQuery(parameters: Readonly<Record<string, string>>): FleetQuery {
  const { text, state, team, tier, project, branch, order, range, group, page } = parameters
  const sort = SORTS.find((name) => name === parameters['sort']) ?? 'spend'
  return {
    text: text || undefined,
    state: STATES.find((name) => name === state),
    team: ownerFilter(team),
    tier: ownerFilter(tier),
    project: project || undefined,
    branch: branch || undefined,
    sort,
    descending: isDescending(order, sort),
    range: RANGES.find((name) => name === range) ?? '24h',
    group: group === 'team' ? 'team' : undefined,
    page: pageNumber(page),
  }
}

const isDescending = (order: string | undefined, sort: Sort) =>
  order === 'asc' || order === 'desc' ? order === 'desc' : !isText(sort)

export function pageNumber(text: string | undefined): number {
  const page = Number(text)
  return Number.isSafeInteger(page) && page > 0 ? page : 1
}

/** Selects computes without a team or tier; the empty value means any. */
export const NONE_VALUE = '-'
const ownerFilter = (value: string | undefined) => (value === NONE_VALUE ? '' : value || undefined)

/** Default values are left out. */
export function fleetPath(query: FleetQuery): string {
  const { text, state, team, tier, project, branch, sort, descending, range, group, page } = query
  const values = {
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
  }
  const parameters = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value.toWellFormed())}`],
  )
  return parameters.length === 0 ? '/' : `/?${parameters.join('&')}`
}

/** In the other direction where it is sorted so already. */
export const sortedBy = (query: FleetQuery, sort: Sort): FleetQuery => ({
  ...query,
  sort,
  descending: query.sort === sort ? !query.descending : !isText(sort),
  page: 1,
})
