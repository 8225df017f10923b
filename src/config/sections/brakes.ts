import { number, strictObject } from 'zod'
import { DEFAULT_BRAKES } from '../../model/policy/brakes.ts'
import { ratio, type Ratio, type Seconds } from '../../model/units.ts'
import { camelKeys, wholeNumberSchema } from '../parts.ts'
import { durationSchema, durationText } from '../units.ts'

/** Restarts and failures are remembered for so long. */
const MEMORY = '7d'

const NO_SHARE = 'expected a share above 0, at most 1'

const duration = (value: Seconds, max: string, min = '1s') =>
  durationSchema({ min, max }).prefault(durationText(value))
const share = (value: Ratio) =>
  number(NO_SHARE).gt(0, NO_SHARE).max(1, NO_SHARE).prefault(value).transform(ratio)
const count = (value: number, max: number) => wholeNumberSchema(1, max).prefault(value)

export const brakesSchema = strictObject({
  compute_pause: duration(DEFAULT_BRAKES.computePause, MEMORY).describe(
    'Between two restarts of one compute by changes.',
  ),
  compute_per_week: count(DEFAULT_BRAKES.computePerWeek, 1000).describe(
    'How often changes may restart one compute in seven days.',
  ),
  opposite_pause: duration(DEFAULT_BRAKES.oppositePause, MEMORY).describe(
    'Between a change of size and one in the opposite direction, and between two to a smaller size.',
  ),
  fleet_in_flight: count(DEFAULT_BRAKES.fleetInFlight, 1000).describe(
    'Changes of one account that may be under way at the same time.',
  ),
  fleet_per_hour: count(DEFAULT_BRAKES.fleetPerHour, 100_000).describe(
    'Changes of one account that may be sent in an hour.',
  ),
  fleet_share: share(DEFAULT_BRAKES.fleetShare).describe(
    'Where policies want to restart more than this share of the computes of an account, and more than fleet_least, they make no change that restarts one.',
  ),
  fleet_least: count(DEFAULT_BRAKES.fleetLeast, 100_000).describe('As many computes are never too many.'),
  hold_off: duration(DEFAULT_BRAKES.holdOff, '1d').describe(
    'After the start of Dormouse nothing is restarted.',
  ),
  min_age: duration(DEFAULT_BRAKES.minAge, '90d').describe('A younger compute is not restarted.'),
  breaker_failures: count(DEFAULT_BRAKES.breakerFailures, 1000).describe(
    'So many changes of an account that failed within breaker_within stop all others for as long; then one is tried alone: if it is done, the others go on, if it fails, they wait again.',
  ),
  breaker_within: duration(DEFAULT_BRAKES.breakerWithin, MEMORY).describe('See breaker_failures.'),
  breaker_error_share: share(DEFAULT_BRAKES.breakerErrorShare).describe(
    'Where more than this share of the requests to the service within breaker_error_within failed, changes are stopped as by breaker_failures.',
  ),
  breaker_error_within: duration(DEFAULT_BRAKES.breakerErrorWithin, '1h', '1m').describe(
    'See breaker_error_share.',
  ),
}).transform(camelKeys)
