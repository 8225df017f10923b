import { describe, expect, test } from 'vitest'
import { settingsOf, type ChangeAsk, type PlanTarget, type SizeAsk } from '../../src/apply/asked-settings.ts'
import { planLimits } from '../../src/model/policy/plan-limits.ts'
import type { AutosuspendDelay, Compute } from '../../src/model/service/compute.ts'
import { cu, seconds } from '../../src/model/units.ts'
import { ask, targetOf } from './build.ts'

const size = ({ fixed, min, max }: Readonly<Partial<Record<keyof SizeAsk, number>>>): SizeAsk => ({
  ...(fixed !== undefined && { fixed: cu(fixed) }),
  ...(min !== undefined && { min: cu(min) }),
  ...(max !== undefined && { max: cu(max) }),
})
const range = (min: number, max: number): Partial<Compute> => ({ sizing: { min: cu(min), max: cu(max) } })

/** `path: message` of the refusal. */
function refusalOf(asked: Partial<ChangeAsk>, target: PlanTarget): string | undefined {
  const settings = settingsOf(target, ask(asked))
  return settings.ok ? undefined : `${settings.error.path}: ${settings.error.message}`
}

const SIZES = 'expected one of the sizes 0.25, 0.5, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 CU, got'
/** Of the later preset: ranges to 16 CU, 8 CU wide. */
const scale = { limits: planLimits('2026-03', 'scale') }
const launch = { limits: planLimits('2026-03', 'launch') }
const free = { limits: planLimits('2026-03', 'free') }
const smallest = { limits: planLimits('interface', 'free') }

describe('a size is refused', () => {
  test.each<[string, Parameters<typeof size>[0], string, PlanTarget]>([
    ['off the table', { fixed: 0.3 }, `cu: ${SIZES} 0.3`, targetOf()],
    ['above the table', { fixed: 11 }, `cu: ${SIZES} 11`, targetOf()],
    ['with a minimum off the table', { min: 0.3, max: 2 }, `min_cu: ${SIZES} 0.3`, targetOf()],
    ['with a maximum off the table', { min: 1, max: 2.5 }, `max_cu: ${SIZES} 2.5`, targetOf()],
    [
      'both fixed and with a minimum',
      { fixed: 1, min: 1 },
      'cu: expected no minimum or maximum beside a fixed size',
      targetOf(),
    ],
    [
      'both fixed and with a maximum',
      { fixed: 1, max: 2 },
      'cu: expected no minimum or maximum beside a fixed size',
      targetOf(),
    ],
    [
      'with a minimum over the maximum',
      { min: 2, max: 1 },
      'min_cu: expected at most the maximum, 1 CU, got 2',
      targetOf(),
    ],
    [
      'with a minimum over the maximum it has',
      { min: 4 },
      'min_cu: expected at most the maximum, 2 CU, got 4',
      targetOf(range(1, 2)),
    ],
    [
      'with a maximum under the minimum it has',
      { max: 0.5 },
      'max_cu: expected at least the minimum, 1 CU, got 0.5',
      targetOf(range(1, 2)),
    ],
    [
      'larger than the plan allows',
      { fixed: 3 },
      'cu: expected at most 2 CU on this service plan, got 3',
      targetOf({}, free),
    ],
    [
      'a range that ends in one size, larger than the plan allows',
      { max: 1 },
      'max_cu: expected at most 0.25 CU on this service plan, got 1',
      targetOf({}, smallest),
    ],
    [
      'a range on a plan without',
      { min: 0.25, max: 0.5 },
      'max_cu: expected a fixed size: this service plan has no ranges',
      targetOf({}, smallest),
    ],
    [
      'a minimum that makes a range on a plan without',
      { min: 0.25 },
      'min_cu: expected a fixed size: this service plan has no ranges',
      targetOf({}, smallest),
    ],
    [
      'a range too high for the plan',
      { min: 1, max: 3 },
      'max_cu: expected at most 2 CU in a range on this service plan, got 3',
      targetOf({}, free),
    ],
    [
      'a range too wide for the plan',
      { min: 1, max: 10 },
      'max_cu: expected at most 8 CU above the minimum on this service plan, got 9',
      targetOf({}, scale),
    ],
    [
      'a minimum that makes a range too wide',
      { min: 0.25 },
      'min_cu: expected at most 8 CU above the minimum on this service plan, got 8.75',
      targetOf(range(1, 9), scale),
    ],
  ])('%s', (_, asked, message, target) => {
    expect(refusalOf({ size: size(asked) }, target)).toBe(message)
  })
})

describe('a delay is refused', () => {
  const ANY = 'delay_seconds: expected 60 to 604800 s, default, or never, got'
  const unlisted =
    'delay_seconds: the service shows no autosuspend delay of this compute, so it cannot be changed'
  test.each<[string, AutosuspendDelay, string, PlanTarget]>([
    ['of 1 s', seconds(1), `${ANY} 1 s`, targetOf()],
    ['of 59 s', seconds(59), `${ANY} 59 s`, targetOf()],
    ['over a week', seconds(604_801), `${ANY} 604801 s`, targetOf()],
    ['of 59 s where nobody knows the plan', seconds(59), `${ANY} 59 s`, targetOf({}, { limits: undefined })],
    [
      'outside the plan',
      seconds(600),
      'delay_seconds: expected 300 s, default, or never, got 600 s',
      targetOf({}, launch),
    ],
    [
      'outside a plan without never',
      seconds(600),
      'delay_seconds: expected 300 s, default, got 600 s',
      targetOf({}, free),
    ],
    [
      'never, on a plan without',
      'never',
      'delay_seconds: expected 300 s, default: this service plan has no never',
      targetOf({}, free),
    ],
    ['of a compute that shows none', seconds(300), unlisted, targetOf({ isDelayListed: false })],
    [
      'back to default of a compute that shows none',
      seconds(0),
      unlisted,
      targetOf({ isDelayListed: false }),
    ],
  ])('%s', (_, delay, message, target) => {
    expect(refusalOf({ delay }, target)).toBe(message)
  })
})

test.each<[string, Partial<ChangeAsk>, string]>([
  ['nothing at all', {}, ': expected a size, a delay or a restart'],
  [
    'a restart beside a delay',
    { restart: true, delay: seconds(300) },
    'restart: expected no setting beside it: a change of size restarts the compute, too',
  ],
  [
    'a restart beside a size',
    { restart: true, size: size({ fixed: 2 }) },
    'restart: expected no setting beside it: a change of size restarts the compute, too',
  ],
])('%s is refused', (_, asked, message) => {
  expect(refusalOf(asked, targetOf())).toBe(message)
})

test.each<[string, Partial<ChangeAsk>, unknown, PlanTarget]>([
  ['a fixed size', { size: size({ fixed: 2 }) }, { sizing: { fixed: 2 } }, targetOf()],
  ['a maximum beside a fixed size', { size: size({ max: 2 }) }, { sizing: { min: 1, max: 2 } }, targetOf()],
  [
    'a maximum that equals the minimum',
    { size: size({ max: 1 }) },
    { sizing: { fixed: 1 } },
    targetOf(range(1, 2)),
  ],
  [
    'a minimum of a range',
    { size: size({ min: 0.5 }) },
    { sizing: { min: 0.5, max: 2 } },
    targetOf(range(1, 2)),
  ],
  [
    'a maximum beside a minimum that is no size',
    { size: size({ max: 3 }) },
    { sizing: { min: 0.3, max: 3 } },
    targetOf(range(0.3, 2)),
  ],
  ['the least delay', { delay: seconds(60) }, { autosuspendDelay: 60 }, targetOf()],
  ['the longest delay', { delay: seconds(604_800) }, { autosuspendDelay: 604_800 }, targetOf()],
  ['the delay of a plan', { delay: seconds(300) }, { autosuspendDelay: 300 }, targetOf({}, free)],
  ['the default of a plan', { delay: seconds(0) }, { autosuspendDelay: 0 }, targetOf({}, free)],
  [
    'never, where the plan is not known',
    { delay: 'never' },
    { autosuspendDelay: 'never' },
    targetOf({}, { limits: undefined }),
  ],
  [
    'the largest range of a plan',
    { size: size({ min: 2, max: 10 }) },
    { sizing: { min: 2, max: 10 } },
    targetOf({}, scale),
  ],
  ['a restart', { restart: true }, {}, targetOf()],
  [
    'size and delay',
    { size: size({ fixed: 2 }), delay: 'never' },
    { sizing: { fixed: 2 }, autosuspendDelay: 'never' },
    targetOf(),
  ],
])('%s is taken', (_, asked, settings, target) => {
  expect(settingsOf(target, ask(asked))).toEqual({ ok: true, value: settings })
})
