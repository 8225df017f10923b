import { describe, expect, test } from 'vitest'
import { compute, project } from '../../support/build.ts'
import { DEFAULT_ADVICE_NEEDS, DEFAULT_ADVICE_POLICY } from '../../../src/model/policy/advice-policy.ts'
import { RECOMMENDATION_KINDS } from '../../../src/model/policy/recommendation.ts'
import { selectorTargetOf } from '../../../src/model/policy/selector.ts'
import { micros } from '../../../src/model/units.ts'
import { GOOD, load, problemsOf } from '../loading.ts'

function policiesOf(text: string) {
  const config = load(`${GOOD}policies:\n${text}\n`)
  if (!config.ok) throw new Error(config.error.join('\n'))
  return config.value.policies
}

const HOUR_PRICE = micros(24_000)

const target = (endpointId: string, name = 'shop') =>
  selectorTargetOf('main', compute({ endpointId, projectId: 'p-1' }), project({ projectId: 'p-1', name }))

test('of each group of settings the most specific policy holds, as for owners, with defaults for what it leaves out', () => {
  const policies = policiesOf(`
  - { match: { project: "sh*" }, autosuspend: { floor: 10m, ceiling: 1h, wake_cost: 15m }, recommend: "off" }
  - { match: { compute: [ep-z, "ep-a*"] }, sizing: { min: 0.5, max: 4, never_down: true, hit_ratio: 0.95 }, recommend: [sizing] }`)
  expect(policies.of(target('ep-x'), HOUR_PRICE)).toEqual({
    kinds: [],
    floor: 600,
    ceiling: 3600,
    wakeCost: 900,
    sizing: { min: undefined, max: undefined, neverDown: false, hitRatio: 0.99 },
  })
  expect(policies.of(target('ep-ab'), HOUR_PRICE)).toEqual({
    kinds: ['sizing'],
    floor: 600,
    ceiling: 3600,
    wakeCost: 900,
    sizing: { min: 0.5, max: 4, neverDown: true, hitRatio: 0.95 },
  })
  expect(policies.of(target('ep-x', 'blog'), HOUR_PRICE)).toEqual(DEFAULT_ADVICE_POLICY)
})

test.each<[money: string, awakeHour: number, seconds: number]>([
  ['0.002', 24_000, 300],
  ['"0.002"', 12_000, 600],
  ['0.000001', 24_000, 1],
  ['5', 24_000, 86_400],
  ['0.002', 0, 86_400],
])('a wake cost of %s at %i micros an hour counts as %i s', (money, awakeHour, wakeCost) => {
  const policies = policiesOf(`  - { autosuspend: { wake_cost: { money: ${money} } } }`)
  expect(policies.of(target('ep-x'), micros(awakeHour)).wakeCost).toBe(wakeCost)
})

test('a freeze that is no window is a problem of its place', () => {
  expect(
    problemsOf(`${GOOD}windows: { year-end: "Mon 08:00-09:00" }\nchanges: { freeze: [year-end, yearend] }`),
  ).toEqual([expect.stringMatching(/^changes\.freeze\[1\]: .*year-end/)])
})

test('a policy without keys is the default', () => {
  expect(policiesOf('  - {}').of(target('ep-x'), HOUR_PRICE)).toEqual(DEFAULT_ADVICE_POLICY)
})

test('a policy may need other evidence than advice asks for; keys that it leaves out have their defaults', () => {
  const policies = policiesOf(`
  - { match: { project: shop }, advice: { min_history: 12s, grid: 1s } }`)
  const needs = { ...DEFAULT_ADVICE_NEEDS, minHistory: 12, grid: 1 }
  expect(policies.of(target('ep-x'), HOUR_PRICE)).toEqual({ ...DEFAULT_ADVICE_POLICY, needs })
  expect(policies.of(target('ep-x', 'blog'), HOUR_PRICE).needs).toBeUndefined()
})

describe('changes that a policy makes', () => {
  const NIGHT =
    'windows: { night: "22:00-06:00", office: "Mon-Fri 08:00-19:00", break: "12:00-12:10", once: { from: "2020-01-01T00:00", to: "2020-01-01T01:00" } }\n'
  const changesOf = (text: string, mode = 'suggest') => {
    const config = load(`${GOOD}mode: ${mode}\n${NIGHT}policies:\n${text}\n`)
    if (!config.ok) throw new Error(config.error.join('\n'))
    return config.value.policies
  }
  /** Of the first line of policies in the text. */
  const LINE = `${GOOD}mode: suggest\n${NIGHT}policies:\n\n`.split('\n').length
  const DEFAULTS = {
    when: ['idle'],
    windows: [],
    deny: [],
    closeEarly: 600,
    maxWait: 1_209_600,
    onExpire: 'alert',
  }

  test('are none unless it has levers, in its mode or that of the file', () => {
    const none = { mode: 'suggest', levers: [], restart: DEFAULTS, path: undefined }
    expect(changesOf('  []').changesOf(target('ep-x'))).toEqual(none)
    const policies = changesOf(`
  - { match: { project: "sh*" }, levers: [delay, sizing] }
  - { match: { compute: ep-a }, mode: apply }
  - { match: { compute: ep-b }, levers: [] }`)
    expect(policies.changesOf(target('ep-x'))).toEqual({
      ...none,
      levers: ['delay', 'sizing'],
      path: 'policies[0]',
      line: LINE,
    })
    expect(policies.changesOf(target('ep-a'))).toEqual({
      ...none,
      mode: 'apply',
      levers: ['delay', 'sizing'],
      path: 'policies[0]',
      line: LINE,
    })
    expect(policies.changesOf(target('ep-b'))).toEqual({ ...none, path: 'policies[2]', line: LINE + 2 })
  })

  test.each<[mode: string, text: string, decides: boolean, applies: boolean]>([
    ['suggest', '  [{ levers: [delay] }]', false, false],
    ['suggest', '  [{ mode: apply }]', false, false],
    ['suggest', '  [{ levers: [delay] }, { mode: approve }]', true, false],
    ['apply', '  [{ levers: [delay] }]', true, true],
    ['apply', '  [{ levers: [] }]', false, false],
    ['observe', '  [{ levers: [delay], mode: apply }]', false, false],
    ['off', '  [{ levers: [delay], mode: apply }]', false, false],
    ['suggest', '  [{ levers: [delay] }, { mode: apply }]', true, true],
  ])('with mode %s and %s: %s', (mode, text, decides, applies) => {
    const policies = changesOf(text, mode)
    expect(policies.decidesChanges).toBe(decides)
    expect(policies.appliesChanges).toBe(applies)
  })

  test.each(['off', 'observe'])('are none where the file says %s', (mode) => {
    const policies = changesOf('  [{ levers: [delay], mode: apply }]', mode)
    expect(policies.changesOf(target('ep-x')).mode).toBe(mode)
  })

  test('restart a compute when it says so', () => {
    const policies = changesOf(
      '  - { restart: { when: [window], windows: [night], deny: [office], close_early: 0s, max_wait: 7d } }',
    )
    expect(policies.changesOf(target('ep-x')).restart).toEqual({
      when: ['window'],
      windows: ['night'],
      deny: ['office'],
      closeEarly: 0,
      maxWait: 604_800,
      onExpire: 'alert',
    })
  })

  test.each<[what: string, policy: string, problem: string]>([
    ['a list for keys', '{ restart: [{ when: [idle] }] }', 'restart: expected keys and values'],
    [
      'a text for a list',
      '{ restart: { when: quiet } }',
      'restart.when: expected a list of idle, natural, quiet, window',
    ],
    [
      'a ceiling that is no delay, beside a floor',
      '{ autosuspend: { floor: 1h, ceiling: soon } }',
      'autosuspend.ceiling: expected never, or a length of time of 1s to 7d such as 5m',
    ],
    [
      'a size that is none, beside another',
      '{ sizing: { min: x, max: 4 } }',
      'sizing.min: expected a size of 0.25 to 56 CU in steps of 0.25',
    ],
    [
      'no moment',
      '{ restart: { when: [] } }',
      'restart.when: expected a list of idle, natural, quiet, window',
    ],
    [
      'another moment',
      '{ restart: { when: [noon] } }',
      'restart.when[0]: expected one of idle, natural, quiet, window',
    ],
    [
      'window without one',
      '{ restart: { when: [window] } }',
      'restart: expected windows with quiet or window in when, and neither without the other',
    ],
    [
      'windows without the moment',
      '{ restart: { windows: [night] } }',
      'restart: expected windows with quiet or window in when, and neither without the other',
    ],
    [
      'an unknown window',
      '{ restart: { when: [window], windows: [nights] } }',
      'restart.windows[0]: unknown window nights, did you mean night?',
    ],
    ['an unknown denial', '{ restart: { deny: [freeze] } }', 'restart.deny[0]: unknown window freeze'],
    [
      'a window that ends before a change could',
      '{ restart: { when: [window], windows: [night, break] } }',
      'restart.windows[1]: no change fits into break: expected close_early and a change, 610s',
    ],
    [
      'a window that ends too early',
      '{ restart: { when: [window], windows: [night], close_early: 8h } }',
      'restart.windows[0]: no change fits into night: expected close_early and a change, 28810s',
    ],
    [
      'a window once that is too short',
      '{ restart: { when: [window], windows: [once], close_early: 1h } }',
      'restart.windows[0]: no change fits into once: expected close_early and a change, 3610s',
    ],
    [
      'a negative time',
      '{ restart: { close_early: -1s } }',
      'restart.close_early: expected a length of time',
    ],
    [
      'another answer to a wait that is over',
      '{ restart: { on_expire: now } }',
      'restart.on_expire: expected one of alert',
    ],
    ['an unknown lever', '{ levers: [budget] }', 'levers[0]: expected one of delay, sizing'],
    ['an unknown mode', '{ mode: auto }', 'mode: expected one of off, observe, suggest, approve, apply'],
  ])('%s is a problem', (_, policy, problem) => {
    expect(problemsOf(`${GOOD}${NIGHT}policies: [${policy}]\n`)).toEqual([
      expect.stringContaining(`policies[0].${problem}`),
    ])
  })
})

test('the update window of a project needs no window of the file, and short windows that follow each other are one', () => {
  const windows =
    'windows: { halves: ["10:00-10:06", { cron: "6 10 * * *", duration: 6m }], past: { from: "2020-01-01T00:00", to: "2020-01-02T00:00" } }'
  const text = `${GOOD}${windows}
policies:
  - match: { project: a }
    restart: { when: [window], windows: [service, halves, past] }
  - match: { project: b }
    restart: { deny: [service] }
`
  expect(problemsOf(text)).toEqual([])
})

test('a floor outside of the plan is no error', () => {
  expect(problemsOf(`${GOOD}policies: [{ autosuspend: { floor: 10m } }]\n`)).toEqual([])
})

const KINDS = RECOMMENDATION_KINDS.join(', ')

test.each([
  ['that is no list', '{}', 'policies: expected a list of policies'],
  [
    'with a floor over its ceiling',
    '[{ autosuspend: { floor: 10m, ceiling: 5m } }]',
    'policies[0].autosuspend.ceiling: expected at least autosuspend.floor',
  ],
  [
    'with the default floor over its ceiling',
    '[{ autosuspend: { ceiling: 30s } }]',
    'policies[0].autosuspend.ceiling: expected at least autosuspend.floor',
  ],
  [
    'with a wake cost without unit',
    '[{ autosuspend: { wake_cost: 300 } }]',
    'policies[0].autosuspend.wake_cost: expected a length of time such as 5m, or money: { money: 0.002 }',
  ],
  [
    'with a wake cost of two days',
    '[{ autosuspend: { wake_cost: 2d } }]',
    'policies[0].autosuspend.wake_cost: expected a length of time of 1s to 1d',
  ],
  [
    'with a wake that costs nothing',
    '[{ autosuspend: { wake_cost: { money: 0 } } }]',
    'policies[0].autosuspend.wake_cost.money: expected an amount above 0',
  ],
  [
    'with a wake that costs less than nothing',
    '[{ autosuspend: { wake_cost: { money: -1 } } }]',
    'policies[0].autosuspend.wake_cost.money: expected an amount of at least 0 with at most 6 decimals, such as 0.106',
  ],
  [
    'with another key of money',
    '[{ autosuspend: { wake_cost: { money: 1, mony: 1 } } }]',
    'policies[0].autosuspend.wake_cost.mony: unknown key, did you mean money?',
  ],
  [
    'with a size between steps',
    '[{ sizing: { min: 0.3 } }]',
    'policies[0].sizing.min: expected a size of 0.25 to 56 CU in steps of 0.25',
  ],
  [
    'with a minimum over its maximum',
    '[{ sizing: { min: 4, max: 2 } }]',
    'policies[0].sizing.min: expected at most sizing.max',
  ],
  [
    'with a hit ratio in percent',
    '[{ sizing: { hit_ratio: 99 } }]',
    'policies[0].sizing.hit_ratio: expected a share from 0 to 0.999',
  ],
  [
    'with an unknown kind',
    '[{ recommend: [delays] }]',
    `policies[0].recommend: expected off or a list of ${KINDS}`,
  ],
  ['with another word', '[{ recommend: all }]', `policies[0].recommend: expected off or a list of ${KINDS}`],
  [
    'with a misspelt key',
    '[{ autosuspend: { wakecost: 5m } }]',
    'policies[0].autosuspend.wakecost: unknown key, did you mean wake_cost?',
  ],
])('a policy %s is refused', (_, text, problem) => {
  expect(problemsOf(`${GOOD}policies: ${text}\n`)).toEqual([expect.stringContaining(problem)])
})

test.each([
  ['min_history: 0s', 'advice.min_history: expected a length of time of 1s to 28d'],
  ['min_gaps: 0', 'advice.min_gaps: expected a whole number from 1 to 10000'],
  ['min_peaks: 60d', 'advice.min_peaks: expected a length of time of 1s to 28d'],
  ['grid: 2h', 'advice.grid: expected a length of time of 1s to 1h'],
])('evidence of %s is refused', (text, problem) => {
  expect(problemsOf(`${GOOD}advice: { ${text} }\n`)).toEqual([problem])
})
