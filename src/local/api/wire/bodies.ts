// Bodies of requests for projects, branches and computes. control/requests/validation.ts checks most values.
import { z } from 'zod'
import type { ComputeConfig, ComputeDefaults, MaintenanceWindow, Quota } from '../../control/project.ts'
import { withoutUndefined } from '../../without-undefined.ts'

/** Checked by control/requests/pg-settings.ts and by Postgres. */
const pgSettings = z.record(z.string(), z.string())

const sizes = { autoscaling_limit_min_cu: z.number(), autoscaling_limit_max_cu: z.number() }
const sizing = { ...sizes, suspend_timeout_seconds: z.number().int() }
const provisioner = z.enum(['k8s-pod', 'k8s-neonvm'])

/** Fields of creation and update (service-facts 2). */
const computeFields = z
  .object({
    ...sizing,
    disabled: z.boolean(),
    passwordless_access: z.boolean(),
    pooler_enabled: z.boolean(),
    pooler_mode: z.enum(['transaction']),
    provisioner,
    settings: z.object({ pg_settings: pgSettings }).partial(),
    name: z.string().min(1).max(64),
  })
  .partial()

const id = z.string().regex(/^[a-z0-9-]{1,60}$/)
const type = z.enum(['read_write', 'read_only'])
const region_id = z.string().optional()

const newEndpoint = z.object({ branch_id: id, type, region_id, ...computeFields.shape })
export const createEndpointBody = z.object({ endpoint: newEndpoint })
const changedEndpoint = z.object({ branch_id: id.optional(), ...computeFields.shape })
export const updateEndpointBody = z.object({ endpoint: changedEndpoint })

export const configOf = (fields: z.output<typeof computeFields>): Partial<ComputeConfig> =>
  withoutUndefined({
    minCu: fields.autoscaling_limit_min_cu,
    maxCu: fields.autoscaling_limit_max_cu,
    suspendTimeout: fields.suspend_timeout_seconds,
    disabled: fields.disabled,
    passwordless: fields.passwordless_access,
    provisioner: fields.provisioner,
    name: fields.name,
    poolerEnabled: fields.pooler_enabled,
    pgSettings: fields.settings?.pg_settings,
  } satisfies Record<keyof ComputeConfig, unknown>)

const name = z.string().min(1).max(256)
const branchFields = { name: name.optional(), protected: z.boolean().optional() }

/** Refused fields of a new branch: only the present of the parent is copied. */
export const UNSUPPORTED = {
  parent_lsn: z.string().optional(),
  parent_timestamp: z.string().optional(),
  init_source: z.string().optional(),
  archived: z.boolean().optional(),
  expires_at: z.string().optional(),
}

const branchEndpoints = z.array(z.object({ type, ...computeFields.shape })).max(100)
export const createBranchBody = z.object({
  branch: z.object({ ...branchFields, parent_id: id.optional(), ...UNSUPPORTED }).optional(),
  endpoints: branchEndpoints.optional(),
})
export const updateBranchBody = z.object({ branch: z.object(branchFields) })

const limit = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER)

const quota = z
  .object({
    active_time_seconds: limit,
    compute_time_seconds: limit,
    written_data_bytes: limit,
    data_transfer_bytes: limit,
    logical_size_bytes: limit,
  })
  .partial()

const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'expected a time from 00:00 to 23:59')

const maintenanceWindow = z
  .object({
    weekdays: z.array(z.number().int().min(1).max(7)).min(1).max(7),
    start_time: timeOfDay,
    end_time: timeOfDay,
  })
  .refine((window) => window.start_time !== window.end_time, 'start_time and end_time are equal')

const projectFields = {
  name,
  // only the quota has an effect here, the window is shown; other settings are unknown fields
  settings: z.object({ quota, maintenance_window: maintenanceWindow }).partial(),
  default_endpoint_settings: z.object({ ...sizing, pg_settings: pgSettings }).partial(),
  history_retention_seconds: z.number().int().min(0).max(2_592_000),
}

const createProjectFields = z
  .object({
    ...projectFields,
    branch: z.object({ name, role_name: z.string(), database_name: z.string() }).partial(),
    ...sizes,
    provisioner,
    region_id: z.string(),
    pg_version: z.number().int().min(14).max(18),
    store_passwords: z.boolean(),
    org_id: id,
  })
  .partial()

export const createProjectBody = z.object({ project: createProjectFields })
export const updateProjectBody = z.object({ project: z.object(projectFields).partial() })

export type ProjectCreateFields = z.output<typeof createProjectFields>
type ProjectUpdateFields = z.output<typeof updateProjectBody>['project']

export function defaultsOf(project: ProjectUpdateFields): Partial<ComputeDefaults> {
  const fields = project.default_endpoint_settings ?? {}
  return withoutUndefined({
    minCu: fields.autoscaling_limit_min_cu,
    maxCu: fields.autoscaling_limit_max_cu,
    suspendTimeout: fields.suspend_timeout_seconds,
    pgSettings: fields.pg_settings,
  })
}

export const quotaOf = ({ settings }: ProjectUpdateFields): Quota => withoutUndefined(settings?.quota ?? {})

export function maintenanceWindowOf({ settings }: ProjectUpdateFields): MaintenanceWindow | undefined {
  const window = settings?.maintenance_window
  return window && { weekdays: window.weekdays, startTime: window.start_time, endTime: window.end_time }
}
