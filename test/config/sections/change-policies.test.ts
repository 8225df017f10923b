// Policies that make changes: their mode, levers and restart rules.
import { describe, expect, test } from 'vitest'
import { GOOD, problemsOf } from '../loading.ts'
import { loadPolicies, policyTarget } from './loaded-policies.ts'

describe('changes that a policy makes', () => {
  const NIGHT =
    'windows: { night: "22:00-06:00", office: "Mon-Fri 08:00-19:00", break: "12:00-12:10", once: { from: "2020-01-01T00:00", to: "2020-01-01T01:00" } }\n'
  const changesOf = (text: string, mode = 'suggest') =>
    loadPolicies(`${GOOD}mode: ${mode}\n${NIGHT}policies:\n${text}\n`)
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
    expect(changesOf('  []').changesOf(policyTarget('ep-x'))).toEqual(none)
    const policies = changesOf(`
  - { match: { project: "sh*" }, levers: [delay, sizing] }
  - { match: { compute: ep-a }, mode: apply }
  - { match: { compute: ep-b }, levers: [] }`)
    expect(policies.changesOf(policyTarget('ep-x'))).toEqual({
      ...none,
      levers: ['delay', 'sizing'],
      path: 'policies[0]',
      line: LINE,
    })
    expect(policies.changesOf(policyTarget('ep-a'))).toEqual({
      ...none,
      mode: 'apply',
      levers: ['delay', 'sizing'],
      path: 'policies[0]',
      line: LINE,
    })
    expect(policies.changesOf(policyTarget('ep-b'))).toEqual({ ...none, path: 'policies[2]', line: LINE + 2 })
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
    expect(policies.changesOf(policyTarget('ep-x')).mode).toBe(mode)
  })

  test('restart a compute when it says so', () => {
    const policies = changesOf(
      '  - { restart: { when: [window], windows: [night], deny: [office], close_early: 0s, max_wait: 7d } }',
    )
    expect(policies.changesOf(policyTarget('ep-x')).restart).toEqual({
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
