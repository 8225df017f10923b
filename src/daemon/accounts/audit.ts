// Audit of an account's past: passes until every project was looked at, then the service's own metering.
import { isReached } from '../../model/observation.ts'
import { buildAudit } from '../../ledger/audit/audit.ts'
import { createBudgetScopes } from '../../ledger/budgets/account-budgets.ts'
import { createUtc } from '../../calendar/zone.ts'
import { createOwners } from '../../model/policy/owner.ts'
import type { PlanLimits, ServicePlan } from '../../model/policy/plan-limits.ts'
import { accountUtilisation } from '../../ledger/metering/sizes-from-metering.ts'
import { meteredProjects } from '../../ledger/apply-sweep.ts'
import type { AdviceOfCompute } from '../advice/read-input.ts'
import { evaluateCompute, type AdvicePlan } from '../advice/evaluate.ts'
import type { ApiKey } from '../../model/service/api-key.ts'
import type { Ledger } from '../../model/ledger/ledger.ts'
import { isLookedAt } from '../../model/ledger/project-entry.ts'
import type { Ports } from '../../model/ports/ports.ts'
import type { Listing, ServiceOperations } from '../../model/ports/service.ts'
import { serviceErrorText } from '../../model/service/service-error.ts'
import { DAY, instant, seconds, type Instant } from '../../model/units.ts'
import { pass, untimed } from '../pass/pass.ts'
import { newPassState, type PassPlan } from '../pass/pass-state.ts'
import { readConsumption, subscriberOf } from './consumption.ts'

type AuditRequest = Readonly<{
  ports: Ports
  plan: AuditPlan
  /** The list then takes a request for each project. */
  hasConfiguredProjects: boolean
  days: number
  onProgress: (progress: AuditProgress) => void
}>

/** Settings that recommendations go by. */
export type AuditPlan = Omit<AdvicePlan, 'plan'> &
  Readonly<{
    /** By the plan that the service names, if it does. */
    limitsOf: (subscribed: ServicePlan | undefined) => PlanLimits | undefined
  }>

export type AuditProgress = Readonly<{ projects: number; looked: number }>

export type AuditOutcome = Awaited<ReturnType<typeof auditAccount>>

/** Days read beside those of the audit: intervals that began up to two weeks earlier are counted whole. */
const EXTRA_DAYS = 14
/** An interrupted audit loses at most the observations of one pass. */
const REQUESTS_PER_PASS = 110
/** Passes without a new project after which the audit gives up. */
const MAX_IDLE_PASSES = 3

/** Continues an interrupted audit when the store is the same. */
export async function auditAccount(request: AuditRequest, signal: AbortSignal) {
  const { ports, plan, days } = request
  const { ledger, service, clock, outbox } = await lookAtAllProjects(request, signal)
  if (!isReached(service.status)) return { audit: undefined, problems: outbox.problems }
  const to = instant(ports.clock.now() + clock.offset)
  const from = instant(Math.floor((to - days * DAY) / DAY + 1) * DAY)
  const operations = ports.service.at('report')
  const subscriber = await subscriberOf(operations, ledger.projects, signal)
  const consumption = await readConsumption(
    operations,
    { projectIds: ledger.projects.keys(), from, to, orgId: subscriber.orgId },
    signal,
  )
  const keys = await keysOf(operations, signal)
  const rows = await Array.fromAsync(ports.history.days(ledger.account, { from, to }))
  const audit = buildAudit({
    ledger,
    days: rows.filter((row) => row.from >= from),
    consumption: consumption.items,
    keys: keys.items,
    prices: plan.prices,
    advice: await evaluateAll(ledger, request, { subscribed: subscriber.plan, now: to, signal }),
    from,
    to,
  })
  /** What could not be observed, one line each. */
  const problems = [...outbox.problems, ...consumption.problems, ...keys.problems]
  return { audit, problems }
}

async function lookAtAllProjects(request: AuditRequest, signal: AbortSignal) {
  const { ports, onProgress } = request
  const passPlan = auditPassPlan(request)
  let state = newPassState(await ports.store.load())
  let looked = -1
  let idle = 0
  while (!signal.aborted && idle < MAX_IDLE_PASSES) {
    // oxlint-disable-next-line no-await-in-loop -- one pass after the other
    state = await pass({ ...ports, timed: untimed }, { before: state, plan: passPlan }, signal)
    if (state.service.status === 'unauthorized') return state
    const progress = progressOf(state.ledger)
    if (progress.projects > 0) onProgress(progress)
    if (state.polling.list.finished !== undefined && progress.looked === progress.projects) return state
    idle = progress.looked > looked ? 0 : idle + 1
    looked = progress.looked
  }
  return state
}

const progressOf = ({ projects }: Ledger): AuditProgress => ({
  projects: projects.size,
  looked: [...projects.values()].filter(isLookedAt).length,
})

function auditPassPlan({ plan: { prices, preset }, hasConfiguredProjects, days }: AuditRequest): PassPlan {
  const never = { activityLag: seconds(0), deadline: seconds(0), minInterval: seconds(0), maxConcurrent: 1 }
  return {
    prices,
    preset,
    budgets: createBudgetScopes([]),
    dayOf: createUtc().dayOf,
    owners: createOwners([]),
    overhead: 0,
    sweep: {
      requests: REQUESTS_PER_PASS,
      interval: seconds(60),
      maxAge: seconds(365 * 86_400),
      history: seconds((days + EXTRA_DAYS) * 86_400),
      listLag: seconds(60),
      unseenFirst: true,
      hasConfiguredProjects,
      readings: { mode: 'off', ...never },
    },
  }
}

/** As the daemon does once a day; nothing is stored. */
async function evaluateAll(
  ledger: Ledger,
  { ports, plan: { limitsOf, ...plan } }: AuditRequest,
  {
    subscribed,
    now,
    signal,
  }: Readonly<{ subscribed: ServicePlan | undefined; now: Instant; signal: AbortSignal }>,
): Promise<ReadonlyMap<string, AdviceOfCompute>> {
  const common = {
    history: ports.history,
    plan: { ...plan, plan: limitsOf(subscribed) },
    utilisation: accountUtilisation(meteredProjects(ledger, new Map())),
    now,
  }
  const advice = new Map<string, AdviceOfCompute>()
  for (const [key, entry] of ledger.computes) {
    if (signal.aborted) return advice
    if (entry.deletedAt !== undefined) continue
    const project = ledger.projects.get(entry.ref.projectId)
    // oxlint-disable-next-line no-await-in-loop -- one compute in memory at a time
    const { after } = await evaluateCompute(entry, { ...common, project })
    advice.set(key, after)
  }
  return advice
}

async function keysOf(
  service: ServiceOperations,
  signal: AbortSignal,
): Promise<Pick<Listing<ApiKey>, 'items' | 'problems'>> {
  const keys = await service.listKeys(signal)
  return keys.ok ? keys.value : { items: [], problems: [`API keys: ${serviceErrorText(keys.error)}`] }
}
