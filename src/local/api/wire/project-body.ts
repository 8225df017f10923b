import { z } from 'zod'
import type { ComputeDefaults, Quota } from '../../control/project.ts'
import { withoutUndefined } from '../../without-undefined.ts'
import { defaultFields, idSchema, provisioner } from './endpoint-body.ts'

const limit = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER)

/** Limits per calendar month. */
const quota = z
  .object({
    active_time_seconds: limit,
    compute_time_seconds: limit,
    written_data_bytes: limit,
    data_transfer_bytes: limit,
    logical_size_bytes: limit,
  })
  .partial()

const name = z.string().min(1).max(256)

const settable = {
  name,
  // the quota is the only setting of a project that the local service has; others are handled like unknown fields
  settings: z.object({ quota }).partial(),
  default_endpoint_settings: defaultFields,
  history_retention_seconds: z.number().int().min(0).max(2_592_000),
}

const createFields = z
  .object({
    ...settable,
    branch: z.object({ name, role_name: z.string(), database_name: z.string() }).partial(),
    autoscaling_limit_min_cu: z.number(),
    autoscaling_limit_max_cu: z.number(),
    provisioner,
    region_id: z.string(),
    pg_version: z.number().int().min(14).max(18),
    store_passwords: z.boolean(),
    org_id: idSchema,
  })
  .partial()

export const createProjectBody = z.object({ project: createFields })
export const updateProjectBody = z.object({ project: z.object(settable).partial() })

export type ProjectCreateFields = z.output<typeof createFields>
export type ProjectUpdateFields = z.output<typeof updateProjectBody>['project']

/** The defaults for new computes in a body; absent fields stay absent. */
export const defaultsOf = ({
  default_endpoint_settings: fields,
}: ProjectUpdateFields): Partial<ComputeDefaults> =>
  withoutUndefined({
    minCu: fields?.autoscaling_limit_min_cu,
    maxCu: fields?.autoscaling_limit_max_cu,
    suspendTimeout: fields?.suspend_timeout_seconds,
    pgSettings: fields?.pg_settings,
  })

export const quotaOf = ({ settings: fields }: ProjectUpdateFields): Quota =>
  withoutUndefined(fields?.quota ?? {})
