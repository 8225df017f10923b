import { z } from 'zod'
import type { ComputeConfig } from '../../control/project.ts'
import { withoutUndefined } from '../../without-undefined.ts'

/** Name → value. control/requests/pg-settings.ts and the Postgres server check them. */
export const pgSettings = z.record(z.string(), z.string())

/** Size and delay of a compute, or of the defaults of a project. control/requests/validation.ts checks their values. */
const sizing = {
  autoscaling_limit_min_cu: z.number(),
  autoscaling_limit_max_cu: z.number(),
  suspend_timeout_seconds: z.number().int(),
}

export const defaultFields = z.object({ ...sizing, pg_settings: pgSettings }).partial()

export const provisioner = z.enum(['k8s-pod', 'k8s-neonvm'])

/** Fields of creation and update (service-facts 2). */
const settable = z
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

export const idSchema = z.string().regex(/^[a-z0-9-]{1,60}$/)
const type = z.enum(['read_write', 'read_only'])
const region_id = z.string().optional()

export const createEndpointBody = z.object({
  endpoint: z.object({ branch_id: idSchema, type, region_id, ...settable.shape }),
})
export const updateEndpointBody = z.object({
  endpoint: z.object({ branch_id: idSchema.optional(), ...settable.shape }),
})

/** A compute that is created with its branch. */
export const branchEndpoint = z.object({ type, ...settable.shape })

/** The settings of a body; absent fields stay absent. */
export const configOf = (fields: z.output<typeof settable>): Partial<ComputeConfig> =>
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
