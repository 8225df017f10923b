// Output of commands: text, aligned tables and JSON. JSON has snake_case keys, times in ISO 8601 and lengths in seconds.
import { durationText } from '../../config/units.ts'
import type { AutosuspendDelay, Compute, Project } from '../../model/service/compute.ts'
import type { ApiKey } from '../../model/service/api-key.ts'
import type { Operation } from '../../model/service/operation.ts'
import { serviceErrorText, type ServiceError } from '../../model/service/service-error.ts'
import { toIso } from '../../model/time.ts'
import { delayField, sizingFields, timeField } from '../../outputs/text/compute-fields.ts'
import { sanitize } from '../../std/sanitize.ts'
import type { Instant } from '../../model/units.ts'
import type { ExitCode, Io } from './io.ts'

/** Exit codes: done; failed; wrong usage or configuration; done with findings. */
export const EXIT = { ok: 0, failed: 1, usage: 2, findings: 3 } as const satisfies Record<string, ExitCode>

/** A run of the program: its input and output, and `end`, which takes the exit code. */
export type CommandSession = {
  readonly io: Io
  readonly end: (code: ExitCode) => void
  /** Version of Dormouse. */
  readonly version: string
}

/** A value as `--json` prints it. */
export const jsonText = (value: unknown): string => JSON.stringify(value, undefined, 2)

/** Columns as wide as their widest cell, two spaces apart; the last is not padded. */
export function textTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [head, ...rows].map((row) => row.map(sanitize))
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)))
  return cells
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Lines `name  value` with the values in one column. */
export const textFields = (pairs: Readonly<Record<string, string>>): string => {
  const width = Math.max(...Object.keys(pairs).map((name) => name.length))
  return Object.entries(pairs)
    .map(([name, value]) => `${name.padEnd(width)}  ${sanitize(value)}`)
    .join('\n')
}

export function failText(io: Io, message: string): ExitCode {
  io.err(`dormouse: ${message}`)
  return EXIT.failed
}

export const failWith = (io: Io, error: ServiceError): ExitCode =>
  failText(io, sanitize(serviceErrorText(error)))

export function failUsage(io: Io, ...problems: readonly string[]): ExitCode {
  for (const problem of problems) io.err(`dormouse: ${problem}`)
  return EXIT.usage
}

/** Why the answer comes from the store: `problem` says that no daemon answers. */
export const offlineNotice = (problem: string): string =>
  `dormouse: ${problem}; this is what the last one stored, and current states are unknown`

/** Prints the items that a list leaves out; with any of them the exit code is `findings`. */
export function reportFindings(io: Io, problems: readonly string[]): ExitCode {
  for (const problem of problems) io.err(`dormouse: left out: ${sanitize(problem)}`)
  return problems.length === 0 ? EXIT.ok : EXIT.findings
}

export const delayText = (delay: AutosuspendDelay | undefined): string => {
  if (delay === undefined) return 'default'
  return delay === 'never' ? 'never' : durationText(delay)
}

export const timeText = (at: Instant | undefined): string => (at === undefined ? '-' : toIso(at))

export const projectRecordJson = (project: Project) => ({
  project_id: project.projectId,
  name: project.name,
  region_id: project.regionId,
  platform_id: project.platformId,
  pg_version: project.pgVersion,
  cpu_used_seconds: project.cpuUsedSeconds,
  updated_at: timeField(project.updatedAt),
  compute_last_active_at: timeField(project.computeLastActiveAt),
  default_autosuspend_delay_seconds: project.defaultAutosuspendDelay ?? null,
})

/** A delay is a number, `never`, or null for the default. */
export const computeRecordJson = (compute: Compute) => ({
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

export const operationRecordJson = (operation: Operation) => ({
  operation_id: operation.operationId,
  action: operation.action,
  status: operation.status,
})

export const keyRecordJson = (key: ApiKey) => ({
  key_id: key.keyId,
  name: key.name,
  created_at: timeField(key.createdAt),
  last_used_at: timeField(key.lastUsedAt),
  last_used_from: key.lastUsedFrom ?? null,
  revoked: key.revoked,
})
