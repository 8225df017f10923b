import { expect, test } from 'vitest'
import { barredUntil } from '../../src/decide/barred.ts'
import type { Change } from '../../src/model/policy/change.ts'
import { cu } from '../../src/model/units.ts'
import { at } from '../support/build.ts'
import { changeOf } from '../support/changes.ts'

const DAY = 86_400
const reverted = (day: number, fields: Partial<Change> = {}): Change =>
  changeOf({ state: { at: 'reverted', because: 'bad', endedAt: at(day * DAY) }, ...fields })
const small = { fixed: cu(0.25) }

test.each<[what: string, changes: readonly Change[], until: number | undefined]>([
  ['nothing was reverted', [changeOf({ state: { at: 'done', because: '', endedAt: at(0) } })], undefined],
  ['once: 7 days', [reverted(10)], 17],
  ['twice: 14 days after the last', [reverted(10), reverted(2)], 24],
  ['three times: 28 days', [reverted(1), reverted(2), reverted(10)], 38],
  ['over', [reverted(3)], undefined],
  ['another size', [reverted(10, { desired: { sizing: { fixed: cu(0.5) } } })], undefined],
  ['the same size as a range', [reverted(10, { desired: { sizing: { min: cu(0.25), max: cu(0.25) } } })], 17],
  ['a delay', [reverted(10, { desired: {} })], undefined],
])('%s', (_, changes, until) => {
  expect(barredUntil(small, changes, at(10 * DAY))).toBe(until === undefined ? undefined : at(until * DAY))
})
