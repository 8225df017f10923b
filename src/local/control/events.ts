import type { Behaviour } from './behaviour.ts'
import type {
  Branch,
  Compute,
  ComputeConfig,
  ComputeDefaults,
  ComputeType,
  Operation,
  Project,
  Quota,
  WakeCause,
} from './project.ts'

/** A compute to make. What `config` leaves out comes from the defaults of the project, then of the service. */
export type NewCompute = {
  readonly endpointId: string
  /** Default: the primary of its branch. */
  readonly type?: ComputeType
  readonly config: Partial<ComputeConfig>
}

/** What a client of the API asks for. Unknown ids and refused values are answers, not errors. */
export type Request = ComputeRequest | BranchRequest | ProjectRequest

export type ComputeRequest =
  | ({ readonly kind: 'create'; readonly branchId: string } & NewCompute)
  | {
      readonly kind: 'update'
      readonly endpointId: string
      readonly changes: Partial<ComputeConfig>
      /** Moves the compute. */
      readonly branchId?: string | undefined
    }
  | { readonly kind: 'delete' | 'start' | 'suspend' | 'restart'; readonly endpointId: string }

export type BranchRequest =
  | {
      readonly kind: 'create-branch'
      readonly branchId: string
      /** Default: the default branch. */
      readonly parentId: string | undefined
      readonly name: string
      readonly protected: boolean
      readonly computes: readonly NewCompute[]
    }
  | {
      readonly kind: 'update-branch'
      readonly branchId: string
      readonly name?: string | undefined
      readonly protected?: boolean | undefined
    }
  | { readonly kind: 'delete-branch'; readonly branchId: string }
  | {
      readonly kind: 'create-role' | 'reset-password'
      readonly branchId: string
      readonly name: string
      readonly password: string
    }
  | { readonly kind: 'delete-role' | 'delete-database'; readonly branchId: string; readonly name: string }
  | {
      readonly kind: 'create-database'
      readonly branchId: string
      readonly name: string
      readonly owner: string
    }

export type ProjectRequest =
  | {
      readonly kind: 'update-project'
      readonly name?: string | undefined
      readonly quota?: Quota | undefined
      readonly defaults?: Partial<ComputeDefaults> | undefined
      readonly historyRetention?: number | undefined
    }
  | { readonly kind: 'delete-project' }

/** What the shell saw happen. */
export type Report =
  | { readonly kind: 'started' | 'stopped' | 'configured'; readonly endpointId: string }
  | {
      readonly kind: 'died' | 'start-failed' | 'configure-failed'
      readonly endpointId: string
      readonly message: string
    }
  | { readonly kind: 'branch-copied' | 'branch-removed'; readonly branchId: string }
  | { readonly kind: 'branch-failed'; readonly branchId: string; readonly message: string }
  /** The operation under way failed in a way that passes: it is to be tried again. */
  | { readonly kind: 'attempt-failed'; readonly operationId: string; readonly retryIn: number }
  /** A client connected to a compute that does not serve now. */
  | { readonly kind: 'client-waiting'; readonly endpointId: string; readonly cause: WakeCause }
  | { readonly kind: 'activity'; readonly endpointId: string; readonly at: number }
  /** The size the autoscaler aims at. */
  | { readonly kind: 'goal'; readonly endpointId: string; readonly cu: number }
  /** `wakeAt` of the last step was reached. */
  | { readonly kind: 'time' }
  /** No process of this project runs any more; `resumes`: the shell starts anew and goes on with what was not done. */
  | { readonly kind: 'recovered'; readonly resumes: boolean }

export type Event = Request | Report

/** An awake interval `[from, to)` of a compute, ms, at one size, on one branch. */
export type Interval = {
  readonly from: number
  readonly to: number
  readonly cu: number
  readonly branchId: string
}

export type Wake = { readonly at: number; readonly cause: WakeCause }

/** What the shell must do. Writes are to be durable before a request is answered. */
export type Effect =
  | {
      readonly kind: 'start-process' | 'configure'
      readonly endpointId: string
      readonly type: ComputeType
      readonly branch: Branch
      readonly config: ComputeConfig
      /** The replicas of the branch. */
      readonly replicaIds: readonly string[]
    }
  /** `grace`: seconds clients may take to leave by themselves. */
  | { readonly kind: 'stop-process'; readonly endpointId: string; readonly grace: number }
  /** Another size inside the range, for a server that goes on. */
  | { readonly kind: 'resize'; readonly endpointId: string; readonly cu: number }
  | { readonly kind: 'copy-branch'; readonly branchId: string; readonly parentId: string }
  | { readonly kind: 'remove-branch'; readonly branchId: string }
  | { readonly kind: 'remove-replica'; readonly endpointId: string; readonly branchId: string }
  | { readonly kind: 'drop-connections' | 'admit-clients'; readonly endpointId: string }
  | { readonly kind: 'refuse-clients'; readonly endpointId: string; readonly because: string }
  | { readonly kind: 'write-operation'; readonly operation: Operation }
  | { readonly kind: 'write-interval'; readonly endpointId: string; readonly interval: Interval }
  | { readonly kind: 'write-wake'; readonly endpointId: string; readonly wake: Wake }

/** Why a request was not done. `status` is the HTTP status; `message` names the field where there is one. */
export type Refusal = { readonly status: 400 | 403 | 404 | 409 | 422 | 423; readonly message: string }

/** `compute` and `project` are as the answer shows them; `compute` is the one that was asked about. */
export type Answer =
  | {
      readonly ok: true
      readonly project: Project
      readonly compute: Compute | undefined
      readonly operations: readonly Operation[]
    }
  | { readonly ok: false; readonly refusal: Refusal }

export type Settings = Behaviour & { readonly plan: 'free' | 'paid' }

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
