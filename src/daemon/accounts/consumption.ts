// The service's own consumption of an account by whole days, for an audit and for the past of a first start.
import { planOfSubscription, type Consumption } from '../../model/service/consumption.ts'
import type { ServicePlan } from '../../model/policy/plan-limits.ts'
import type { Listing, ServiceOperations } from '../../model/ports/service.ts'
import { serviceErrorText } from '../../model/service/service-error.ts'
import type { Interval } from '../../model/units.ts'
import { inChunks } from '../turns.ts'

/** Source: service-facts.md, "Consumption". */
export const PROJECTS_PER_REQUEST = 100

type ItemsAndProblems<Item> = Pick<Listing<Item>, 'items' | 'problems'>

export type Subscriber = Readonly<{ orgId: string | undefined; plan: ServicePlan | undefined }>

/** By the first project. */
export async function subscriberOf(
  service: ServiceOperations,
  projects: ReadonlyMap<string, unknown>,
  signal: AbortSignal,
): Promise<Subscriber> {
  const [first] = projects.keys()
  const detail = first === undefined ? undefined : await service.getProjectDetail(first, signal)
  if (!detail?.ok) return { orgId: undefined, plan: undefined }
  const { orgId, subscription } = detail.value
  return { orgId, plan: subscription === undefined ? undefined : planOfSubscription(subscription) }
}

type ConsumptionRequest = Interval & Readonly<{ projectIds: Iterable<string>; orgId: string | undefined }>

/** By whole days in UTC; empty where the service plan has no such history. */
export async function readConsumption(
  service: ServiceOperations,
  { projectIds: ids, orgId, from, to }: ConsumptionRequest,
  signal: AbortSignal,
): Promise<ItemsAndProblems<Consumption>> {
  const org = orgId === undefined ? {} : { orgId }
  const asked = { from, to, ...org, granularity: 'daily', metrics: ['compute_unit_seconds'] } as const
  const items: Consumption[] = []
  const problems: string[] = []
  for (const projectIds of inChunks(ids, PROJECTS_PER_REQUEST)) {
    // oxlint-disable-next-line no-await-in-loop -- the route has a small rate of its own
    const page = await service.listConsumption({ ...asked, projectIds }, undefined, signal)
    if (!page.ok)
      return { items, problems: [...problems, `consumption history: ${serviceErrorText(page.error)}`] }
    if (page.value.kind === 'none') break
    items.push(...page.value.items)
    problems.push(...page.value.problems.map((problem) => `consumption history: ${problem}`))
  }
  return { items, problems }
}
