// What the apply loop needs of the account and of its daemon.
import type { ChangeRules } from '../../apply/hold.ts'
import type { afterAnswer } from '../../apply/answers.ts'
import type { nextStep } from '../../apply/next-step.ts'
import type { Seen } from '../../apply/settings.ts'
import type { Change, CountedVerdict, InterruptedSessions } from '../../model/policy/change.ts'
import type { Hold } from '../../model/policy/hold.ts'
import type { AwakeRungs } from '../../model/policy/change-policy.ts'
import type { Clock, Random } from '../../model/ports/clock.ts'
import type { Journal } from '../../model/ports/journal.ts'
import type { Send } from '../../model/ports/outbox.ts'
import type { Service } from '../../model/ports/service.ts'
import type { AccountStore } from '../../model/ports/store.ts'
import type { Compute, Project } from '../../model/service/compute.ts'
import type { Seconds } from '../../model/units.ts'
import type { VerdictOf } from '../../verify/judge.ts'
import type { DaemonEnvironment } from '../environment.ts'
import type { Verification } from './verification.ts'

export type ApplyLoopOptions = Readonly<{
  account: string
  clock: Clock
  random: Random
  service: Service
  store: Pick<AccountStore, 'commit'>
  journal: Pick<Journal, 'openChanges'>
  /** Open changes before the first turn, oldest first; default: none. */
  initial?: readonly Change[]
  /** Takes events that are stored already. */
  send: Send
  /** Epoch of this opening of the store. */
  epoch: number
  log: Pick<DaemonEnvironment['log'], 'info' | 'warn' | 'error'>
  settle: () => Seconds
  /** Requests that the loop may make, a tenth of the request allowance. */
  requestsPerSecond: number
  /** Whether a pass over the account runs. */
  isPassing: () => boolean
  /** Whether no other process has opened the store since; read before each request. */
  isCurrent: () => boolean
  /** A kill switch, or the mode; read before each request. */
  stoppedBy: () => ChangeRules['stoppedBy']
  isKeyRefused: () => boolean
  /** By a freeze, a person or the policy of the compute, as they are now; read before each request. */
  policyHold: (change: Change) => Hold | undefined
  /** What the policy allows now while the compute is awake; undefined where it may not be restarted then. */
  rungsOf: (change: Change) => AwakeRungs | undefined
  /** Whether the compute is about to be suspended, and sleeps too shortly for a pass to see it. */
  isSuspensionNear: (change: Change) => boolean
  rulesOf: (change: Change, seen: Seen, signal: AbortSignal) => Promise<RulesOfChange>
  verification: Pick<Verification, 'baselineOf' | 'judge'>
  /** A new change that takes another one back. */
  revertOf: (change: Change, verdict: VerdictOf<'revert'>) => Change
  /** Client sessions of an awake compute that a restart would interrupt. */
  countSessions: (compute: Compute, signal: AbortSignal) => Promise<InterruptedSessions>
  /** Service time less wall clock, ms. */
  clockOffset: () => number
  /** Whether wall clock and monotonic clock went on alike since the service time was last known. */
  isClockSteady: () => boolean
  /** In each turn, with all open changes. */
  onTurn?: (open: readonly Change[], signal: AbortSignal) => void
  /** After each transition that is stored. */
  onMove?: (change: Change) => void
  /** After each stored end of a judgement by a verdict. */
  onVerdict?: (verdict: CountedVerdict) => void
  /** The state machine. */
  machine?: ApplyMachine
  /** Whether the last pass found it deleted. */
  isDeleted: (change: Change) => boolean
  /** As the last pass saw it; undefined where none did, or it is deleted. */
  published: (change: Change) => Readonly<{ compute: Compute; project: Project | undefined }> | undefined
}>

export type RulesOfChange = Pick<ChangeRules, 'shortenedAt' | 'siblings' | 'arrival' | 'use'>

export type ApplyMachine = Readonly<{ nextStep: typeof nextStep; afterAnswer: typeof afterAnswer }>
