import { z } from 'zod'
import type { BehaviourChange } from '../../engine/behaviour-switches.ts'

const seconds = z.number().min(0).max(604_800)
const count = z.number().int().min(0).max(1_000_000)

const errors = z.strictObject({
  restartIdle: z.union([z.literal([422, 423]), z.literal('starts')]),
  duplicatePrimary: z.literal([409, 422]),
  invalid: z.literal([400, 422]),
  quota: z.literal([422, 423, 403]),
})

const faults = z.strictObject({
  lockTime: seconds,
  slowAnswers: seconds,
  tooManyRequests: z.strictObject({ next: count, retryAfter: seconds }),
  serverErrors: z.strictObject({
    next: count,
    status: z.literal([500, 502, 503, 504, 524]),
    takesEffect: z.boolean(),
  }),
  stuckOperations: z.boolean(),
  failingOperations: z.strictObject({ next: count, retryIn: seconds }),
})

/** Project id → when an update comes, ISO 8601; null takes an announcement back. */
const announcedUpdates = z.record(z.string(), z.iso.datetime({ offset: true }).nullable())

/** Named as in `LocalOptions.behaviour`; absent ones stay. */
const behaviourBody = z
  .strictObject({
    patchWakesIdle: z.boolean(),
    patchEqualRestarts: z.boolean(),
    patchListsStart: z.boolean(),
    lastActiveLag: z.number().min(0).max(120),
    apiReadsWake: z.boolean(),
    errors: errors.partial(),
    connectionsBasis: z.enum(['min', 'min(max, 8×min)']),
    delayBelowMinimum: z.enum(['refused', 'accepted', 'raised']),
    lateMutation: z.union([z.literal('off'), seconds]),
    availabilityCheck: z.union([
      z.literal('off'),
      z.strictObject({ first: z.number().positive().max(604_800), growth: z.number().min(1).max(100) }),
    ]),
    listRevokedKeys: z.boolean(),
    activityRule1: z.boolean(),
    wakeLatency: z
      .strictObject({ min: seconds, max: seconds })
      .refine(({ min, max }) => min <= max, 'min is above max'),
    stateLag: z.boolean(),
    suspendDrops: z.union([z.literal(true), z.strictObject({ grace: seconds })]),
    poolerBackendVisible: z.boolean(),
    unknownFields: z.enum(['ignored', 'refused']),
    postgresConnect: z.boolean(),
    applyCountsAsActivity: z.boolean(),
    wakeCountsAsActivity: z.boolean(),
    operationsMoveProject: z.boolean(),
    interfaceOnly: z.boolean(),
    rates: z.boolean(),
    countersLag: seconds,
    faults: faults.partial(),
  } satisfies Record<keyof BehaviourChange, z.ZodType>)
  .partial()

/** Switches, and what the service announces. */
export const controlBody = behaviourBody.extend({ maintenanceScheduledFor: announcedUpdates.optional() })
