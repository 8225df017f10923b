// Reasons to refuse a request: the first that holds.
import type { Refusal, Settings } from '../events.ts'
import { type Draft, branchOf } from '../draft.ts'
import { type Compute, type ComputeConfig, type SizeRange, primaryOf, replicasOf } from '../project.ts'
import { exceededQuota } from '../usage/quota.ts'
import { sameSettings, settingsRefusal } from './pg-settings.ts'
import { planDelayProblem, planSizeProblem } from '../sizing/plans.ts'
import { isSupported, sizesText } from '../sizing/sizes.ts'

export const refuse = (status: Refusal['status'], message: string): Refusal => ({ status, message })

export const notFound = (what: string): Refusal => refuse(404, `${what} not found`)

/** Autosuspend delays, seconds: longest (S-51), and shortest without the switch `delayBelowMinimum`. */
const LONGEST_DELAY = 604_800
const SHORTEST_DELAY = 60

type Sizing = SizeRange & Pick<ComputeConfig, 'suspendTimeout' | 'pgSettings'>

type Place = Readonly<{
  /** Holds the configuration in the body; default `endpoint`. */
  field?: string
  /** Configuration that an update changes: what stays as it is, is allowed, as after a start with another plan or preset. */
  before?: Sizing
}>

export function configRefusal(
  config: Sizing,
  settings: Settings,
  { field = 'endpoint', before }: Place = {},
): Refusal | undefined {
  const { size, delay, pgSettings } = changesOf(config, before)
  const settingsField = field === 'endpoint' ? 'settings.pg_settings' : 'pg_settings'
  const problem =
    problemOf(size, (given) => sizeProblem(given, settings)) ??
    problemOf(delay, (given) => delayProblem(given, settings)) ??
    problemOf(pgSettings, (given) => settingsRefusal(given, settingsField))
  if (problem) return refuse(400, `${field}.${problem}`)
  const refused =
    problemOf(size, (given) => planSizeProblem(given, settings)) ??
    problemOf(delay, (given) => planDelayProblem(given, settings))
  return refused === undefined ? undefined : refuse(403, `${field}.${refused}`)
}

/** Undefined for what stays as it was. */
function changesOf({ minCu, maxCu, suspendTimeout, pgSettings }: Sizing, before: Sizing | undefined) {
  const isSameSize = minCu === before?.minCu && maxCu === before.maxCu
  const hasSameSettings = before !== undefined && sameSettings(pgSettings, before.pgSettings)
  return {
    size: isSameSize ? undefined : { minCu, maxCu },
    delay: suspendTimeout === before?.suspendTimeout ? undefined : suspendTimeout,
    pgSettings: hasSameSettings ? undefined : pgSettings,
  }
}

const problemOf = <Value>(changed: Value | undefined, find: (value: Value) => string | undefined) =>
  changed === undefined ? undefined : find(changed)

function sizeProblem({ minCu, maxCu }: SizeRange, { preset }: Settings): string | undefined {
  const expected = `expected one of ${sizesText(preset)}`
  if (!isSupported(minCu, preset)) return `autoscaling_limit_min_cu: ${expected}, got ${minCu}`
  if (!isSupported(maxCu, preset)) return `autoscaling_limit_max_cu: ${expected}, got ${maxCu}`
  if (minCu <= maxCu) return undefined
  return `autoscaling_limit_min_cu: ${minCu} is above autoscaling_limit_max_cu ${maxCu}`
}

function delayProblem(suspendTimeout: number, { delayBelowMinimum }: Settings): string | undefined {
  const shortest = delayBelowMinimum === 'refused' ? SHORTEST_DELAY : 1
  const inRange = suspendTimeout >= shortest && suspendTimeout <= LONGEST_DELAY
  if (Number.isInteger(suspendTimeout) && ([0, -1].includes(suspendTimeout) || inRange)) return undefined
  const expected = `expected -1 (never), 0 (default) or ${shortest} to ${LONGEST_DELAY} seconds`
  return `suspend_timeout_seconds: ${expected}, got ${suspendTimeout}`
}

/** The delay that is stored for a requested one. */
export const storedDelay = (delay: number, { delayBelowMinimum }: Settings): number =>
  delayBelowMinimum === 'raised' && delay > 0 && delay < SHORTEST_DELAY ? SHORTEST_DELAY : delay

export function quotaRefusal(draft: Draft): Refusal | undefined {
  const message = exceededQuota(draft)
  return message === undefined ? undefined : refuse(draft.context.settings.errors.quota, message)
}

/** 423 while operations are open, in the service's own words (service-facts 5). */
export function conflictOf({ project }: Draft, compute?: Compute): Refusal | undefined {
  if (project.queue.length === 0) return undefined
  const message = compute?.pending
    ? `endpoint ${compute.id} is in some transitive state; project already has running conflicting operations`
    : 'project already has running conflicting operations, scheduling of new ones is prohibited'
  return refuse(423, message)
}

/** Per branch. Only here: each replica is a process and takes one of 100 slots. */
const MAX_REPLICAS = 90

/** A compute of this type on this branch (S-05 to S-07, S-84, S-88). */
export function placeRefusal(
  { project, context: { settings } }: Draft,
  { type, branchId }: Pick<Compute, 'type' | 'branchId'>,
): Refusal | undefined {
  const refusal = typeRefusal(type, settings, 'endpoint')
  if (refusal) return refusal
  if (!branchOf(project, branchId)) return refuse(404, `endpoint.branch_id: branch not found: ${branchId}`)
  if (type === 'read_write' && primaryOf(project, branchId)) {
    const message = `endpoint.branch_id: branch ${branchId} already has a read-write endpoint`
    return refuse(settings.errors.duplicatePrimary, message)
  }
  if (type === 'read_write' || replicasOf(project, branchId).length < MAX_REPLICAS) return undefined
  const message = `endpoint.branch_id: branch ${branchId} has ${MAX_REPLICAS} read replicas, the most of the local service`
  return refuse(422, message)
}

/** Read replicas need a paid plan (S-07). */
export const typeRefusal = (type: Compute['type'] | undefined, { plan }: Settings, field: string) =>
  type === 'read_only' && plan === 'free'
    ? refuse(403, `${field}.type: read replicas need a paid plan`)
    : undefined
