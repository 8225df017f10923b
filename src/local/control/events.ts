// Input and output of a step: requests of API clients and reports of the shell; effects for the shell and answers.
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

/** A compute to create. Fields missing in `config` come from the defaults of the project, then of the service. */
export type NewCompute = {
  readonly endpointId: string
  /** Default: the primary of its branch. */
  readonly type?: ComputeType
  readonly config: Partial<ComputeConfig>
}

/** A request of an API client. Unknown ids and invalid values lead to refusals, not to errors. */
export type Request = ComputeRequest | BranchRequest | ProjectRequest

export type ComputeRequest =
  | ({ readonly kind: 'create'; readonly branchId: string } & NewCompute)
  | {
      readonly kind: 'update'
      readonly endpointId: string
      readonly changes: Partial<ComputeConfig>
      /** Branch to move the compute to. */
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

export type Report =
  | { readonly kind: 'started' | 'stopped' | 'configured'; readonly endpointId: string }
  | {
      readonly kind: 'died' | 'start-failed' | 'configure-failed'
      readonly endpointId: string
      readonly message: string
    }
  | { readonly kind: 'branch-copied' | 'branch-removed'; readonly branchId: string }
  | { readonly kind: 'branch-failed'; readonly branchId: string; readonly message: string }
  /** A failed attempt of the operation in progress, to be repeated after `retryIn` seconds. */
  | { readonly kind: 'attempt-failed'; readonly operationId: string; readonly retryIn: number }
  /** A client of a compute that does not serve now. */
  | { readonly kind: 'client-waiting'; readonly endpointId: string; readonly cause: WakeCause }
  | { readonly kind: 'activity'; readonly endpointId: string; readonly at: number }
  | { readonly kind: 'goal'; readonly endpointId: string; readonly cu: number }
  /** Sent when `wakeAt` of the last step is reached. */
  | { readonly kind: 'time' }
  /** Sent when no process of the project runs; `resumes`: at the start of the shell, so that unfinished copies resume. */
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

/** Target state of a server: its compute, the branch with its roles and databases, and the replicas of the branch. */
export type ProcessOrder = {
  readonly endpointId: string
  readonly type: ComputeType
  readonly branch: Branch
  readonly config: ComputeConfig
  readonly replicaIds: readonly string[]
}

/** Work for the shell. Writes must be durable before a request is answered. */
export type Effect =
  | (ProcessOrder & { readonly kind: 'start-process' | 'configure' })
  /** `grace`: time for clients to leave by themselves, seconds. */
  | { readonly kind: 'stop-process'; readonly endpointId: string; readonly grace: number }
  /** Another size within the range; the server keeps running. */
  | { readonly kind: 'resize'; readonly endpointId: string; readonly cu: number }
  | { readonly kind: 'copy-branch'; readonly branchId: string; readonly parentId: string }
  | { readonly kind: 'remove-branch'; readonly branchId: string }
  | { readonly kind: 'remove-replica'; readonly endpointId: string; readonly branchId: string }
  | { readonly kind: 'drop-connections' | 'admit-clients'; readonly endpointId: string }
  | { readonly kind: 'refuse-clients'; readonly endpointId: string; readonly because: string }
  | { readonly kind: 'write-operation'; readonly operation: Operation }
  | { readonly kind: 'write-interval'; readonly endpointId: string; readonly interval: Interval }
  | { readonly kind: 'write-wake'; readonly endpointId: string; readonly wake: Wake }

/** Reason why a request was refused: the HTTP status, and a message that names the field where there is one. */
export type Refusal = { readonly status: 400 | 403 | 404 | 409 | 422 | 423; readonly message: string }

/** Answer to a request: the records it shows, and the operations it started. `compute` is the one the request names. */
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
