// Probes of a service. Every request is a GET, and the record of a sleeping compute is never requested alone.
import type { ConsumptionQuery, Granularity, ProjectDetail } from '../../model/service/consumption.ts'
import type { Compute, Project } from '../../model/service/compute.ts'
import { failed, ok, type Result } from '../../std/result.ts'
import { serviceErrorText, type ServiceError } from '../../model/service/service-error.ts'
import { DAY, instant } from '../../model/units.ts'
import { decodeComputes, decodeProjects } from '../../service/wire/decode.ts'
import {
  countFields,
  itemsAt,
  textAt,
  type ComputesProbed,
  type OperationsProbed,
  type PagingSupport,
  type Probe,
  type ProjectsProbed,
  type ProbeResult,
  type NotProbed,
} from './probe-result.ts'

/** Projects whose computes are looked at, 10: each takes one or two requests. */
const SAMPLE_SIZE = 10
/** Projects of the sample that were active longest ago, 3: only sleeping computes show whether looking wakes them. */
const SLEEPING_SAMPLE_SIZE = 3
/** Projects on a page, as the daemon requests. Source: service-facts.md, "Projects". */
const PAGE_SIZE = 400

const PROJECT_FIELDS = ['compute_last_active_at', 'cpu_used_sec', 'default_endpoint_settings']
const COMPUTE_FIELDS = ['suspend_timeout_seconds', 'last_active', 'started_at', 'suspended_at']

type Answer<Value> = Result<Value, ServiceError>

const get = ({ client, signal }: Probe, operation: string, path: string): Promise<Answer<unknown>> =>
  client.read({ operation, path }, signal)

/** @returns an error if the service cannot be reached or refuses the key */
export async function probeService(probe: Probe): Promise<Answer<Omit<ProbeResult, 'traffic'>>> {
  const projects = await probeProjects(probe)
  if (!projects.list.ok && isFatal(projects.list.error)) return failed(projects.list.error)
  const sample = sampleOf(probe, projects.records)
  const lists = await listComputesCarefully(probe, sample)
  const fatal = lists.map(({ body }) => body).find((body) => !body.ok && isFatal(body.error))
  if (fatal && !fatal.ok) return fatal
  const computes = lists.flatMap((list) => list.computes)
  const [first] = sample
  const detail = first === undefined ? NO_PROJECT : await probe.service.getProjectDetail(first, probe.signal)
  const orgId = probe.orgId ?? organisationOf(detail) ?? textAt(projects.records[0], 'org_id')
  const result = {
    keyKind: await probeKeyKind(probe),
    keys: await probeKeys(probe),
    projects,
    sampled: lists.length,
    oneCompute: await probeOneCompute(probe, computes),
    operations: first === undefined ? NO_PROJECT : await probeOperations(probe, first),
    detail,
    consumption: await probeConsumption(probe, sample, orgId),
    connectionUri: await probeConnectionUri(probe, computes),
  }
  const secondLists = await Promise.all(lists.map(({ projectId }) => listComputes(probe, projectId)))
  return ok({ ...result, computes: compareLists(lists, secondLists) })
}

const NO_PROJECT: NotProbed = { unasked: 'there is no project to ask about' }

const isFatal = ({ kind }: ServiceError): boolean =>
  kind === 'unauthorized' || kind === 'unavailable' || kind === 'limited' || kind === 'malformed'

type ProjectRecords = ProjectsProbed & {
  readonly records: readonly unknown[]
  readonly items: readonly Project[]
}

async function probeProjects(probe: Probe): Promise<ProjectRecords> {
  const page = await readProjectPage(probe, PAGE_SIZE, undefined)
  const none = { paging: 'unproven', fields: countFields([], PROJECT_FIELDS), problems: [] } as const
  if (!page.ok) return { ...none, list: page, records: [], items: [] }
  const decoded = decodeProjects(page.value)
  if (!decoded.ok)
    return { ...none, list: failed({ kind: 'malformed', problems: decoded.error }), records: [], items: [] }
  const records = itemsAt(page.value, 'projects')
  const { items, problems, cursor } = decoded.value
  return {
    list: ok({ count: records.length, more: records.length >= PAGE_SIZE && cursor !== undefined }),
    paging: await probePaging(probe, records),
    fields: countFields(records, PROJECT_FIELDS),
    problems,
    records,
    items,
  }
}

const readProjectPage = (
  probe: Probe,
  limit: number,
  cursor: string | undefined,
): Promise<Answer<unknown>> => {
  const query = new URLSearchParams({ limit: String(limit) })
  if (probe.orgId !== undefined) query.set('org_id', probe.orgId)
  if (cursor !== undefined) query.set('cursor', cursor)
  return get(probe, 'list_projects', `projects?${query.toString()}`)
}

/** Reads two pages of one project each, to see whether the service heeds limit and cursor. */
async function probePaging(probe: Probe, records: readonly unknown[]): Promise<PagingSupport> {
  if (records.length < 2) return 'unproven'
  const first = await readProjectPage(probe, 1, undefined)
  const decoded = first.ok ? decodeProjects(first.value) : first
  if (!first.ok || !decoded.ok) return 'unproven'
  const cursor = 'cursor' in decoded.value ? decoded.value.cursor : undefined
  const [project, ...others] = itemsAt(first.value, 'projects')
  if (others.length > 0 || cursor === undefined) return 'none'
  const second = await readProjectPage(probe, 1, cursor)
  if (!second.ok) return 'unproven'
  const [other] = itemsAt(second.value, 'projects')
  return textAt(other, 'id') === textAt(project, 'id') ? 'repeats' : 'cursor'
}

/** Projects to look at: the configured ones, else those active last and some active longest ago, in this order. */
function sampleOf({ projects }: Probe, records: readonly unknown[]): readonly string[] {
  if (projects !== 'discover') return projects.slice(0, SAMPLE_SIZE)
  const ids = records
    .toSorted((a, b) => activeAt(b) - activeAt(a))
    .flatMap((record) => textAt(record, 'id') ?? [])
  return ids.length <= SAMPLE_SIZE
    ? ids
    : [...ids.slice(0, SAMPLE_SIZE - SLEEPING_SAMPLE_SIZE), ...ids.slice(-SLEEPING_SAMPLE_SIZE)]
}

const activeAt = (record: unknown): number =>
  Date.parse(textAt(record, 'compute_last_active_at') ?? textAt(record, 'updated_at') ?? '') || 0

type ComputeList = {
  readonly projectId: string
  readonly body: Answer<unknown>
  readonly records: readonly unknown[]
  readonly computes: readonly Compute[]
  readonly problems: readonly string[]
}

/** Lists one project after the other until a second look shows that the first woke no compute. If it did, no more projects are listed. */
async function listComputesCarefully(probe: Probe, sample: readonly string[]): Promise<ComputeList[]> {
  const lists: ComputeList[] = []
  let isHarmless = false
  for (const projectId of sample) {
    // oxlint-disable-next-line no-await-in-loop -- each list decides whether there is a next one
    const list = await listComputes(probe, projectId)
    lists.push(list)
    if (isHarmless || list.computes.every(isAwake)) continue
    // oxlint-disable-next-line no-await-in-loop -- the same
    if (wokenBetween([list], [await listComputes(probe, projectId)]).length > 0) break
    isHarmless = true
  }
  return lists
}

async function listComputes(probe: Probe, projectId: string): Promise<ComputeList> {
  const body = await get(probe, 'list_computes', `projects/${encodeURIComponent(projectId)}/endpoints`)
  const list = { projectId, body, records: [], computes: [] }
  if (!body.ok) return { ...list, problems: [`project ${projectId}: ${serviceErrorText(body.error)}`] }
  const decoded = decodeComputes(body.value)
  if (!decoded.ok) return { ...list, problems: decoded.error }
  const { items: computes, problems } = decoded.value
  return { ...list, records: itemsAt(body.value, 'endpoints'), computes, problems }
}

const isAwake = ({ state, pendingState }: Compute): boolean => state !== 'idle' || pendingState === 'active'

const asleepIn = (lists: readonly ComputeList[]): string[] =>
  lists.flatMap(({ computes }) =>
    computes.filter((compute) => !isAwake(compute)).map(({ endpointId }) => endpointId),
  )

/** Ids of computes that slept in the first lists and not in the second. */
function wokenBetween(before: readonly ComputeList[], after: readonly ComputeList[]): string[] {
  const awake = new Set(
    after.flatMap(({ computes }) => computes.filter(isAwake).map(({ endpointId }) => endpointId)),
  )
  return asleepIn(before).filter((endpointId) => awake.has(endpointId))
}

function compareLists(before: readonly ComputeList[], after: readonly ComputeList[]): ComputesProbed {
  // a compute that is being created has no times yet
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

/** Reads the record of an awake compute: reading that of a sleeping one might wake it. */
async function probeOneCompute(
  probe: Probe,
  computes: readonly Compute[],
): Promise<ProbeResult['oneCompute']> {
  const awake = computes.find(({ state }) => state === 'active')
  if (!awake) return { unasked: 'no compute is awake, and one that sleeps is left alone' }
  const answer = await probe.service.getCompute(awake.projectId, awake.endpointId, probe.signal)
  return answer.ok ? ok(true) : answer
}

async function probeOperations(probe: Probe, projectId: string): Promise<Answer<OperationsProbed>> {
  const path = `projects/${encodeURIComponent(projectId)}/operations?limit=1`
  const list = await get(probe, 'list_operations', path)
  if (!list.ok) return list
  const page = await probe.service.listOperationsPage(projectId, undefined, probe.signal)
  if (!page.ok) return page
  const { items, next } = page.value
  const oldest = items.length > 0 ? instant(Math.min(...items.map(({ createdAt }) => createdAt))) : undefined
  return ok({ count: items.length, more: next !== undefined, oldest })
}

const organisationOf = (detail: Answer<ProjectDetail> | NotProbed): string | undefined =>
  'ok' in detail && detail.ok ? detail.value.orgId : undefined

async function probeKeyKind(probe: Probe): Promise<string | undefined> {
  const body = await get(probe, 'get_auth', 'auth')
  return body.ok ? textAt(body.value, 'auth_method') : undefined
}

async function probeKeys({ service, signal }: Probe): Promise<Answer<number>> {
  const keys = await service.listKeys(signal)
  return keys.ok ? ok(keys.value.items.length) : keys
}

/** Granularity → milliseconds of history that the service certainly keeps. */
const CONSUMPTION_SPAN: Readonly<Record<Granularity, number>> = {
  hourly: DAY,
  daily: 7 * DAY,
  monthly: 32 * DAY,
}

async function probeConsumption(
  { service, clock, signal }: Probe,
  sample: readonly string[],
  orgId: string | undefined,
): Promise<ProbeResult['consumption']> {
  const to = clock.now()
  const ask = async (granularity: Granularity): Promise<ProbeResult['consumption'][Granularity]> => {
    if (sample.length === 0) return NO_PROJECT
    const query: ConsumptionQuery = {
      from: instant(to - CONSUMPTION_SPAN[granularity]),
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

/** Requests a connection string as readings do, and drops it at once: it holds a password. */
async function probeConnectionUri(
  { service, reader, signal }: Probe,
  computes: readonly Compute[],
): Promise<ProbeResult['connectionUri']> {
  if ('unasked' in reader) return reader
  const [compute] = computes
  if (!compute) return { unasked: 'there is no compute to ask about' }
  const { projectId, endpointId } = compute
  const uri = await service.getConnectionUri(projectId, { endpointId, ...reader }, signal)
  return uri.ok ? ok(reader) : uri
}
