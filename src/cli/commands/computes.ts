// `computes`: every operation of the service on computes.
import { Command } from 'commander'
import type { AutosuspendDelay, Compute } from '../../model/service/compute.ts'
import type { ChangedCompute, ComputeSettings, Listing, Service } from '../../model/ports/service.ts'
import { ok, type Result } from '../../std/result.ts'
import { serviceErrorText, type ServiceError } from '../../model/service/service-error.ts'
import { sizingText } from '../../outputs/text/amounts.ts'
import { changeText, differingSettings, restartsCompute } from '../terminal/compute-change.ts'
import { connectService, withConnectOptions, type ConnectOptions } from '../connect/service.ts'
import type { ExitCode, Io } from '../terminal/io.ts'
import {
  computeRecordJson,
  delayText,
  EXIT,
  failWith,
  textFields,
  jsonText,
  operationRecordJson,
  textTable,
  timeText,
  failUsage,
  reportFindings,
  type CommandSession,
} from '../terminal/output.ts'
import { parseCu, parseDelay, parseId, parseSizing, type SizingFlags } from '../terminal/parse.ts'

type Options = ConnectOptions & { readonly json?: boolean }
type ChangeOptions = Options & SizingFlags & { readonly delay?: AutosuspendDelay }
type ComputeAddress = { readonly projectId: string; readonly endpointId: string }

export function createComputesCommand({ io, end }: CommandSession): Command {
  const computes = new Command('computes').description('computes of a project')
  const add = (name: string, description: string): Command =>
    withConnectOptions(computes.command(name).description(description)).option('--json', 'print JSON')
  const addOne = (name: string, description: string): Command =>
    add(name, description).argument('<project>', 'project id', parseId).argument('<compute>', 'ep-…', parseId)

  add('list', 'list computes of one project or of all')
    .argument('[project]', 'project id', parseId)
    .action(async (projectId: string | undefined, options: Options) =>
      end(await list(projectId, options, io)),
    )
  addOne('get', 'show one compute').action(async (projectId: string, endpointId: string, options: Options) =>
    end(await show({ projectId, endpointId }, options, io)),
  )
  sized(add('create', 'create the primary compute of a branch').argument('<project>', 'project id', parseId))
    .requiredOption('--branch <id>', 'the branch, br-…', parseId)
    .action(async (projectId: string, options: ChangeOptions & { readonly branch: string }) =>
      end(await create({ projectId, branchId: options.branch }, options, io)),
    )
  sized(addOne('update', 'change size or autosuspend delay')).action(
    async (projectId: string, endpointId: string, options: ChangeOptions) =>
      end(await update({ projectId, endpointId }, options, io)),
  )
  addOne('delete', 'delete a compute for good')
    .option('--yes', 'confirm the deletion')
    .action(async (projectId: string, endpointId: string, options: Options & { readonly yes?: boolean }) =>
      end(await remove({ projectId, endpointId }, options, io)),
    )
  addOne('restart', 'restart a compute; its connections are interrupted').action(
    async (projectId: string, endpointId: string, options: Options) =>
      end(await restart({ projectId, endpointId }, options, io)),
  )
  return computes
}

const sized = (command: Command): Command =>
  command
    .option('--cu <size>', 'fixed size in CU', parseCu)
    .option('--min-cu <size>', 'smallest size of a range', parseCu)
    .option('--max-cu <size>', 'largest size of a range', parseCu)
    .option('--delay <delay>', 'autosuspend delay: 300s, 5m, never or default', parseDelay)

async function list(projectId: string | undefined, options: Options, io: Io): Promise<ExitCode> {
  const service = connectService(options, io)
  if (!service.ok) return failUsage(io, ...service.error)
  const listed =
    projectId === undefined
      ? await listAll(service.value, io)
      : await service.value.listComputes(projectId, io.signal)
  if (!listed.ok) return failWith(io, listed.error)
  const { items, problems } = listed.value
  if (options.json) {
    io.out(jsonText({ computes: items.map(computeRecordJson), problems }))
    return problems.length === 0 ? EXIT.ok : EXIT.findings
  }
  const rows = items.map((compute) => [
    compute.projectId,
    compute.endpointId,
    compute.type,
    stateText(compute),
    sizingText(compute.sizing),
    delayText(compute.autosuspendDelay),
    timeText(compute.lastActive),
  ])
  io.out(textTable(['PROJECT', 'COMPUTE', 'TYPE', 'STATE', 'SIZE', 'DELAY', 'LAST ACTIVE'], rows))
  return reportFindings(io, problems)
}

/** Computes of all projects; a project that cannot be read becomes a problem. */
async function listAll(service: Service, { signal }: Io): Promise<Result<Listing<Compute>, ServiceError>> {
  const projects = await service.listProjects(signal)
  if (!projects.ok) return projects
  const lists = await Promise.all(
    projects.value.items.map(async ({ projectId }): Promise<Listing<Compute>> => {
      const listed = await service.listComputes(projectId, signal)
      if (!listed.ok)
        return { items: [], problems: [`project ${projectId}: ${serviceErrorText(listed.error)}`] }
      return {
        ...listed.value,
        problems: listed.value.problems.map((problem) => `project ${projectId}: ${problem}`),
      }
    }),
  )
  return ok({
    items: lists.flatMap(({ items }) => items),
    problems: [...projects.value.problems, ...lists.flatMap(({ problems }) => problems)],
  })
}

async function show({ projectId, endpointId }: ComputeAddress, options: Options, io: Io): Promise<ExitCode> {
  const service = connectService(options, io)
  if (!service.ok) return failUsage(io, ...service.error)
  const compute = await service.value.getCompute(projectId, endpointId, io.signal)
  if (!compute.ok) return failWith(io, compute.error)
  io.out(options.json ? jsonText(computeRecordJson(compute.value)) : computeFields(compute.value))
  return EXIT.ok
}

async function create(
  { projectId, branchId }: { readonly projectId: string; readonly branchId: string },
  options: ChangeOptions,
  io: Io,
): Promise<ExitCode> {
  const settings = settingsOf(options)
  if (!settings.ok) return failUsage(io, settings.error)
  const service = connectService(options, io)
  if (!service.ok) return failUsage(io, ...service.error)
  const created = await service.value.createCompute(projectId, branchId, settings.value, io.signal)
  if (!created.ok) return failWith(io, created.error)
  io.out(options.json ? jsonText(changedJson(created.value)) : computeFields(created.value.compute))
  return EXIT.ok
}

/** Reads the compute first: settings that it has already are not sent, and the change is printed as before → after. */
async function update(
  { projectId, endpointId }: ComputeAddress,
  options: ChangeOptions,
  io: Io,
): Promise<ExitCode> {
  const settings = settingsOf(options)
  if (!settings.ok) return failUsage(io, settings.error)
  if (Object.keys(settings.value).length === 0)
    return failUsage(io, 'nothing to change: give a size or --delay')
  const service = connectService(options, io)
  if (!service.ok) return failUsage(io, ...service.error)
  const before = await service.value.getCompute(projectId, endpointId, io.signal)
  if (!before.ok) return failWith(io, before.error)
  const change = differingSettings(before.value, settings.value)
  if (Object.keys(change).length === 0) {
    io.out(
      options.json
        ? jsonText({ before: computeRecordJson(before.value), after: null })
        : 'nothing to change: the compute has these settings already',
    )
    return EXIT.ok
  }
  const text = changeText(before.value, change)
  if (!options.json) io.out(text)
  const changed = await service.value.updateCompute(projectId, endpointId, change, io.signal)
  if (!changed.ok) return failWith(io, changed.error)
  if (options.json)
    io.out(
      jsonText({
        before: computeRecordJson(before.value),
        after: changedJson(changed.value),
        restarts: restartsCompute(change),
      }),
    )
  return EXIT.ok
}

async function remove(
  { projectId, endpointId }: ComputeAddress,
  options: Options & { readonly yes?: boolean },
  io: Io,
): Promise<ExitCode> {
  if (!options.yes) return failUsage(io, `${endpointId} would be deleted for good; confirm it with --yes`)
  const service = connectService(options, io)
  if (!service.ok) return failUsage(io, ...service.error)
  const deleted = await service.value.deleteCompute(projectId, endpointId, io.signal)
  if (!deleted.ok) return failWith(io, deleted.error)
  io.out(options.json ? jsonText({ deleted: endpointId }) : `${endpointId} is deleted`)
  return EXIT.ok
}

async function restart(
  { projectId, endpointId }: ComputeAddress,
  options: Options,
  io: Io,
): Promise<ExitCode> {
  const service = connectService(options, io)
  if (!service.ok) return failUsage(io, ...service.error)
  const restarted = await service.value.restartCompute(projectId, endpointId, io.signal)
  if (!restarted.ok) return failWith(io, restarted.error)
  const operations = restarted.value?.operations.map(operationRecordJson) ?? []
  io.out(options.json ? jsonText({ restarting: endpointId, operations }) : `${endpointId} restarts`)
  return EXIT.ok
}

function settingsOf(options: ChangeOptions): Result<ComputeSettings, string> {
  const sizing = parseSizing(options)
  if (!sizing.ok) return sizing
  return ok({
    ...(sizing.value && { sizing: sizing.value }),
    ...(options.delay !== undefined && { autosuspendDelay: options.delay }),
  })
}

const stateText = ({ state, pendingState, disabled }: Compute): string =>
  (pendingState === undefined ? state : `${state} > ${pendingState}`) + (disabled ? ', disabled' : '')

const computeFields = (compute: Compute): string =>
  textFields({
    compute: compute.endpointId,
    project: compute.projectId,
    branch: compute.branchId,
    name: compute.name ?? '-',
    host: compute.host,
    type: compute.type,
    state: stateText(compute),
    size: sizingText(compute.sizing),
    delay: delayText(compute.autosuspendDelay),
    'last active': timeText(compute.lastActive),
    started: timeText(compute.startedAt),
    suspended: timeText(compute.suspendedAt),
    created: timeText(compute.createdAt),
  })

const changedJson = ({ compute, operations }: ChangedCompute) => ({
  ...computeRecordJson(compute),
  operations: operations.map(operationRecordJson),
})
