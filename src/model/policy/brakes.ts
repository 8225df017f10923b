// Limits of what policies change by themselves. A person's change passes them.
import { ratio, seconds, type Instant, type Ratio, type Seconds } from '../units.ts'

export const BRAKE_NAMES = [
  'kill_switch',
  'freeze',
  'hold',
  'fleet',
  'breaker',
  'demoted',
  'controller',
  'hold_off',
] as const
/**
 * What holds changes of an account back. `fleet`: too many computes were to be restarted at once. `breaker`: changes failed. `demoted`: the
 * savings of a kind did not come. `controller`: something else keeps setting a compute.
 */
export type BrakeName = (typeof BRAKE_NAMES)[number]

/** Brakes that are stored, because a person releases them. */
export type StoredBrakeName = Extract<BrakeName, 'fleet' | 'breaker' | 'demoted' | 'controller'>

/** State of a brake that a person releases; one for each name and subject. Plain data. */
export type StoredBrake = Readonly<{
  name: StoredBrakeName
  /** Kind of change, or id of the compute, that it holds; empty: the account. */
  subject: string
  because: string
  engagedAt: Instant
  /** `fleet`: computes that were to be restarted. A release covers as many. */
  count?: number
  /** `breaker`: when it began to let changes pass one by one. Absent while it lets none pass. */
  halfOpenAt?: Instant
  /** Absent until a person releases it. */
  released?: Readonly<{ at: Instant; by: string; reason: string }>
  /** When its cause was gone; it engages again with the next cause. Absent until then. */
  endedAt?: Instant
}>

/** `fleet`; `breaker.ep-one`: its name, with its subject where it has one. */
export const brakeId = ({ name, subject }: Pick<StoredBrake, 'name' | 'subject'>): string =>
  subject === '' ? name : `${name}.${subject}`

/** Whether it holds changes: nobody released it, and its cause is not gone. */
export const isEngaged = ({ released, endedAt }: StoredBrake): boolean => !released && endedAt === undefined

/** Limits of changes that restart a compute. */
export type Brakes = Readonly<{
  /** Between two restarts of one compute by changes. */
  computePause: Seconds
  /** Restarts of one compute by changes in seven days. */
  computePerWeek: number
  /** Between a change and one in the opposite direction. */
  oppositePause: Seconds
  /** Changes under way in one account. */
  fleetInFlight: number
  /** Changes of one account in an hour. */
  fleetPerHour: number
  /** Where policies want to restart more computes of an account than this share of them, and than `fleetLeast`, nothing is scheduled. */
  fleetShare: Ratio
  fleetLeast: number
  /** After the start of the daemon. */
  holdOff: Seconds
  /** Age from which a compute is restarted. */
  minAge: Seconds
  /** So many changes that failed within `breakerWithin` stop all. */
  breakerFailures: number
  breakerWithin: Seconds
  /** So do failed requests to the service, where they are more than this share of those within `breakerErrorWithin`. */
  breakerErrorShare: Ratio
  breakerErrorWithin: Seconds
}>

/** Source: changing.md, §5. */
export const DEFAULT_BRAKES: Brakes = {
  computePause: seconds(6 * 3600),
  computePerWeek: 3,
  oppositePause: seconds(86_400),
  fleetInFlight: 3,
  fleetPerHour: 10,
  fleetShare: ratio(0.2),
  fleetLeast: 5,
  holdOff: seconds(600),
  minAge: seconds(86_400),
  breakerFailures: 2,
  breakerWithin: seconds(3600),
  breakerErrorShare: ratio(0.2),
  breakerErrorWithin: seconds(300),
}
