// Every request is a GET, and the record of a sleeping compute is never requested alone.
import type { ConsumptionPage } from '../../model/ports/service.ts'
import type { Granularity } from '../../model/service/consumption.ts'
import type { Compute } from '../../model/service/compute.ts'
import { isHostAllowed } from '../../model/service/allowed-hosts.ts'
import { sanitize } from '../../std/sanitize.ts'
import { failed, ok } from '../../std/result.ts'
import { serviceErrorText, type ServiceError } from '../../model/service/service-error.ts'
import { DAY, instant } from '../../model/units.ts'
import { decodeComputes, decodeProjects } from '../../service/wire/decode.ts'
import { countFields, itemsAt, probedValue, textAt } from './probe-result.ts'
import type { Answer, Probe, Probed, ProbeResult } from './probe-result.ts'

/** Projects whose computes are looked at: each takes one or two requests. */
const SAMPLE_SIZE = 10
/** Projects of the sample that were active longest ago: only sleeping computes show whether looking wakes them. */
const SLEEPING_SAMPLE_SIZE = 3
/** As the daemon requests. Source: service-facts.md, "Projects". */
const PAGE_SIZE = 400
const PROJECT_FIELDS = ['compute_last_active_at', 'cpu_used_sec', 'default_endpoint_settings']
const COMPUTE_FIELDS = ['suspend_timeout_seconds', 'last_active', 'started_at', 'suspended_at']

const get = ({ client, signal }: Probe, operation: string, path: string): Promise<Answer<unknown>> =>
  client.read({ operation, path }, signal)

/** @returns an error if the service cannot be reached or refuses the key */
export async function probeService(probe: Probe): Promise<Answer<Omit<ProbeResult, 'traffic'>>> {
  const { service, signal } = probe
  const { records, ...projects } = await probeProjects(probe)
  if (!projects.list.ok && isFatal(projects.list.error)) return failed(projects.list.error)
  const sample = sampleOf(probe, records)
  const lists = await listComputesCarefully(probe, sample)
  const fatal = lists.map(({ body }) => body).find((body) => !body.ok && isFatal(body.error))
  if (fatal && !fatal.ok) return fatal
  const computes = lists.flatMap((list) => list.computes)
  const [first] = sample
  const detail = first === undefined ? NO_PROJECT : await service.getProjectDetail(first, signal)
  const orgId = probe.orgId ?? probedValue(detail)?.orgId ?? textAt(records[0], 'org_id')
  const result = {
    keyKind: await probeKeyKind(probe),
    keys: await probeKeys(probe),
    projects,
    sampled: lists.length,
    oneCompute: await probeOneCompute(probe, computes),
    operations: first === undefined ? NO_PROJECT : await probeOperations(probe, first),
    detail,
    consumption: await probeConsumption(probe, sample, orgId),
    connectionUri: await probeConnectionUri(probe, computes[0]),
  }
  const secondLists = await Promise.all(lists.map(({ projectId }) => listComputes(probe, projectId)))
  const hostsRefused = computes.flatMap(({ endpointId, host }) =>
    isHostAllowed(host, probe.hosts) ? [] : [`${endpointId}: ${sanitize(host).slice(0, MAX_HOST_TEXT)}`],
  )
  return ok({ ...result, computes: { ...compareLists(lists, secondLists), hostsRefused } })
}

/** Characters of a refused host that are shown: it may be any text. */
const MAX_HOST_TEXT = 80

const NO_PROJECT = { unasked: 'there is no project to ask about' }

const isFatal = ({ kind }: ServiceError) =>
  kind === 'unauthorized' || kind === 'unavailable' || kind === 'limited' || kind === 'malformed'

type ProjectRecords = ProbeResult['projects'] & { readonly records: readonly unknown[] }

async function probeProjects(probe: Probe): Promise<ProjectRecords> {
  const page = await readProjectPage(probe, PAGE_SIZE)
  const fields = countFields([], PROJECT_FIELDS)
  const none = { paging: 'unproven', fields, problems: [], records: [] } as const
  if (!page.ok) return { ...none, list: page }
  const decoded = decodeProjects(page.value)
  if (!decoded.ok) return { ...none, list: failed({ kind: 'malformed', problems: decoded.error }) }
  const records = itemsAt(page.value, 'projects')
  const { problems, cursor } = decoded.value
  return {
    list: ok({ count: records.length, more: records.length >= PAGE_SIZE && cursor !== undefined }),
    paging: await probePaging(probe, records),
    fields: countFields(records, PROJECT_FIELDS),
    problems,
    records,
  }
}

const readProjectPage = (probe: Probe, limit: number, cursor?: string): Promise<Answer<unknown>> => {
  const query = new URLSearchParams({ limit: String(limit) })
  if (probe.orgId !== undefined) query.set('org_id', probe.orgId)
  if (cursor !== undefined) query.set('cursor', cursor)
  return get(probe, 'list_projects', `projects?${query.toString()}`)
}

/** Two pages of one project each show whether the service heeds limit and cursor. */
async function probePaging(probe: Probe, records: readonly unknown[]) {
  if (records.length < 2) return 'unproven'
  const first = await readProjectPage(probe, 1)
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

/** The configured projects, else those active last and some active longest ago. */
function sampleOf({ projects }: Probe, records: readonly unknown[]) {
  if (projects !== 'discover') return projects.slice(0, SAMPLE_SIZE)
  const ids = records
    .toSorted((a, b) => activeAt(b) - activeAt(a))
    .flatMap((record) => textAt(record, 'id') ?? [])
  return ids.length <= SAMPLE_SIZE
    ? ids
    : [...ids.slice(0, SAMPLE_SIZE - SLEEPING_SAMPLE_SIZE), ...ids.slice(-SLEEPING_SAMPLE_SIZE)]
}

const activeAt = (record: unknown) =>
  Date.parse(textAt(record, 'compute_last_active_at') ?? textAt(record, 'updated_at') ?? '') || 0

/** Lists projects one by one until a second look shows that the first woke no compute. If it did, lists no more. */
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

type ComputeList = Awaited<ReturnType<typeof listComputes>>

async function listComputes(probe: Probe, projectId: string) {
  const body = await get(probe, 'list_computes', `projects/${encodeURIComponent(projectId)}/endpoints`)
  const list = { projectId, body, records: [], computes: [] }
  if (!body.ok) return { ...list, problems: [`project ${projectId}: ${serviceErrorText(body.error)}`] }
  const decoded = decodeComputes(body.value)
  if (!decoded.ok) return { ...list, problems: decoded.error }
  const { items: computes, problems } = decoded.value
  return { ...list, records: itemsAt(body.value, 'endpoints'), computes, problems }
}

const isAwake = ({ state, pendingState }: Compute) => state !== 'idle' || pendingState === 'active'

const idsIn = (lists: readonly ComputeList[], isIn: (compute: Compute) => boolean) =>
  lists.flatMap(({ computes }) => computes.filter(isIn).map(({ endpointId }) => endpointId))

const asleepIn = (lists: readonly ComputeList[]) => idsIn(lists, (compute) => !isAwake(compute))

/** Computes that slept in the first lists and not in the second. */
function wokenBetween(before: readonly ComputeList[], after: readonly ComputeList[]) {
  const awake = new Set(idsIn(after, isAwake))
  return asleepIn(before).filter((endpointId) => awake.has(endpointId))
}

function compareLists(before: readonly ComputeList[], after: readonly ComputeList[]) {
  // a compute that is being created has no times yet
  const records = before
    .flatMap((list) => list.records)
    .filter((record) => textAt(record, 'current_state') !== 'init')
  return {
    fields: countFields(records, COMPUTE_FIELDS),
    awake: idsIn(before, isAwake).length,
    asleep: asleepIn(before).length,
    woke: wokenBetween(before, after),
    problems: before.flatMap(({ problems }) => problems),
  }
}

/** Reads the record of an awake compute: reading that of a sleeping one might wake it. */
async function probeOneCompute({ service, signal }: Probe, computes: readonly Compute[]) {
  const awake = computes.find(({ state }) => state === 'active')
  if (!awake) return { unasked: 'no compute is awake, and one that sleeps is left alone' }
  return service.getCompute(awake.projectId, awake.endpointId, signal)
}

async function probeOperations(probe: Probe, projectId: string): Promise<ProbeResult['operations']> {
  const path = `projects/${encodeURIComponent(projectId)}/operations?limit=1`
  const list = await get(probe, 'list_operations', path)
  if (!list.ok) return list
  const page = await probe.service.listOperationsPage(projectId, undefined, probe.signal)
  if (!page.ok) return page
  const { items, next } = page.value
  const oldest = items.length > 0 ? instant(Math.min(...items.map(({ createdAt }) => createdAt))) : undefined
  return ok({ count: items.length, more: next !== undefined, oldest })
}

async function probeKeyKind(probe: Probe): Promise<string | undefined> {
  const body = await get(probe, 'get_auth', 'auth')
  return body.ok ? textAt(body.value, 'auth_method') : undefined
}

async function probeKeys({ service, signal }: Probe): Promise<Answer<number>> {
  const keys = await service.listKeys(signal)
  return keys.ok ? ok(keys.value.items.length) : keys
}

/** Milliseconds of history that the service certainly keeps. */
const CONSUMPTION_SPAN = { hourly: DAY, daily: 7 * DAY, monthly: 32 * DAY }

async function probeConsumption(
  { service, clock, signal }: Probe,
  projectIds: readonly string[],
  orgId: string | undefined,
): Promise<ProbeResult['consumption']> {
  const to = clock.now()
  const ask = async (granularity: Granularity): Promise<Probed<ConsumptionPage>> => {
    if (projectIds.length === 0) return NO_PROJECT
    const from = instant(to - CONSUMPTION_SPAN[granularity])
    const about = { projectIds, ...(orgId !== undefined && { orgId }) }
    const query = { from, to, granularity, metrics: ['compute_unit_seconds'], ...about } as const
    return service.listConsumption(query, undefined, signal)
  }
  const [hourly, daily, monthly] = await Promise.all([ask('hourly'), ask('daily'), ask('monthly')])
  return { hourly, daily, monthly }
}

/** Requested as readings do; dropped at once, because it holds a password. */
async function probeConnectionUri({ service, reader, signal }: Probe, compute: Compute | undefined) {
  if ('unasked' in reader) return reader
  if (!compute) return { unasked: 'there is no compute to ask about' }
  const { projectId, endpointId } = compute
  const uri = await service.getConnectionUri(projectId, { endpointId, ...reader }, signal)
  return uri.ok ? ok(reader) : uri
}
