// When somebody else set a compute last, by its settings and by the changes that were sent to it.
import { expect, test } from 'vitest'
import { foreignSettingAt } from '../../src/apply/foreign-setting.ts'
import type { ObservedSetting } from '../../src/model/ledger/gap.ts'
import { cu, seconds } from '../../src/model/units.ts'
import { at } from '../support/build.ts'
import { CHANGED, changeOf } from '../support/changes.ts'

const HOUR = 3600
const set = (hours: number, delay: number, isOwnDelay?: true): ObservedSetting => ({
  ref: CHANGED,
  since: at(hours * HOUR),
  delay: seconds(delay),
  ...(isOwnDelay && { isOwnDelay }),
  sizing: { fixed: cu(1) },
})
const sent = (hours: number, delay: number, kind: 'delay' | 'defaults' = 'delay') =>
  changeOf({
    id: `ch-${hours}`,
    kind,
    before: {},
    desired: { autosuspendDelay: seconds(delay) },
    state: {
      at: 'done',
      because: 'verified',
      endedAt: at(hours * HOUR + 10),
      sent: { at: at(hours * HOUR), sessions: 0 },
    },
  })

/** A schedule sets 900 s from 9 to 12 and from 13 on; 300 s before and between. */
const CHANGES = [sent(9, 900), sent(12, 300), sent(13, 900)]
const SETTINGS = [set(0, 300), set(9.01, 900), set(12.01, 300), set(13.01, 900)]

test.each<
  readonly [string, readonly ObservedSetting[], readonly ReturnType<typeof sent>[], number | undefined]
>([
  ['only changes', SETTINGS, CHANGES, undefined],
  ['a value that no change ever set', [...SETTINGS, set(15, 240)], CHANGES, 15],
  ['a value that an earlier change had set', [...SETTINGS, set(15, 300)], CHANGES, 15],
  ['a default of the project', [set(0, 300), set(9.01, 60)], [sent(9, 60, 'defaults')], undefined],
  [
    'a default of the project, where the compute has a delay of its own',
    [set(0, 300), set(9.01, 60, true)],
    [sent(9, 60, 'defaults')],
    9.01,
  ],
  [
    'a default of the project after a change of the compute',
    [set(0, 300), set(9.01, 900, true), set(10.01, 60)],
    [sent(9, 900), sent(10, 60, 'defaults')],
    undefined,
  ],
])('%s', (_, settings, changes, hours) => {
  expect(foreignSettingAt(settings, changes)).toBe(hours === undefined ? undefined : at(hours * HOUR))
})
