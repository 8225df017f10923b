import { expect, test } from 'vitest'
import { nextLookAfter } from '../../../src/daemon/changes/holds.ts'
import type { HoldReason } from '../../../src/model/policy/hold.ts'
import { at } from '../../support/build.ts'

/** Seconds until a change is looked at again that is held until as many seconds from now. */
const wait = (because: HoldReason, until: number | undefined) =>
  (nextLookAfter({ because, until: until === undefined ? undefined : at(until) }, at(0)) - at(0)) / 1000

test.each<[because: HoldReason, until: number | undefined, expected: number]>([
  ['awake', undefined, 10],
  ['unverified', 300, 2],
  ['settle', 120, 10],
  ['settle', 4, 4],
  // only time ends these
  ['retry', 300, 300],
  ['delay-pace', 3600, 3600],
  // only time, a command or a reload, and these wake the loop
  ['hold', 86_400, 60],
  ['freeze', 86_400, 60],
  ['outside-window', 30, 30],
  ['fleet-pace', 3600, 60],
  // other changes end it
  ['fleet-pace', undefined, 10],
  // a time that has come makes no busy loop
  ['hold', 0, 1],
])('%s until %s s: after %i s', (because, until, expected) => {
  expect(wait(because, until)).toBe(expected)
})
