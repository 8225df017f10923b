import { array, boolean, enum as oneOf, literal, number, strictObject, string, union } from 'zod'
import { DEFAULT_ADVICE_NEEDS, DEFAULT_ADVICE_POLICY } from '../../model/policy/advice-policy.ts'
import {
  DEFAULT_RESTART_RULES,
  EXPIRY_ANSWERS,
  FOREIGN_CHANGE_ANSWERS,
  LEVERS,
  MANAGERS,
  MODES,
  RESTART_MOMENTS,
} from '../../model/policy/change-policy.ts'
import type { PolicyRule } from '../../model/policy/policies.ts'
import { RECOMMENDATION_KINDS } from '../../model/policy/recommendation.ts'
import { delayMillis, type AutosuspendDelay } from '../../model/service/compute.ts'
import { cu, ratio } from '../../model/units.ts'
import { camelKeys, ofObject, selectorShape, wholeNumberSchema } from '../parts.ts'
import { durationSchema, durationText, moneySchema } from '../units.ts'

const { floor, ceiling, wakeCost, sizing } = DEFAULT_ADVICE_POLICY
const { minHistory, minGaps, minPeaks, grid } = DEFAULT_ADVICE_NEEDS
const delayText = (delay: AutosuspendDelay) => (delay === 'never' ? delay : durationText(delay))

const NO_WAKE_COST = 'expected a length of time such as 5m, or money: { money: 0.002 }'
const isTextOrObject = (input: unknown) =>
  typeof input === 'string' || (typeof input === 'object' && !Array.isArray(input))

const wakeMoney = strictObject({
  money: moneySchema
    .refine((amount) => amount > 0, 'expected an amount above 0')
    .describe(
      'For each wake, in the currency of the account; counts as the time awake that it pays for at the size and price of the compute, from 1s to 1d.',
    ),
})

const delaySchema = union(
  [literal('never'), durationSchema({ min: '1s', max: '7d' })],
  'expected never, or a length of time of 1s to 7d such as 5m',
)

const scheduledDelay = strictObject({
  in: string('expected the name of a window').describe('The window.'),
  delay: delaySchema.describe('The delay while it is open.'),
}).transform(({ in: window, delay }) => ({ window, delay }))

const autosuspend = strictObject({
  floor: durationSchema({ min: '1s', max: '7d' })
    .prefault(durationText(floor))
    .describe('The shortest delay that is recommended; where the plan allows only longer ones, these.'),
  ceiling: delaySchema
    .prefault(delayText(ceiling))
    .describe('The longest delay that is recommended; never: also autosuspend off.'),
  wake_cost: union([durationSchema({ min: '1s', max: '1d' }), wakeMoney], {
    error: ({ input }) => (isTextOrObject(input) ? undefined : NO_WAKE_COST),
  })
    .prefault(durationText(wakeCost))
    .describe(
      'The price of a wake, as awake time that costs as much, or as money: the larger it is, the fewer wakes. It ranks delays and is never part of a saving.',
    ),
  schedule: array(scheduledDelay, 'expected a list of windows and delays')
    .prefault([])
    .describe(
      'Delays while windows are open, the first that is; set at the first moment at which the compute is awake, and put back when the window has closed. Needs the lever delay.',
    ),
})
  .refine((given) => given.floor * 1000 <= delayMillis(given.ceiling), {
    ...ofObject('expected at least autosuspend.floor', 'floor', 'ceiling'),
    path: ['ceiling'],
  })
  .transform(camelKeys)

const NO_SIZE = 'expected a size of 0.25 to 56 CU in steps of 0.25'
export const sizeSchema = number(NO_SIZE)
  .min(0.25, NO_SIZE)
  .max(56, NO_SIZE)
  .multipleOf(0.25, NO_SIZE)
  .transform(cu)

const NO_HIT_RATIO = 'expected a share from 0 to 0.999'

const sizes = strictObject({
  min: sizeSchema.optional().describe('The smallest size that is recommended, in CU.'),
  max: sizeSchema.optional().describe('The largest.'),
  never_down: boolean()
    .prefault(sizing.neverDown)
    .describe('Whether sizes and minimums below those now are not recommended.'),
  hit_ratio: number(NO_HIT_RATIO)
    .min(0, NO_HIT_RATIO)
    .max(0.999, NO_HIT_RATIO)
    .prefault(sizing.hitRatio)
    .describe(
      'The share of accesses that the file cache has to answer: a full cache under it asks for the next size. Less for analytical loads; 0: never.',
    ),
})
  .refine(({ min = cu(0), max = cu(Infinity) }) => min <= max, {
    ...ofObject('expected at most sizing.max', 'min', 'max'),
    path: ['min'],
  })
  .transform(({ min, max, never_down: neverDown, hit_ratio: hitRatio }) => ({
    min,
    max,
    neverDown,
    hitRatio: ratio(hitRatio),
  }))

export const adviceSchema = strictObject({
  min_history: durationSchema({ min: '1s', max: '28d' })
    .prefault(durationText(minHistory))
    .describe(
      'How long the activity of a compute must have been followed before a delay below the one in force is recommended.',
    ),
  min_gaps: wholeNumberSchema(1, 10_000)
    .prefault(minGaps)
    .describe(
      'How many of its gaps between activities must have been seen by then; with a delay in force, 7 followed days do as well, but fewer gaps widen the interval of the saving.',
    ),
  min_peaks: durationSchema({ min: '1s', max: '28d' })
    .prefault(durationText(minPeaks))
    .describe(
      'How long connections must have been read before a smaller minimum size is recommended for them.',
    ),
  grid: durationSchema({ min: '1s', max: '1h' })
    .prefault(durationText(grid))
    .describe('The step of recommended delays, and the shortest gap between activities that counts.'),
}).transform(camelKeys)

const KINDS = `expected off or a list of ${RECOMMENDATION_KINDS.join(', ')}`

const { when, closeEarly, maxWait, onExpire } = DEFAULT_RESTART_RULES

const MOMENTS = `expected a list of ${RESTART_MOMENTS.join(', ')}`
const WINDOW_NAMES = 'expected a list of names of windows'
const windowNames = array(string(WINDOW_NAMES), WINDOW_NAMES)

const needsWindow = (moments: readonly string[]) => moments.includes('quiet') || moments.includes('window')

const restart = strictObject({
  when: array(oneOf(RESTART_MOMENTS), MOMENTS)
    .min(1, MOMENTS)
    .prefault([...when])
    .describe(
      'idle: at any time, while the compute is suspended and no client is expected. natural: the same, with looks around each expected suspension, for computes that sleep for less than poll.interval. quiet: in restart.windows, also awake while two readings half a minute apart show nobody. window: in restart.windows, also awake at a low load, at the latest before the window closes; clients are interrupted.',
    ),
  windows: windowNames
    .prefault([])
    .describe('The windows of quiet and window, by their names; service: the update window of the project.'),
  deny: windowNames
    .prefault([])
    .describe('Windows in which nothing is restarted, whatever else allows it; service, too.'),
  close_early: durationSchema({ min: '0s', max: '1d' })
    .prefault(durationText(closeEarly))
    .describe('How long before the end of its window a change must be over.'),
  max_wait: durationSchema({ min: '1m', max: '90d' })
    .prefault(durationText(maxWait))
    .describe('How long a change waits for its moment.'),
  on_expire: oneOf(EXPIRY_ANSWERS)
    .prefault(onExpire)
    .describe('What follows when max_wait is over. alert: the change expires, with an event.'),
})
  .refine(({ when: moments, windows }) => needsWindow(moments) === windows.length > 0, {
    ...ofObject(
      'expected windows with quiet or window in when, and neither without the other',
      'when',
      'windows',
    ),
  })
  .transform(camelKeys)

const warmUps = strictObject({
  in: string('expected the name of a window')
    .optional()
    .describe('The window in which computes are started; by default at any time.'),
}).transform(({ in: window }) => ({ window }))

const LEVER_NAMES = `expected a list of ${LEVERS.join(', ')}`

const policy = strictObject({
  match: strictObject(selectorShape)
    .prefault({})
    .describe('The computes: those that fit everything given here; without conditions all.'),
  autosuspend: autosuspend.optional().describe('Recommended delays.'),
  sizing: sizes.optional().describe('Recommended sizes.'),
  recommend: union([array(oneOf(RECOMMENDATION_KINDS)), literal('off').transform(() => [])], KINDS)
    .optional()
    .describe('The kinds of recommendations that are made, by default all; off: none.'),
  advice: adviceSchema
    .optional()
    .describe('The evidence that they need, in place of advice; keys left out have their defaults.'),
  mode: oneOf(MODES)
    .optional()
    .describe('In place of mode. Where mode is off or observe, nothing is changed whatever a policy says.'),
  levers: array(oneOf(LEVERS), LEVER_NAMES)
    .optional()
    .describe(
      'What the modes approve and apply may change without a request, by default nothing. delay: the autosuspend delay. sizing: size and range. defaults: the delay and the size that a project gives its new computes; the delay takes effect at once on those without a delay of their own. Of policies without conditions on branches and computes. warm, in the mode apply: starts a compute that sleeps a minute ahead of clients that come by a timer, where a wake costs more than the delay and the gaps of the compute show a gain of 5 %.',
    ),
  restart: restart.optional().describe('When the changes that they make may restart a compute.'),
  warm: warmUps.optional().describe('When computes may be started ahead of clients; needs the lever warm.'),
  on_foreign_change: oneOf(FOREIGN_CHANGE_ANSWERS)
    .optional()
    .describe(
      'What they do where somebody else sets another value over one that a change had set. adopt: nothing for a day, the default. alert: the same, with an event. reapply: a change sets the value again; whoever overwrites it three times is another controller, and the brake controller keeps policies off the compute until a person releases it.',
    ),
  managed_by: oneOf(MANAGERS)
    .optional()
    .describe(
      'Who owns the settings of the computes: nothing is changed without a request, whatever other policies say, and recommendations are texts for it. terraform: attributes of a resource neon_endpoint. Values that are applied there count as an implementation of the recommendation.',
    ),
}).transform((given): PolicyRule => camelKeys(given))

export const policiesSchema = array(policy, 'expected a list of policies')
