import { Command } from 'commander'
import {
  largestCu,
  smallestCu,
  type AutosuspendDelay,
  type Compute,
  type Sizing,
} from '../../model/service/compute.ts'
import type { ChangedCompute, ComputeSettings, Listing, Service } from '../../model/ports/service.ts'
import { ok, type Result } from '../../std/result.ts'
import { serviceErrorText, type ServiceError } from '../../model/service/service-error.ts'
import { sizingText } from '../../outputs/text/amounts.ts'
import { delayField, sizingFields, timeField } from '../../outputs/text/compute-fields.ts'
import { addRequestCommand, printAnswer, printList } from '../connect/request.ts'
import { connectService, type ConnectOptions } from '../connect/service.ts'
import { EXIT, failUsage, failWith, jsonText, textFields, timeText } from '../terminal/io.ts'
import type { CommandSession, Io } from '../terminal/io.ts'
import {
  DELAY_OF_SERVICE,
  delayText,
  parseCu,
  parseBranchId,
  parseDelay,
  parseEndpointId,
  parseProjectId,
  parseSizing,
} from '../terminal/parse.ts'
import type { SizingFlags } from '../terminal/parse.ts'

type ChangeOptions = ConnectOptions & SizingFlags & { readonly delay?: AutosuspendDelay }
type CreateOptions = ChangeOptions & { readonly branch: string }
type DeleteOptions = ConnectOptions & { readonly yes?: boolean }
type ComputeAddress = Pick<Compute, 'projectId' | 'endpointId'>

export function createComputesCommand({ io, end }: CommandSession): Command {
  const computes = new Command('computes').description('computes of a project')
  const add = (name: string, description: string) => addRequestCommand(computes, name, description)
  const addOne = (name: string, description: string) =>
    add(name, description)
      .argument('<project>', 'project id', parseProjectId)
      .argument('<compute>', 'ep-…', parseEndpointId)

  add('list', 'list computes of one project or of all')
    .argument('[project]', 'project id', parseProjectId)
    .action((projectId: string | undefined, options: ConnectOptions) => end(list(projectId, options, io)))
  addOne('get', 'show one compute').action((projectId: string, endpointId: string, options: ConnectOptions) =>
    end(
      printAnswer(options, io, {
        send: (service, signal) => service.getCompute(projectId, endpointId, signal),
        json: computeRecordJson,
        text: computeFields,
      }),
    ),
  )
  sized(
    add('create', 'create the primary compute of a branch').argument(
      '<project>',
      'project id',
      parseProjectId,
    ),
  )
    .requiredOption('--branch <id>', 'the branch, br-…', parseBranchId)
    .action((projectId: string, options: CreateOptions) => end(create(projectId, options, io)))
  sized(addOne('update', 'change size or autosuspend delay')).action(
    (projectId: string, endpointId: string, options: ChangeOptions) =>
      end(update({ projectId, endpointId }, options, io)),
  )
  addOne('delete', 'delete a compute for good')
    .option('--yes', 'confirm the deletion')
    .action((projectId: string, endpointId: string, options: DeleteOptions) =>
      end(remove({ projectId, endpointId }, options, io)),
    )
  addOne('restart', 'restart a compute; its connections are interrupted').action(
    (projectId: string, endpointId: string, options: ConnectOptions) =>
      end(
        printAnswer(options, io, {
          send: (service, signal) => service.restartCompute(projectId, endpointId, signal),
          json: (restarted) => ({ restarting: endpointId, operations: operationsJson(restarted) }),
          text: () => `${endpointId} restarts`,
        }),
      ),
  )
  return computes
}

const sized = (command: Command) =>
  command
    .option('--cu <size>', 'fixed size in CU', parseCu)
    .option('--min-cu <size>', 'smallest size of a range', parseCu)
    .option('--max-cu <size>', 'largest size of a range', parseCu)
    .option('--delay <delay>', 'autosuspend delay: 300s, 5m, never or default', parseDelay)

const list = (projectId: string | undefined, options: ConnectOptions, io: Io) =>
  printList(options, io, {
    send: (service, signal) =>
      projectId === undefined ? listAll(service, signal) : service.listComputes(projectId, signal),
    name: 'computes',
    json: computeRecordJson,
    columns: {
      PROJECT: (compute) => compute.projectId,
      COMPUTE: ({ endpointId }) => endpointId,
      TYPE: ({ type }) => type,
      STATE: stateText,
      SIZE: ({ sizing }) => sizingText(sizing),
      DELAY: ({ autosuspendDelay }) => delayText(autosuspendDelay),
      'LAST ACTIVE': ({ lastActive }) => timeText(lastActive),
    },
  })

/** A project that cannot be read becomes a problem. */
async function listAll(
  service: Service,
  signal: AbortSignal,
): Promise<Result<Listing<Compute>, ServiceError>> {
  const projects = await service.listProjects(signal)
  if (!projects.ok) return projects
  const lists = await Promise.all(
    projects.value.items.map(async ({ projectId }) => {
      const listed = await service.listComputes(projectId, signal)
      const { items, problems } = listed.ok
        ? listed.value
        : { items: [], problems: [serviceErrorText(listed.error)] }
      return { items, problems: problems.map((problem) => `project ${projectId}: ${problem}`) }
    }),
  )
  return ok({
    items: lists.flatMap(({ items }) => items),
    problems: [...projects.value.problems, ...lists.flatMap(({ problems }) => problems)],
  })
}

async function create(projectId: string, options: CreateOptions, io: Io) {
  const settings = settingsOf(options)
  if (!settings.ok) return failUsage(io, settings.error)
  return printAnswer(options, io, {
    send: (service, signal) => service.createCompute(projectId, options.branch, settings.value, signal),
    json: changedJson,
    text: ({ compute }) => computeFields(compute),
  })
}

/** Reads the compute first: settings that it has are not sent, and the change is printed as before → after. */
async function update({ projectId, endpointId }: ComputeAddress, options: ChangeOptions, io: Io) {
  const settings = settingsOf(options)
  if (!settings.ok) return failUsage(io, settings.error)
  if (Object.keys(settings.value).length === 0)
    return failUsage(io, 'nothing to change: give a size or --delay')
  const service = connectService(options, io)
  if (!service.ok) return failUsage(io, ...service.error)
  const compute = await service.value.getCompute(projectId, endpointId, io.signal)
  if (!compute.ok) return failWith(io, compute.error)
  const before = computeRecordJson(compute.value)
  const change = differingSettings(compute.value, settings.value)
  if (Object.keys(change).length === 0) {
    const text = 'nothing to change: the compute has these settings already'
    io.out(options.json ? jsonText({ before, after: null }) : text)
    return EXIT.ok
  }
  if (!options.json) io.out(changeText(compute.value, change))
  const changed = await service.value.updateCompute(projectId, endpointId, change, io.signal)
  if (!changed.ok) return failWith(io, changed.error)
  const restarts = change.sizing !== undefined
  if (options.json) io.out(jsonText({ before, after: changedJson(changed.value), restarts }))
  return EXIT.ok
}

async function remove({ projectId, endpointId }: ComputeAddress, options: DeleteOptions, io: Io) {
  if (!options.yes) return failUsage(io, `${endpointId} would be deleted for good; confirm it with --yes`)
  return printAnswer(options, io, {
    send: (service, signal) => service.deleteCompute(projectId, endpointId, signal),
    json: () => ({ deleted: endpointId }),
    text: () => `${endpointId} is deleted`,
  })
}

function settingsOf(options: ChangeOptions): Result<ComputeSettings, string> {
  const sizing = parseSizing(options)
  if (!sizing.ok) return sizing
  return ok({
    ...(sizing.value && { sizing: sizing.value }),
    ...(options.delay !== undefined && { autosuspendDelay: options.delay }),
  })
}

/** Empty if none differ. */
function differingSettings(compute: Compute, { sizing, autosuspendDelay }: ComputeSettings): ComputeSettings {
  return {
    ...(sizing && !sameSizing(sizing, compute.sizing) && { sizing }),
    ...(autosuspendDelay !== undefined &&
      autosuspendDelay !== (compute.autosuspendDelay ?? DELAY_OF_SERVICE) && { autosuspendDelay }),
  }
}

const sameSizing = (sizing: Sizing, other: Sizing) =>
  smallestCu(sizing) === smallestCu(other) && largestCu(sizing) === largestCu(other)

function changeText(compute: Compute, { sizing, autosuspendDelay }: ComputeSettings) {
  const delay = autosuspendDelay === DELAY_OF_SERVICE ? undefined : autosuspendDelay
  return textFields({
    compute: compute.endpointId,
    ...(sizing && { size: `${sizingText(compute.sizing)} -> ${sizingText(sizing)}` }),
    ...(autosuspendDelay !== undefined && {
      delay: `${delayText(compute.autosuspendDelay)} -> ${delayText(delay)}`,
    }),
    restart: sizing ? restartText(compute) : 'no, connections stay',
  })
}

/** A new size restarts the compute. Source: service interface, "Effects of configuration changes". */
const restartText = ({ state }: Compute) =>
  state === 'active' ? 'yes, its connections are interrupted' : 'yes, it has no connections now'

const stateText = ({ state, pendingState, disabled }: Compute) =>
  (pendingState === undefined ? state : `${state} > ${pendingState}`) + (disabled ? ', disabled' : '')

const computeFields = (compute: Compute) =>
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

/** A delay is a number, `never`, or null for the default. */
const computeRecordJson = (compute: Compute) => ({
  endpoint_id: compute.endpointId,
  project_id: compute.projectId,
  branch_id: compute.branchId,
  name: compute.name ?? null,
  host: compute.host,
  type: compute.type,
  state: compute.state,
  pending_state: compute.pendingState ?? null,
  ...sizingFields(compute.sizing),
  ...delayField(compute.autosuspendDelay ?? null),
  pooler_enabled: compute.poolerEnabled,
  disabled: compute.disabled,
  last_active: timeField(compute.lastActive),
  started_at: timeField(compute.startedAt),
  suspended_at: timeField(compute.suspendedAt),
  created_at: timeField(compute.createdAt),
  updated_at: timeField(compute.updatedAt),
})

const changedJson = (changed: ChangedCompute) => ({
  ...computeRecordJson(changed.compute),
  operations: operationsJson(changed),
})

const operationsJson = (changed: ChangedCompute | undefined) =>
  (changed?.operations ?? []).map(({ operationId, action, status }) => ({
    operation_id: operationId,
    action,
    status,
  }))
