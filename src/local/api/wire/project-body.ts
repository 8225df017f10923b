import { z } from 'zod'
import type { ComputeDefaults, Quota } from '../../control/project.ts'
import { withoutUndefined } from '../../without-undefined.ts'
import { idSchema, pgSettings } from './endpoint-body.ts'

const limit = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional()

/** The quota is the only setting of a project that the local service has; others are handled like unknown fields. */
const settings = z
  .object({
    quota: z
      .object({
        active_time_seconds: limit,
        compute_time_seconds: limit,
        written_data_bytes: limit,
        data_transfer_bytes: limit,
        logical_size_bytes: limit,
      })
      .optional(),
  })
  .optional()

const defaults = z
  .object({
    autoscaling_limit_min_cu: z.number().optional(),
    autoscaling_limit_max_cu: z.number().optional(),
    suspend_timeout_seconds: z.number().int().optional(),
    pg_settings: pgSettings.optional(),
  })
  .optional()

const settable = {
  name: z.string().min(1).max(256).optional(),
  settings,
  default_endpoint_settings: defaults,
  history_retention_seconds: z.number().int().min(0).max(2_592_000).optional(),
}

const name = z.string().min(1).max(256).optional()

const createFields = z.object({
  ...settable,
  branch: z
    .object({ name, role_name: z.string().optional(), database_name: z.string().optional() })
    .optional(),
  autoscaling_limit_min_cu: z.number().optional(),
  autoscaling_limit_max_cu: z.number().optional(),
  provisioner: z.enum(['k8s-pod', 'k8s-neonvm']).optional(),
  region_id: z.string().optional(),
  pg_version: z.number().int().min(14).max(18).optional(),
  store_passwords: z.boolean().optional(),
  org_id: idSchema.optional(),
})

export const createProjectBody = z.object({ project: createFields })
export const updateProjectBody = z.object({ project: z.object(settable) })

export type ProjectCreateFields = z.output<typeof createFields>
export type ProjectUpdateFields = z.output<typeof updateProjectBody>['project']

/** The defaults for new computes in a body; absent fields stay absent. */
export function defaultsOf({
  default_endpoint_settings: fields,
}: ProjectUpdateFields): Partial<ComputeDefaults> {
  return withoutUndefined({
    minCu: fields?.autoscaling_limit_min_cu,
    maxCu: fields?.autoscaling_limit_max_cu,
    suspendTimeout: fields?.suspend_timeout_seconds,
    pgSettings: fields?.pg_settings,
  })
}

export const quotaOf = ({ settings: fields }: ProjectUpdateFields): Quota =>
  withoutUndefined(fields?.quota ?? {})
