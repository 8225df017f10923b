// A change: one accepted setting of one compute, or of the defaults of one project, sent to the service as one request.
import type { TargetRef } from '../service/compute.ts'
import type { ComputeSettings } from '../ports/service.ts'
import type { Bounds } from '../ledger/quantities.ts'
import type { Bytes, Instant, Micros, Ratio } from '../units.ts'
import type { Hold } from './hold.ts'
import { isStepOrigin, type StepOrigin } from './step-origin.ts'

/**
 * `restart` sets nothing: the compute is to be started after the change was made. A change of size and delay is of kind `sizing`. `defaults`:
 * what a project gives its new computes.
 */
export type ChangeKind = 'delay' | 'sizing' | 'restart' | 'defaults'

/** What a person may ask for. `idle`: while the compute is suspended and no client is expected. `now`: a person accepts that sessions are cut. */
export type AskedMoment = 'idle' | 'now'

/** `policy`: as `idle`, when the policy of the compute allows it. */
export type ChangeMoment = AskedMoment | 'policy'

/** Settings that a change may set. */
export type ChangeSettings = Readonly<Pick<ComputeSettings, 'sizing' | 'autosuspendDelay'>>

/** `name`: of the token, or, where a policy decided, the path of the policy; of a revert, that of the change it takes back. */
type ChangeOrigin = Readonly<
  | StepOrigin
  | { by: 'person'; name: string }
  | {
      by: 'recommendation' | 'policy'
      /** Id of the recommendation. */
      id: string
      hash: string
      name: string
      /** Id of the change whose value somebody else overwrote, and that this one sets again; absent where it is none. */
      reapplies?: string
    }
  | { by: 'revert'; /** Id of the change that it takes back. */ of: string; name: string }
>

/** Plain data. */
export type Change = Readonly<{
  id: string
  /** Grows by 1 with each transition: a transition names the one that it replaces. */
  version: number
  /** A project where the kind is `defaults`. */
  ref: TargetRef
  kind: ChangeKind
  origin: ChangeOrigin
  /** Only what the change sets; a delay of 0 s is the default. Empty for a restart. */
  desired: ChangeSettings
  /** Settings of `desired` when the change was made, with the delay in effect. */
  before: ChangeSettings
  /** The delay before was the default of the project: what takes the change back asks for the default again. */
  hadDefaultDelay?: true
  when: ChangeMoment
  /** Digest of compute, kind, before, desired, moment and request: an approval names it. */
  planHash: string
  reason: string
  /** Saving in 30 days by the recommendation; undefined without one. */
  promised: Bounds<Micros> | undefined
  createdAt: Instant
  /** Not sent after it. */
  deadline: Instant
  state: ChangeState
}>

export const ENDED_STATES = [
  'done',
  'failed',
  'superseded',
  'expired',
  'cancelled',
  'rejected',
  'reverted',
  'unknown',
] as const

/**
 * Client sessions that a request interrupts, counted right before it was sent, without those of the pooler, which are invisible inside
 * Postgres; `unknown` where nobody counted them.
 */
export type InterruptedSessions = number | 'unknown'

/** Figures of a compute right before a change of its size was sent. */
export type ChangeBaseline = Readonly<{
  /** Accesses after the warm-up of the server count; undefined without enough of them. */
  hitRatio: Ratio | undefined
  cacheUsed: Bytes | undefined
  /** Whether clients used all connections. */
  isAtLimit: boolean
  /** Whether the last attempt to read the compute succeeded. */
  isReadable: boolean
  /** Number since the compute was first seen. */
  restarts: number
}>

/** Request that took effect, as far as is known. */
export type SentRequest = Readonly<{
  at: Instant
  sessions: InterruptedSessions
  /** Absent where the effect is not judged. */
  baseline?: ChangeBaseline
  /** When the service showed the result; absent where it did not, or the end of the change shows it. */
  effectiveAt?: Instant
}>

/** Judgement of a change that took effect, by readings of its compute since. */
export type Judgement = Readonly<{
  /** Good looks in a row. */
  good: number
  /** Bad looks, in any order. */
  bad: number
  /** Newest reading that counted as a look; undefined before the first. */
  lookedAt: Instant | undefined
  /** Restarts of the compute since ever, at that reading. */
  restarts: number
}>

/** State of a change that took effect and is judged. */
export type JudgedState = Extract<ChangeState, { readonly at: 'verifying' }> &
  Readonly<{ judgement: Judgement }>

export type EndedChange = Readonly<{
  /** `unknown`: nobody can tell whether it took effect, a person must look. `reverted`: another change takes it back. */
  at: (typeof ENDED_STATES)[number]
  because: string
  endedAt: Instant
  /** Absent where no request is known to have taken effect. */
  sent?: SentRequest
}>

export const OPEN_STATES = ['proposed', 'scheduled', 'applying', 'verifying'] as const

export type ChangeState =
  /** Waits for approval. */
  | Readonly<{ at: 'proposed' }>
  | Readonly<{
      at: 'scheduled'
      /** Name of the token; undefined where no approval was needed. */
      approvedBy: string | undefined
      notBefore: Instant
      /** Requests that may have been sent. */
      attempts: number
    }>
  /** The request may be on its way, or have taken effect. */
  | Readonly<{
      at: 'applying'
      approvedBy: string | undefined
      attempt: number
      sentAt: Instant
      sessions: InterruptedSessions
      /** Absent where the effect is not judged. */
      baseline?: ChangeBaseline
      /** Last start of the compute before the request; undefined where the service does not publish it. */
      baseStartedAt: Instant | undefined
      /** Epoch of the opening of the store that sent it. */
      epoch: number
      /** When the answer failed to tell; undefined while none came. */
      uncertainAt: Instant | undefined
    }>
  | Readonly<{
      at: 'verifying'
      since: Instant
      operationIds: readonly string[]
      sent: SentRequest
      /** Absent before the service showed the result, and where the effect is not judged. */
      judgement?: Judgement
    }>
  | EndedChange

/** Transition of a change; versions give their order. */
export type ChangeEvent = Readonly<{
  changeId: string
  /** Version that it made. */
  version: number
  at: Instant
  state: ChangeState
}>

/** With what it waits for, as far as this process knows. */
export type OpenChange = Readonly<{
  change: Change
  /** Undefined before the first look, and where nothing holds it. */
  hold: (Hold & Readonly<{ since: Instant }>) | undefined
}>

/** Changes of one compute or project and kind that ended one way, since ever: kept longer than the changes. */
export type ChangeTally = Readonly<{
  ref: TargetRef
  kind: ChangeKind
  outcome: EndedChange['at']
  count: number
  /** Client sessions that their requests interrupted, without uncounted ones. */
  interrupted: number
  /** Restarts avoided: those done that restart a compute and interrupted no session. */
  avoided: number
  lastAt: Instant
}>

/** Ends of a judgement that are counted. `undecided`: the change stays although readings did not tell. */
export const COUNTED_VERDICTS = ['keep', 'revert', 'undecided'] as const
export type CountedVerdict = (typeof COUNTED_VERDICTS)[number]

export const CHANGE_KINDS: readonly ChangeKind[] = ['delay', 'sizing', 'restart', 'defaults']

/** The service restarts the compute for it. */
export const restartsCompute = (kind: ChangeKind): boolean => kind === 'sizing' || kind === 'restart'

export const isEnded = (state: ChangeState): state is EndedChange => 'endedAt' in state

/** Whether its request is on its way, or the service has not shown the result. */
export const isInFlight = ({ state }: Pick<Change, 'state'>): boolean =>
  state.at === 'applying' || (state.at === 'verifying' && !isUnderJudgement(state))

export const isUnderJudgement = (state: ChangeState): state is JudgedState =>
  state.at === 'verifying' && state.judgement !== undefined

/**
 * Whether its effect is judged, and taken back where it is bad: sizes that a policy set. What a person asked for stays, and a revert is never
 * reverted.
 */
export const isJudged = ({ origin, kind }: Pick<Change, 'origin' | 'kind'>): boolean =>
  origin.by === 'policy' && kind === 'sizing'

/** Whether nobody asked for it and nobody's setting is taken back: another setting of the compute holds it. */
export const isUnasked = ({ origin }: Pick<Change, 'origin'>): boolean =>
  origin.by === 'policy' || isStepOrigin(origin)

/** Whether it restores what was there before another change. */
export const takesBack = ({ origin }: Pick<Change, 'origin'>): boolean =>
  origin.by === 'revert' || (isStepOrigin(origin) && origin.of !== undefined)

/** When the last request was sent; undefined where none is known to have been. */
export function sentAtOf(state: ChangeState): Instant | undefined {
  if (state.at === 'applying') return state.sentAt
  return 'sent' in state ? state.sent?.at : undefined
}
