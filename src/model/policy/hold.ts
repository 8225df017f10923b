// Holds of changes. When one ends is in hold-end.ts.
import type { Instant } from '../units.ts'

/** Why a change is not sent now. */
export type Hold = Readonly<{
  because: HoldReason
  /** Undefined where it has no known end. */
  until: Instant | undefined
  /** Which one, where there may be several: names of windows; id, author and reason of a hold. */
  detail?: string
}>

export type HoldReason =
  | 'approval'
  | 'kill-switch'
  /** `mode` of the configuration or of the policy is `off` or `observe`. */
  | 'mode'
  /** A window in which nothing is changed. */
  | 'freeze'
  /** A person placed a hold. */
  | 'hold'
  /** The policy no longer makes such changes. */
  | 'policy'
  /** No window of the policy is open for long enough. */
  | 'outside-window'
  /** A window of the policy in which nothing is restarted. */
  | 'denied-window'
  /** Since the last pass the wall clock was set, or the machine slept: windows, freezes and brakes need the time. */
  | 'clock'
  /** The daemon, or the compute, is too young. */
  | 'hold-off'
  /** Changes failed. */
  | 'breaker'
  /** A brake that is engaged until a person releases it. */
  | 'brake'
  /** Changes restarted this compute lately. */
  | 'compute-pace'
  /** Changes restarted enough computes lately. */
  | 'fleet-pace'
  | 'key-refused'
  /** A budget of the compute has reached 80 %. */
  | 'budget'
  /** The service asked to wait, or was busy. */
  | 'retry'
  | 'project-busy'
  /** The delay was shortened less than an hour ago. */
  | 'delay-pace'
  /** A person set another value less than a day ago. */
  | 'foreign-change'
  /** Replicas of the branch are changed first. */
  | 'replica-first'
  /** Another compute of the branch was restarted less than ten minutes ago. */
  | 'branch-pace'
  | 'awake'
  /** Awake, inside a window that allows a restart while nobody works. */
  | 'not-quiet'
  /** Awake, inside a window that allows a restart at a low load. */
  | 'load'
  /** A policy changes a delay while the compute is awake: that wakes nothing. */
  | 'asleep'
  /** Only its next start ends a restart. */
  | 'next-start'
  | 'client-expected'
  | 'settle'
  | 'unverified'
  /** Requests of looks are limited, or the service did not answer one. */
  | 'unseen'
  /** Readings of the compute are missing that tell whether a change that took effect stays. */
  | 'verdict'
