import type { Compute, ComputeConfig, Operation, Project, WakeCause } from './project.ts'

/** What a client of the API asks for. Unknown ids and refused values are answers, not errors. */
export type Request =
  | {
      readonly kind: 'create'
      readonly endpointId: string
      readonly branchId: string
      readonly config: Partial<ComputeConfig>
    }
  | { readonly kind: 'update'; readonly endpointId: string; readonly changes: Partial<ComputeConfig> }
  | { readonly kind: 'delete' | 'start' | 'suspend' | 'restart'; readonly endpointId: string }

/** What the shell saw happen. */
export type Report =
  | { readonly kind: 'started' | 'stopped' | 'configured'; readonly endpointId: string }
  | { readonly kind: 'died' | 'start-failed'; readonly endpointId: string; readonly message: string }
  /** A client connected to a compute that does not serve now. */
  | { readonly kind: 'client-waiting'; readonly endpointId: string; readonly cause: WakeCause }
  | { readonly kind: 'activity'; readonly endpointId: string; readonly at: number }
  /** `wakeAt` of the last step was reached. */
  | { readonly kind: 'time' }
  /** The shell itself starts anew: no process of this project runs any more. */
  | { readonly kind: 'recovered' }

export type Event = Request | Report

/** An awake interval `[from, to)` of a compute, ms, at one size. */
export type Interval = { readonly from: number; readonly to: number; readonly cu: number }

export type Wake = { readonly at: number; readonly cause: WakeCause }

/** What the shell must do. Writes are to be durable before a request is answered. */
export type Effect =
  | {
      readonly kind: 'start-process'
      readonly endpointId: string
      readonly branchId: string
      readonly config: ComputeConfig
    }
  | { readonly kind: 'configure'; readonly endpointId: string; readonly config: ComputeConfig }
  | { readonly kind: 'stop-process' | 'drop-connections' | 'admit-clients'; readonly endpointId: string }
  | { readonly kind: 'refuse-clients'; readonly endpointId: string; readonly because: string }
  | { readonly kind: 'write-operation'; readonly operation: Operation }
  | { readonly kind: 'write-interval'; readonly endpointId: string; readonly interval: Interval }
  | { readonly kind: 'write-wake'; readonly endpointId: string; readonly wake: Wake }

/** Why a request was not done. `status` is the HTTP status; `message` names the field where there is one. */
export type Refusal = { readonly status: 400 | 403 | 404 | 409 | 422 | 423; readonly message: string }

export type Answer =
  | { readonly ok: true; readonly compute: Compute; readonly operations: readonly Operation[] }
  | { readonly ok: false; readonly refusal: Refusal }

export type Settings = {
  readonly plan: 'free' | 'paid'
  /** Delays of 1 to 59 s are accepted. */
  readonly allowShortDelays: boolean
  /** A change to an idle compute makes it active for a moment. */
  readonly patchWakesIdle: boolean
  /** How late `last_active` is published, ms. */
  readonly lastActiveLag: number
}

export type Context = {
  readonly now: number
  /** A fresh UUID for an operation. */
  readonly operationId: () => string
  readonly settings: Settings
}

export type StepResult = {
  readonly project: Project
  readonly effects: readonly Effect[]
  /** Present for requests only. */
  readonly answer: Answer | undefined
  /** When to send `time`; undefined when time alone changes nothing. */
  readonly wakeAt: number | undefined
}
