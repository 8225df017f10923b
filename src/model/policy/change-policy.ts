// What Dormouse may change by itself, and when.
import { seconds, type Instant, type Seconds } from '../units.ts'

export const MODES = ['off', 'observe', 'suggest', 'approve', 'apply'] as const
/**
 * How far Dormouse may go: `off` and `observe` refuse changes, `suggest` recommends, `approve` makes changes that wait for a person, `apply`
 * makes changes.
 */
export type Mode = (typeof MODES)[number]

/** Settings that Dormouse may change by itself; each is opted into. */
export const CHANGE_LEVERS = ['delay', 'sizing', 'defaults'] as const
export type ChangeLever = (typeof CHANGE_LEVERS)[number]

/** `warm`: starts computes ahead of expected clients, which is no change of settings. */
export const LEVERS = [...CHANGE_LEVERS, 'warm'] as const
export type Lever = (typeof LEVERS)[number]

/**
 * Rungs of the ladder:
 * - `idle`: at any time, while the compute is suspended and no client is expected;
 * - `natural`: the same, with looks around the expected suspension, for computes that sleep for less than the time between two passes;
 * - `quiet`: inside a window, also awake while two readings show nobody;
 * - `window`: inside a window, also awake at a low load, at the latest at its last safe moment: clients are interrupted.
 */
export const RESTART_MOMENTS = ['idle', 'natural', 'quiet', 'window'] as const

/** Name of the window in which the service updates a project, in place of one of the configuration. */
export const SERVICE_WINDOW = 'service'

/** How long a change takes until enough have been seen. Source: changing.md, §2. */
export const FIRST_CHANGE_DURATION = seconds(10)

/** When a change that restarts a compute may be made. */
export type RestartRules = Readonly<{
  /** Each allows it; without one nothing does. */
  when: readonly (typeof RESTART_MOMENTS)[number][]
  /** Names of windows of `quiet` and `window`. */
  windows: readonly string[]
  /** Names of windows in which nothing is restarted, whatever `when` says. */
  deny: readonly string[]
  /** Between the end of a change and the end of its window. */
  closeEarly: Seconds
  /** How long a change waits for its moment. */
  maxWait: Seconds
  /** Consequence when that time is over. */
  onExpire: (typeof EXPIRY_ANSWERS)[number]
}>

/** `alert`: the change ends, with an event. */
export const EXPIRY_ANSWERS = ['alert'] as const

export const FOREIGN_CHANGE_ANSWERS = ['adopt', 'alert', 'reapply'] as const
/**
 * What policies do where somebody else sets another value over one that a change had set: `adopt` leaves the compute alone for a day, `alert`
 * does so with an event, `reapply` makes a change that sets the value again.
 */
export type ForeignChangeAnswer = (typeof FOREIGN_CHANGE_ANSWERS)[number]

/** Programs that own the settings of a compute: Dormouse only recommends, as text for them. */
export const MANAGERS = ['terraform'] as const
export type Manager = (typeof MANAGERS)[number]

export type ChangePolicy = Readonly<{
  mode: Mode
  levers: readonly Lever[]
  restart: RestartRules
  /** Absent: `adopt`. */
  onForeignChange?: ForeignChangeAnswer
  /** Owner of the settings: with one there are no levers, and the mode is at most `suggest`. Absent: Dormouse and people. */
  managedBy?: Manager
  /** Where the configuration says so, such as `policies[0]`; undefined where no policy does. */
  path: string | undefined
  /** Where that stands in the file, from 1; absent where it is not known. */
  line?: number
}>

/** What the policy allows now while the compute is awake. */
export type AwakeRungs = Readonly<{
  /** Where two readings show that nobody works. */
  quiet: boolean
  /** At a load that is low for this compute, at the latest at `lastSafe`: clients are interrupted. */
  lowestLoad: boolean
  /** Last instant at which the change would be over before the window closes. */
  lastSafe: Instant
}>

export const DEFAULT_RESTART_RULES: RestartRules = {
  when: ['idle'],
  windows: [],
  deny: [],
  // a service that is slow once
  closeEarly: seconds(600),
  // as a change that a person asks for
  maxWait: seconds(14 * 86_400),
  onExpire: 'alert',
}
