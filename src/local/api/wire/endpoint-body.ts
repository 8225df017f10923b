import { z } from 'zod'
import type { ComputeConfig } from '../../control/project.ts'
import { withoutUndefined } from '../../without-undefined.ts'

/** Name → value. control/requests/pg-settings.ts and the Postgres server check them. */
export const pgSettings = z.record(z.string(), z.string())

/** Fields of creation and update (service-facts 2). control/requests/validation.ts checks their values. */
const settable = {
  autoscaling_limit_min_cu: z.number().optional(),
  autoscaling_limit_max_cu: z.number().optional(),
  suspend_timeout_seconds: z.number().int().optional(),
  disabled: z.boolean().optional(),
  passwordless_access: z.boolean().optional(),
  pooler_enabled: z.boolean().optional(),
  pooler_mode: z.enum(['transaction']).optional(),
  provisioner: z.enum(['k8s-pod', 'k8s-neonvm']).optional(),
  settings: z.object({ pg_settings: pgSettings.optional() }).optional(),
  name: z.string().min(1).max(64).optional(),
}

export const idSchema = z.string().regex(/^[a-z0-9-]{1,60}$/)

const createFields = z.object({
  branch_id: idSchema,
  type: z.enum(['read_write', 'read_only']),
  region_id: z.string().optional(),
  ...settable,
})

const updateFields = z.object({ branch_id: idSchema.optional(), ...settable })

export const createEndpointBody = z.object({ endpoint: createFields })
export const updateEndpointBody = z.object({ endpoint: updateFields })

/** A compute that is created with its branch. */
export const branchEndpoint = z.object({ type: z.enum(['read_write', 'read_only']), ...settable })

type SettableFields = Omit<z.output<typeof updateFields>, 'branch_id'>

/** The settings of a body; absent fields stay absent. */
export function configOf(fields: SettableFields): Partial<ComputeConfig> {
  const config: { readonly [key in keyof ComputeConfig]: ComputeConfig[key] | undefined } = {
    minCu: fields.autoscaling_limit_min_cu,
    maxCu: fields.autoscaling_limit_max_cu,
    suspendTimeout: fields.suspend_timeout_seconds,
    disabled: fields.disabled,
    passwordless: fields.passwordless_access,
    provisioner: fields.provisioner,
    name: fields.name,
    poolerEnabled: fields.pooler_enabled,
    pgSettings: fields.settings?.pg_settings,
  }
  return withoutUndefined(config)
}
