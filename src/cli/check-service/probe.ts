// Asks a service what it can do. Every request is a GET, and a compute that sleeps is never asked for by itself.
import type { ConsumptionQuery, Granularity, ProjectDetail } from '../../model/service/consumption.ts'
import type { Compute, Project } from '../../model/service/compute.ts'
import { failed, ok, type Result } from '../../std/result.ts'
import { serviceErrorText, type ServiceError } from '../../model/service/service-error.ts'
import { instant } from '../../model/units.ts'
import { decodeComputes, decodeProjects } from '../../service/wire/decode.ts'
import { probeConnectionUri } from './connection.ts'
import { countFields, itemsAt, textAt } from './records.ts'
import type {
  ComputesProbed,
  OperationsProbed,
  PagingSupport,
  Probe,
  ProjectsProbed,
  ProbeResult,
  NotProbed,
} from './probe-result.ts'

/** Projects whose computes are looked at. Doubled, the check asks for twice as much. */
const SAMPLE = 10
/** Of these the ones that were active longest ago: where all others are awake, nothing shows whether looking wakes. */
const RESTED = 3
/** As the daemon asks. Source: service-facts.md, "Projects". */
const PAGE = 400

const PROJECT_FIELDS = ['compute_last_active_at', 'cpu_used_sec', 'default_endpoint_settings']
const COMPUTE_FIELDS = ['suspend_timeout_seconds', 'last_active', 'started_at', 'suspended_at']

type Answer<Value> = Result<Value, ServiceError>

const get = ({ client, signal }: Probe, operation: string, path: string): Promise<Answer<unknown>> =>
  client.read({ operation, path }, signal)

/** @returns an error when nothing can be said: the service cannot be reached, or refuses the key */
export async function probeService(probe: Probe): Promise<Answer<Omit<ProbeResult, 'traffic'>>> {
  const projects = await lookAtProjects(probe)
  if (!projects.list.ok && isFatal(projects.list.error)) return failed(projects.list.error)
  const sample = sampleOf(probe, projects.records)
  const lists = await listCarefully(probe, sample)
  const fatal = lists.map(({ body }) => body).find((body) => !body.ok && isFatal(body.error))
  if (fatal && !fatal.ok) return fatal
  const known = lists.flatMap(({ computes }) => computes)
  const [first] = sample
  const detail = first === undefined ? NO_PROJECT : await probe.service.getProjectDetail(first, probe.signal)
  const orgId = probe.orgId ?? organisationOf(detail) ?? textAt(projects.records[0], 'org_id')
  const seen = {
    keyKind: await keyKind(probe),
    keys: await keysOf(probe),
    projects,
    sampled: lists.length,
    oneCompute: await oneCompute(probe, known),
    operations: first === undefined ? NO_PROJECT : await operationsOf(probe, first),
    detail,
    consumption: await consumptionOf(probe, sample, orgId),
    connectionUri: await probeConnectionUri(probe, known),
  }
  const again = await Promise.all(lists.map(({ projectId }) => listOne(probe, projectId)))
  return ok({ ...seen, computes: computesSeen(lists, again) })
}

const NO_PROJECT: NotProbed = { unasked: 'there is no project to ask about' }

const isFatal = ({ kind }: ServiceError): boolean =>
  kind === 'unauthorized' || kind === 'unavailable' || kind === 'limited' || kind === 'malformed'

type ProjectRecords = ProjectsProbed & {
  readonly records: readonly unknown[]
  readonly items: readonly Project[]
}

async function lookAtProjects(probe: Probe): Promise<ProjectRecords> {
  const page = await projectPage(probe, PAGE, undefined)
  const none = { paging: 'unproven', fields: countFields([], PROJECT_FIELDS), problems: [] } as const
  if (!page.ok) return { ...none, list: page, records: [], items: [] }
  const decoded = decodeProjects(page.value)
  if (!decoded.ok)
    return { ...none, list: failed({ kind: 'malformed', problems: decoded.error }), records: [], items: [] }
  const records = itemsAt(page.value, 'projects')
  const { items, problems, cursor } = decoded.value
  return {
    list: ok({ count: records.length, more: records.length >= PAGE && cursor !== undefined }),
    paging: await pagingOf(probe, records),
    fields: countFields(records, PROJECT_FIELDS),
    problems,
    records,
    items,
  }
}

const projectPage = (probe: Probe, limit: number, cursor: string | undefined): Promise<Answer<unknown>> => {
  const query = new URLSearchParams({ limit: String(limit) })
  if (probe.orgId !== undefined) query.set('org_id', probe.orgId)
  if (cursor !== undefined) query.set('cursor', cursor)
  return get(probe, 'list_projects', `projects?${query.toString()}`)
}

/** Two pages of one project each tell whether limit and cursor mean anything. */
async function pagingOf(probe: Probe, records: readonly unknown[]): Promise<PagingSupport> {
  if (records.length < 2) return 'unproven'
  const first = await projectPage(probe, 1, undefined)
  const decoded = first.ok ? decodeProjects(first.value) : first
  if (!first.ok || !decoded.ok) return 'unproven'
  const cursor = 'cursor' in decoded.value ? decoded.value.cursor : undefined
  const [one, ...others] = itemsAt(first.value, 'projects')
  if (others.length > 0 || cursor === undefined) return 'none'
  const second = await projectPage(probe, 1, cursor)
  if (!second.ok) return 'unproven'
  const [two] = itemsAt(second.value, 'projects')
  return textAt(two, 'id') === textAt(one, 'id') ? 'repeats' : 'cursor'
}

/** The projects that were named, else those that were active last and some that rest, in this order. */
function sampleOf({ projects }: Probe, records: readonly unknown[]): readonly string[] {
  if (projects !== 'discover') return projects.slice(0, SAMPLE)
  const ids = records
    .toSorted((a, b) => activeAt(b) - activeAt(a))
    .flatMap((record) => textAt(record, 'id') ?? [])
  return ids.length <= SAMPLE ? ids : [...ids.slice(0, SAMPLE - RESTED), ...ids.slice(-RESTED)]
}

const activeAt = (record: unknown): number =>
  Date.parse(textAt(record, 'compute_last_active_at') ?? textAt(record, 'updated_at') ?? '') || 0

type List = {
  readonly projectId: string
  readonly body: Answer<unknown>
  readonly records: readonly unknown[]
  readonly computes: readonly Compute[]
  readonly problems: readonly string[]
}

/** One project after the other until a second look has shown that the first woke nothing; if it did, no more are asked. */
async function listCarefully(probe: Probe, sample: readonly string[]): Promise<List[]> {
  const lists: List[] = []
  let proven = false
  for (const projectId of sample) {
    // oxlint-disable-next-line no-await-in-loop -- each list decides whether there is a next one
    const list = await listOne(probe, projectId)
    lists.push(list)
    if (proven || list.computes.every(isAwake)) continue
    // oxlint-disable-next-line no-await-in-loop -- the same
    if (wokenBetween([list], [await listOne(probe, projectId)]).length > 0) break
    proven = true
  }
  return lists
}

async function listOne(probe: Probe, projectId: string): Promise<List> {
  const body = await get(probe, 'list_computes', `projects/${encodeURIComponent(projectId)}/endpoints`)
  const list = { projectId, body, records: [], computes: [] }
  if (!body.ok) return { ...list, problems: [`project ${projectId}: ${serviceErrorText(body.error)}`] }
  const decoded = decodeComputes(body.value)
  if (!decoded.ok) return { ...list, problems: decoded.error }
  const { items: computes, problems } = decoded.value
  return { ...list, records: itemsAt(body.value, 'endpoints'), computes, problems }
}

const isAwake = ({ state, pendingState }: Compute): boolean => state !== 'idle' || pendingState === 'active'

const asleepIn = (lists: readonly List[]): string[] =>
  lists.flatMap(({ computes }) => computes.filter((one) => !isAwake(one)).map(({ endpointId }) => endpointId))

/** Those that slept in the first lists and no longer in the second. */
function wokenBetween(before: readonly List[], after: readonly List[]): string[] {
  const awake = new Set(
    after.flatMap(({ computes }) => computes.filter(isAwake).map(({ endpointId }) => endpointId)),
  )
  return asleepIn(before).filter((endpointId) => awake.has(endpointId))
}

function computesSeen(before: readonly List[], after: readonly List[]): ComputesProbed {
  // a compute that is being made has nothing to tell yet
  const records = before
    .flatMap((list) => list.records)
    .filter((record) => textAt(record, 'current_state') !== 'init')
  const asleep = asleepIn(before).length
  return {
    fields: countFields(records, COMPUTE_FIELDS),
    awake: before.flatMap(({ computes }) => computes).length - asleep,
    asleep,
    woke: wokenBetween(before, after),
    problems: before.flatMap(({ problems }) => problems),
  }
}

/** Reading the record of a sleeping compute might wake it. */
async function oneCompute(probe: Probe, known: readonly Compute[]): Promise<ProbeResult['oneCompute']> {
  const awake = known.find(({ state }) => state === 'active')
  if (!awake) return { unasked: 'no compute is awake, and one that sleeps is left alone' }
  const answer = await probe.service.getCompute(awake.projectId, awake.endpointId, probe.signal)
  return answer.ok ? ok(true) : answer
}

async function operationsOf(probe: Probe, projectId: string): Promise<Answer<OperationsProbed>> {
  const path = `projects/${encodeURIComponent(projectId)}/operations?limit=1`
  const there = await get(probe, 'list_operations', path)
  if (!there.ok) return there
  const page = await probe.service.listOperationsPage(projectId, undefined, probe.signal)
  if (!page.ok) return page
  const { items, next } = page.value
  const oldest = items.length > 0 ? instant(Math.min(...items.map(({ createdAt }) => createdAt))) : undefined
  return ok({ count: items.length, more: next !== undefined, oldest })
}

const organisationOf = (detail: Answer<ProjectDetail> | NotProbed): string | undefined =>
  'ok' in detail && detail.ok ? detail.value.orgId : undefined

async function keyKind(probe: Probe): Promise<string | undefined> {
  const body = await get(probe, 'get_auth', 'auth')
  return body.ok ? textAt(body.value, 'auth_method') : undefined
}

async function keysOf({ service, signal }: Probe): Promise<Answer<number>> {
  const keys = await service.listKeys(signal)
  return keys.ok ? ok(keys.value.items.length) : keys
}

const HOUR = 3_600_000
/** Of each granularity a stretch that it certainly keeps. */
const BACK: Readonly<Record<Granularity, number>> = {
  hourly: 24 * HOUR,
  daily: 7 * 24 * HOUR,
  monthly: 32 * 24 * HOUR,
}

async function consumptionOf(
  { service, clock, signal }: Probe,
  sample: readonly string[],
  orgId: string | undefined,
): Promise<ProbeResult['consumption']> {
  const to = clock.now()
  const ask = async (granularity: Granularity): Promise<ProbeResult['consumption'][Granularity]> => {
    if (sample.length === 0) return NO_PROJECT
    const query: ConsumptionQuery = {
      from: instant(to - BACK[granularity]),
      to,
      granularity,
      metrics: ['compute_unit_seconds'],
      projectIds: sample,
      ...(orgId !== undefined && { orgId }),
    }
    return service.listConsumption(query, undefined, signal)
  }
  const [hourly, daily, monthly] = await Promise.all([ask('hourly'), ask('daily'), ask('monthly')])
  return { hourly, daily, monthly }
}
