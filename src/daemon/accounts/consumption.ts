// The service's own consumption of an account by whole days, for an audit and for the past of a first start.
import { planOfSubscription, type Consumption } from '../../model/service/consumption.ts'
import type { ProjectEntry } from '../../model/ledger/project-entry.ts'
import type { ServicePlan } from '../../model/policy/plan-limits.ts'
import type { Listing, ServiceOperations } from '../../model/ports/service.ts'
import { serviceErrorText, type ServiceError } from '../../model/service/service-error.ts'
import type { Interval } from '../../model/units.ts'
import { inChunks } from '../turns.ts'

/** Source: service-facts.md, "Consumption". */
export const PROJECTS_PER_REQUEST = 100

export type Subscriber = Readonly<{
  orgId: string | undefined
  plan: ServicePlan | undefined
  /** Why neither is known. */
  failure?: ServiceError
}>

/** By the first project that exists. */
export async function subscriberOf(
  service: ServiceOperations,
  projects: ReadonlyMap<string, Pick<ProjectEntry, 'deletedAt'>>,
  signal: AbortSignal,
): Promise<Subscriber> {
  const [first] = projects.entries().find(([, { deletedAt }]) => deletedAt === undefined) ?? []
  const detail = first === undefined ? undefined : await service.getProjectDetail(first, signal)
  if (!detail?.ok) return { orgId: undefined, plan: undefined, ...(detail && { failure: detail.error }) }
  const { orgId, subscription } = detail.value
  return { orgId, plan: subscription === undefined ? undefined : planOfSubscription(subscription) }
}

type ConsumptionRequest = Interval & Readonly<{ projectIds: Iterable<string>; orgId: string | undefined }>

export type DailyConsumption = Pick<Listing<Consumption>, 'items' | 'problems'> & {
  /** Why the rest of it is not here. */
  readonly failure?: ServiceError
}

/** By whole days in UTC; empty where the service plan has no such history. */
export async function readConsumption(
  service: ServiceOperations,
  { projectIds: ids, orgId, from, to }: ConsumptionRequest,
  signal: AbortSignal,
): Promise<DailyConsumption> {
  const org = orgId === undefined ? {} : { orgId }
  const asked = { from, to, ...org, granularity: 'daily', metrics: ['compute_unit_seconds'] } as const
  const items: Consumption[] = []
  const problems: string[] = []
  for (const projectIds of inChunks(ids, PROJECTS_PER_REQUEST)) {
    const missing = new Set(projectIds)
    let cursor: string | undefined
    // each page has at least one of the projects
    for (let pages = 0; pages < projectIds.length; pages += 1) {
      // oxlint-disable-next-line no-await-in-loop -- the route has a small rate of its own
      const page = await service.listConsumption({ ...asked, projectIds }, cursor, signal)
      if (!page.ok) {
        problems.push(`consumption history: ${serviceErrorText(page.error)}`)
        return { items, problems, failure: page.error }
      }
      if (page.value.kind === 'none') return { items, problems }
      for (const item of page.value.items) missing.delete(item.projectId)
      items.push(...page.value.items)
      problems.push(...page.value.problems.map((problem) => `consumption history: ${problem}`))
      cursor = page.value.next
      // the service names a next page also after the last one
      if (cursor === undefined || missing.size === 0) break
    }
  }
  return { items, problems }
}
