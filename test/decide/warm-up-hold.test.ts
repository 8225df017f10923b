import { expect, test } from 'vitest'
import { createWindow, type Window } from '../../src/calendar/window.ts'
import { warmUpHold, type WarmUpHoldTerms } from '../../src/decide/warm-up-hold.ts'
import type { Hold } from '../../src/model/policy/hold.ts'
import { at } from '../support/build.ts'
import { placedHold } from '../support/placed-holds.ts'

/** Open for an hour from `from` on, seconds. */
const windowFrom = (from: number): Window =>
  createWindow([{ kind: 'once', from: at(from), to: at(from + 3600) }])

const FREE: WarmUpHoldTerms = {
  freezes: [],
  holds: [],
  isClockSteady: true,
  isKilled: false,
  isKeyRefused: false,
  isAllowed: true,
  window: undefined,
  isNearlySpent: false,
}
const ALL: WarmUpHoldTerms = {
  freezes: [['release', windowFrom(0)]],
  holds: [placedHold()],
  isClockSteady: false,
  isKilled: true,
  isKeyRefused: true,
  isAllowed: false,
  window: ['office', windowFrom(7200)],
  isNearlySpent: true,
}
const OPEN = ['office', windowFrom(0)] as const

test.each<[string, WarmUpHoldTerms, Hold | undefined]>([
  ['nothing', FREE, undefined],
  ['nothing in its window', { ...FREE, window: OPEN }, undefined],
  ['the kill switch first', ALL, { because: 'kill-switch', until: undefined }],
  ['then the API key', { ...ALL, isKilled: false }, { because: 'key-refused', until: undefined }],
  [
    'then a freeze',
    { ...ALL, isKilled: false, isKeyRefused: false },
    { because: 'freeze', until: at(3600), detail: 'release' },
  ],
  [
    'then a person',
    {
      ...ALL,
      isKilled: false,
      isKeyRefused: false,
      isAllowed: true,
      freezes: [['release', windowFrom(9000)]],
    },
    { because: 'hold', until: at(3600), detail: 'hold-one of ann, the release' },
  ],
  [
    'then the policy',
    { ...ALL, isKilled: false, isKeyRefused: false, freezes: [], holds: [] },
    { because: 'policy', until: undefined },
  ],
  [
    'then the clock',
    { ...ALL, isKilled: false, isKeyRefused: false, isAllowed: true, freezes: [], holds: [] },
    { because: 'clock', until: undefined },
  ],
  [
    'then a window that is closed',
    { ...FREE, window: ['office', windowFrom(7200)], isNearlySpent: true },
    { because: 'outside-window', until: at(7200), detail: 'office' },
  ],
  [
    'a window that the file no longer has',
    { ...FREE, window: ['office', undefined] },
    { because: 'outside-window', until: undefined, detail: 'office' },
  ],
  ['then a budget', { ...FREE, window: OPEN, isNearlySpent: true }, { because: 'budget', until: undefined }],
])('%s holds a warm-up', (_, terms, expected) => {
  expect(warmUpHold(terms, at(60))).toEqual(expected)
})
