// Input and output of a step: requests of API clients and reports of the shell; effects for the shell and answers.
import type { Behaviour } from './behaviour.ts'
import type {
  Branch,
  Compute,
  ComputeConfig,
  ComputeDefaults,
  OpenInterval,
  Operation,
  Project,
  WakeCause,
} from './project.ts'

/** A compute to create. Fields missing in `config` come from the defaults of the project, then of the service. */
export type NewCompute = Readonly<{
  endpointId: string
  /** Default: the primary of its branch. */
  type?: Compute['type']
  config: Partial<ComputeConfig>
}>

type OnCompute = { readonly endpointId: string }
type OnBranch = { readonly branchId: string }
type Named = OnBranch & { readonly name: string }

/** The union of some kinds with their fields, tagged by `kind`. */
type Tagged<Fields, Kind extends keyof Fields> = { [K in Kind]: { readonly kind: K } & Fields[K] }[Kind]

/** Kind of a request → its fields. */
type RequestFields = {
  create: OnBranch & NewCompute
  /** `branchId`: branch to move the compute to. */
  update: OnCompute & { readonly changes: Partial<ComputeConfig>; readonly branchId?: string | undefined }
  delete: OnCompute
  start: OnCompute
  suspend: OnCompute
  restart: OnCompute
  /** Default of `parentId`: the default branch. */
  'create-branch': Pick<Branch, 'name' | 'protected' | 'parentId'> &
    OnBranch & { readonly computes: readonly NewCompute[] }
  'update-branch': OnBranch & Changes<Branch, 'name' | 'protected'>
  'delete-branch': OnBranch
  'create-role': Named & { readonly password: string }
  'reset-password': Named & { readonly password: string }
  'delete-role': Named
  'create-database': Named & { readonly owner: string }
  'delete-database': Named
  'update-project': Changes<Project, 'name' | 'quota' | 'historyRetention'> & {
    readonly defaults?: Partial<ComputeDefaults> | undefined
  }
  'delete-project': object
}

/** Fields to change; absent ones stay. */
export type Changes<Value, Key extends keyof Value = keyof Value> = {
  readonly [Field in Key]?: Value[Field] | undefined
}

/** A request of an API client. Unknown ids and invalid values lead to refusals, not to errors. */
export type Request<Kind extends keyof RequestFields = keyof RequestFields> = Tagged<RequestFields, Kind>

/** Kind of a report of the shell → its fields. */
type ReportFields = {
  started: OnCompute
  stopped: OnCompute
  configured: OnCompute
  died: OnCompute & { readonly message: string }
  'start-failed': OnCompute & { readonly message: string }
  'configure-failed': OnCompute & { readonly message: string }
  'branch-copied': OnBranch
  'branch-removed': OnBranch
  'branch-failed': OnBranch & { readonly message: string }
  /** A failed attempt of the operation in progress, to be repeated after `retryIn` seconds. */
  'attempt-failed': { readonly operationId: string; readonly retryIn: number }
  /** A client of a compute that does not serve now. */
  'client-waiting': OnCompute & { readonly cause: WakeCause }
  activity: OnCompute & { readonly at: number }
  goal: OnCompute & { readonly cu: number }
  /** Sent when `wakeAt` of the last step is reached. */
  time: object
  /** Sent when no process of the project runs; `resumes`: at the start of the shell, so that unfinished copies resume. */
  recovered: { readonly resumes: boolean }
}

export type Report<Kind extends keyof ReportFields = keyof ReportFields> = Tagged<ReportFields, Kind>

export type Event = Request | Report

/** An awake interval `[from, to)` of a compute, ms, at one size, on one branch. */
export type Interval = OpenInterval & { readonly to: number }

export type Wake = { readonly at: number; readonly cause: WakeCause }

/** Target state of a server: its compute, the branch with its roles and databases, and the replicas of the branch. */
export type ProcessOrder = OnCompute &
  Pick<Compute, 'type' | 'config'> & { readonly branch: Branch; readonly replicaIds: readonly string[] }

/** Kind of an effect → its fields. */
type EffectFields = {
  'start-process': ProcessOrder
  configure: ProcessOrder
  /** `grace`: time for clients to leave by themselves, seconds. */
  'stop-process': OnCompute & { readonly grace: number }
  /** Another size within the range; the server keeps running. */
  resize: OnCompute & { readonly cu: number }
  'copy-branch': OnBranch & { readonly parentId: string }
  'remove-branch': OnBranch
  'remove-replica': OnCompute & OnBranch
  'drop-connections': OnCompute
  'admit-clients': OnCompute
  'refuse-clients': OnCompute & { readonly because: string }
  'write-operation': { readonly operation: Operation }
  'write-interval': OnCompute & { readonly interval: Interval }
  'write-wake': OnCompute & { readonly wake: Wake }
}

/** Work for the shell. Writes must be durable before a request is answered. */
export type Effect = Tagged<EffectFields, keyof EffectFields>

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

export type Context = Readonly<{
  now: number
  /** A fresh UUID for an operation. */
  operationId: () => string
  settings: Settings
}>

export type StepResult = Readonly<{
  project: Project
  effects: readonly Effect[]
  /** Present for requests only. */
  answer: Answer | undefined
  /** When to send `time`; undefined when time alone changes nothing. */
  wakeAt: number | undefined
}>
