// Recommendations: proposed settings with saving, effect and grounds, and their life.
import type { Bounds } from '../ledger/quantities.ts'
import type { Culprit } from '../ledger/evidence.ts'
import type { AutosuspendDelay, Sizing, TargetRef } from '../service/compute.ts'
import type { Cu, Instant, Interval, Micros, Ratio, Seconds } from '../units.ts'

export const RECOMMENDATION_KINDS = [
  'delay',
  'sizing',
  'refresh',
  'awake-for-nothing',
  'pooler',
  'unused',
  // of a project: its settings for new computes
  'defaults',
] as const
export type RecommendationKind = (typeof RECOMMENDATION_KINDS)[number]

/** Only the fields that the recommendation is about. */
export type Setting = Readonly<{ delay?: AutosuspendDelay; sizing?: Sizing; poolerEnabled?: boolean }>

/** What people will notice; undefined where nothing is known about it. */
export type Effect = Readonly<{
  wakesPerDay: Readonly<{ before: number; after: number }> | undefined
  /** Idle client sessions that each suspension ends. */
  sessionsCut: number | undefined
  /** Largest number seen, and the limit of the recommended setting without its reserved part. */
  connections: Readonly<{ peak: number; limit: number }> | undefined
  /** Share of the awake time in which the load needs more than it gets; absent where the size does not change. */
  throttled?: Ratio
}>

/** Gaps of similar length: means of their bounds, and their number, to which one with bounds in several groups adds a part in each. */
export type GapGroup = Readonly<{ low: Seconds; high: Seconds; count: number }>

/** What a recommendation rests on: enough to compute its likely saving and its wakes again. */
export type Grounds = Interval &
  Readonly<{
    /** Days in `[from, to)` with observations. */
    days: number
    /** Share of the time in which activity was followed. */
    followed: Ratio
    /** Size while awake; of a sizing, the one that is recommended. */
    cu: Bounds<Cu>
    perCuHour: Micros
    /** Ascending by length. */
    gaps: readonly GapGroup[]
  }>

/** Another setting, and why it lost. */
export type Alternative = Readonly<{
  to: Setting
  /** In 30 days. */
  saving: Bounds<Micros>
  effect: Effect
  /** `hardly-better`: better by less than the hysteresis of an open recommendation. */
  because: 'dearer' | 'wakes-more' | 'unsure' | 'restarts' | 'hardly-better'
}>

/** What the settings of a recommendation do not say. */
export type RecommendationDetail = Readonly<
  | {
      kind: 'awake-for-nothing'
      culprit: Culprit
      /** Time between its activities, where at least half of the gaps have it. */
      period: Seconds | undefined
      fix: 'session-pooler' | 'idle-timeout' | 'move-job' | 'drop-slot' | 'end-transaction'
    }
  | { kind: 'unused'; what: 'no-clients' | 'replica' | 'disabled'; since: Instant | undefined }
  | {
      kind: 'refresh'
      startedAt: Instant | undefined
      /** Recommendation that brings a start of the compute; undefined: a restart of its own is needed. */
      ridesWith: RecommendationKind | undefined
    }
  /** A budget asks for a smaller maximum. */
  | { kind: 'budget'; name: string }
  /** The file cache is full and too small. */
  | { kind: 'cache'; hitRatio: Ratio; target: Ratio }
  /** The pooler is on, but clients connect directly. */
  | { kind: 'pooler' }
  | {
      kind: 'defaults'
      /** Computes that lived short, and rested on what is recommended. */
      lives: number
      /** Existing computes without a delay of their own, which another default delay changes at once. */
      atOnce: number
      /** Why the other of both settings stays as it is; absent where both are recommended. */
      keeps?: Readonly<Partial<Record<'delay' | 'sizing', WithheldBecause>>>
    }
>

export type Confidence = 'low' | 'medium' | 'high'

/** A recommendation before it has an id. */
export type Proposal = Readonly<{
  /** A project where the kind is `defaults`. */
  ref: TargetRef
  kind: RecommendationKind
  from: Setting
  to: Setting
  /** Applying it restarts the compute. */
  restarts: boolean
  /** In 30 days with the settings now. */
  spend: Bounds<Micros>
  /** Money alone, in 30 days; negative: it costs more. */
  saving: Bounds<Micros>
  effect: Effect
  confidence: Confidence
  grounds: Grounds
  /** All other settings that were considered, in the order of their value: a delay's are its curve. */
  alternatives: readonly Alternative[]
  detail?: RecommendationDetail
}>

export type WithheldBecause =
  | 'history-short'
  | 'not-followed'
  | 'plan-unknown'
  | 'plan-fixed'
  | 'no-readings'
  | 'saving-small'
  | 'unsure'
  | 'dismissed'
  // one of its kind was implemented less than 28 days ago
  | 'follow-up'
  | 'policy'
  // the service does not show the setting
  | 'not-listed'
  | 'fits'

/** Why there is no recommendation of a kind. `have` and `needs` count days, gaps or micros: what `because` is about. */
export type Withheld = Readonly<{
  kind: RecommendationKind
  because: WithheldBecause
  have: number
  needs: number
  /** When the answer will be there; undefined where waiting alone changes nothing. */
  until: Instant | undefined
  /** Kind `defaults`: why the size stays as it is, where `because` is about both settings or about the delay. */
  sizing?: WithheldBecause
}>

/** For each kind a proposal or the reason why there is none. */
export type Advice = Readonly<{ proposals: readonly Proposal[]; withheld: readonly Withheld[] }>

export type Life = Readonly<
  | { state: 'open' }
  | {
      state: 'implemented'
      at: Instant
      /** At the end of the follow-up; undefined before. */
      realised: Bounds<Micros> | undefined
      /** With `realised`: its saving beside other settings that took effect meanwhile; absent where there were none. */
      promised?: Bounds<Micros>
    }
  | { state: 'superseded'; at: Instant; by: string }
  | { state: 'withdrawn'; at: Instant; because: WithheldBecause | 'changed' | 'deleted' | 'not-confirmed' }
  | {
      state: 'dismissed'
      at: Instant
      until: Instant | undefined
      reason: string
      /** Name of the token. */
      by: string
    }
>

/** What an implemented recommendation promised and what came, in 30 days. */
export type PromisedSaving = Readonly<{
  likely: Micros
  realised: Micros
  /** End of its follow-up. */
  endedAt: Instant
}>

/** What came is compared with this. */
export const promisedOf = ({
  life,
  saving,
}: Readonly<{ life: Life; saving: Bounds<Micros> }>): Bounds<Micros> =>
  (life.state === 'implemented' && life.promised) || saving

export type RecommendationState = Life['state']

/** When a recommendation is no longer of use; undefined while it is open, or dismissed without an end. */
export function endOfLife(life: Life): Instant | undefined {
  if (life.state === 'open') return undefined
  return life.state === 'dismissed' ? life.until : life.at
}

/** Plain data. */
export type Recommendation = Proposal &
  Readonly<{
    /** `<endpoint or project>.<kind>.<n>`; n counts the recommendations of that kind on that compute or project from 1. */
    id: string
    /** Digest of compute or project, kind, from and to: a change that is made of it names id and hash. */
    hash: string
    openedAt: Instant
    /** Last evaluation that had the same result. */
    confirmedAt: Instant
    life: Life
    /** Last one of its kind that was dismissed, as it was then; absent where there was none. */
    dismissedBefore?: Readonly<
      Pick<Proposal, 'to' | 'saving'> & {
        id: string
        at: Instant
        until: Instant | undefined
        reason: string
        by: string
      }
    >
  }>

/** Last evaluation of one compute, or of the defaults of one project. Plain data. */
export type ComputeAdvice = Readonly<{
  ref: TargetRef
  evaluatedAt: Instant
  withheld: readonly Withheld[]
  /** Recommendations made so far: ids count on. */
  made: Readonly<Partial<Record<RecommendationKind, number>>>
}>
