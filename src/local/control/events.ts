// Input and output of a step: requests of API clients, reports of the shell, effects, answers.
import type { PlanAndPreset } from './sizing/plans.ts'
import type { Behaviour } from './behaviour.ts'
import type { ClientSessions, Mutation, SessionsAt, Stop } from './records.ts'
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

/** Missing fields of `config` come from the project's defaults, then the service's. */
export type NewCompute = Readonly<{
  endpointId: string
  /** Default: primary. */
  type?: Compute['type']
  config: Partial<ComputeConfig>
}>

type OnCompute = { readonly endpointId: string }
type OnBranch = { readonly branchId: string }
type Named = OnBranch & { readonly name: string }

/** A union of kinds with their fields, tagged by `kind`. */
type Tagged<Fields, Kind extends keyof Fields> = { [K in Kind]: { readonly kind: K } & Fields[K] }[Kind]

type RequestFields = {
  create: OnBranch & NewCompute
  /** `branchId`: where to move the compute. */
  update: OnCompute & Readonly<{ changes: Partial<ComputeConfig>; branchId?: string | undefined }>
  delete: OnCompute
  /** `byRead`: a client only reads the compute, and reading wakes. */
  start: OnCompute & { readonly byRead?: true }
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
  'update-project': Changes<Project, 'name' | 'quota' | 'historyRetention' | 'maintenanceWindow'> & {
    readonly defaults?: Partial<ComputeDefaults> | undefined
  }
  /** `scheduledFor`: when it comes; undefined takes an announcement back. */
  'announce-update': { readonly scheduledFor: number | undefined }
  'delete-project': object
}

/** Absent fields stay. */
export type Changes<Value, Key extends keyof Value = keyof Value> = {
  readonly [Field in Key]?: Value[Field] | undefined
}

/** Unknown ids and invalid values lead to refusals, not to errors. */
export type Request<Kind extends keyof RequestFields = keyof RequestFields> = Tagged<RequestFields, Kind>

/** Reports of the shell. */
type ReportFields = {
  started: OnCompute
  /** `sessions` that the stop ended; default: those that are open now. */
  stopped: OnCompute & { readonly sessions?: SessionsAt | undefined }
  configured: OnCompute
  /** `stop`: the service stopped it for another compute; default: a crash, and the sessions that are open now. */
  died: OnCompute & Readonly<{ message: string; stop?: Stop | undefined }>
  'start-failed': OnCompute & { readonly message: string }
  'configure-failed': OnCompute & { readonly message: string }
  'branch-copied': OnBranch
  'branch-removed': OnBranch
  'branch-failed': OnBranch & { readonly message: string }
  /** The operation in progress is to be repeated after `retryIn` seconds. */
  'attempt-failed': Readonly<{ operationId: string; retryIn: number }>
  /** A client of a compute that does not serve. */
  'client-waiting': OnCompute & { readonly cause: WakeCause }
  activity: OnCompute & { readonly at: number }
  goal: OnCompute & { readonly cu: number }
  /** `wakeAt` of the last step is reached. */
  time: object
  /** No process of the project runs. `resumes`: at the start of the shell, unfinished copies resume. */
  recovered: { readonly resumes: boolean }
}

export type Report<Kind extends keyof ReportFields = keyof ReportFields> = Tagged<ReportFields, Kind>

export type Event = Request | Report

/** `[from, to)` of a compute, ms, at one size, on one branch. */
export type Interval = OpenInterval & { readonly to: number }

export type Wake = Readonly<{ at: number; cause: WakeCause }>

/** Target state of a server. `branch` has its roles and databases; `replicaIds` are the branch's. */
export type ProcessOrder = OnCompute &
  Pick<Compute, 'type' | 'config'> &
  Readonly<{ branch: Branch; replicaIds: readonly string[] }>

type EffectFields = {
  'start-process': ProcessOrder
  configure: ProcessOrder
  /** `grace`: time for clients to leave, seconds. */
  'stop-process': OnCompute & { readonly grace: number }
  /** Changes the size within the range; the server keeps running. */
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
  'write-stop': OnCompute & { readonly stop: Stop }
  'write-mutation': OnCompute & { readonly mutation: Mutation }
}

/** Work for the shell. Writes must be durable before a request is answered. */
export type Effect = Tagged<EffectFields, keyof EffectFields>

/** Why a request is refused; the message names its field where there is one. */
export type Refusal = Readonly<{ status: 400 | 403 | 404 | 409 | 422 | 423; message: string }>

/** Records that the answer shows, and operations that the request started. `compute`: the one it names. */
export type Answer =
  | Readonly<{ ok: true; project: Project; compute: Compute | undefined; operations: readonly Operation[] }>
  | Readonly<{ ok: false; refusal: Refusal }>

export type Settings = Behaviour & PlanAndPreset

export type Context = Readonly<{
  now: number
  /** A fresh UUID. */
  operationId: () => string
  /** Client sessions now. */
  sessions: (endpointId: string) => ClientSessions
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
