import { describe, expect, test } from 'vitest'
import {
  foreignChanges,
  isSeenSince,
  theirsText,
  type WatchedCompute,
} from '../../src/apply/foreign-changes.ts'
import type { ObservedSetting } from '../../src/model/ledger/gap.ts'
import type { Change, ChangeSettings, ChangeState } from '../../src/model/policy/change.ts'
import type { Compute } from '../../src/model/service/compute.ts'
import { cu, seconds } from '../../src/model/units.ts'
import { at, compute } from '../support/build.ts'
import { CHANGED, changeOf } from '../support/changes.ts'
import { applyingOf } from './build.ts'

const size = (one: number): ChangeSettings => ({ sizing: { fixed: cu(one) } })
const delay = (one: number): ChangeSettings => ({ autosuspendDelay: seconds(one) })
const sent = (when: number) => ({ at: at(when), sessions: 0 })
const ended = (state: 'done' | 'superseded' | 'failed', when: number, endedAt = when + 10): ChangeState => ({
  at: state,
  because: '',
  endedAt: at(endedAt),
  sent: sent(when),
})

/** From 300 s to 60 s, sent at second 100, done at 110. */
const change = (over: Partial<Change> = {}): Change =>
  changeOf({
    id: 'ours',
    kind: 'delay',
    desired: delay(60),
    before: delay(300),
    state: ended('done', 100),
    ...over,
  })
const setting = (since: number, delaySeconds: number, cus = 1): ObservedSetting => ({
  ref: CHANGED,
  since: at(since),
  delay: seconds(delaySeconds),
  sizing: { fixed: cu(cus) },
})
const watched = (over: Partial<WatchedCompute> = {}, shown: Partial<Compute> = {}): WatchedCompute => ({
  compute: compute({ autosuspendDelay: seconds(60), sizing: { fixed: cu(1) }, ...shown }),
  defaultDelay: seconds(300),
  changes: [change()],
  settings: [setting(0, 300), setting(120, 60)],
  seenAt: at(1000),
  ...over,
})

/** Change, second, value, whether it is there now. */
const found = (given: WatchedCompute) =>
  foreignChanges(given).map((one) => [
    one.overwritten.id,
    (one.at - at(0)) / 1000,
    theirsText(one),
    one.isStanding,
  ])

const LATER = { id: 'next', createdAt: at(400), state: ended('done', 410) } as const

describe('a value of a change that somebody overwrote', () => {
  test.each<[string, WatchedCompute, readonly unknown[]]>([
    ['is none where the compute has it', watched(), []],
    [
      'is found by the look, though no pass saw the value itself',
      watched({ settings: [setting(0, 300)] }, { autosuspendDelay: seconds(300) }),
      [['ours', 1000, 'a delay of 300 s', true]],
    ],
    [
      'is dated by the first row with another one',
      watched(
        { settings: [setting(0, 300), setting(120, 60), setting(500, 90), setting(700, 120)] },
        { autosuspendDelay: seconds(120) },
      ),
      [['ours', 500, 'a delay of 90 s', true]],
    ],
    [
      'is found though it was set back',
      watched({ settings: [setting(0, 300), setting(120, 60), setting(500, 90), setting(700, 60)] }),
      [['ours', 500, 'a delay of 90 s', false]],
    ],
    [
      'is not that of a look that may have been asked for before',
      watched({ settings: [setting(0, 300)], seenAt: at(120) }, { autosuspendDelay: seconds(300) }),
      [],
    ],
    ['is not another field', watched({}, { sizing: { fixed: cu(4) } }), []],
    [
      'is the default, in effect',
      watched({ changes: [change({ desired: delay(0) })] }, { autosuspendDelay: undefined }),
      [],
    ],
    [
      'is found where the next change began from another one',
      watched({ changes: [change(), change({ ...LATER, before: delay(300), desired: delay(60) })] }),
      [['ours', 400, 'a delay of 300 s', false]],
    ],
    [
      'is none where the next change began from it, whoever asked for that',
      watched(
        { changes: [change(), change({ ...LATER, before: delay(60), desired: delay(900) })] },
        { autosuspendDelay: seconds(900) },
      ),
      [],
    ],
    [
      'is none where a row shows what the next change set',
      watched(
        {
          changes: [change(), change({ ...LATER, before: delay(60), desired: delay(900) })],
          settings: [setting(0, 300), setting(120, 60), setting(415, 900)],
        },
        { autosuspendDelay: seconds(900) },
      ),
      [],
    ],
    [
      'may be met while it was verified',
      watched(
        { changes: [change({ state: ended('superseded', 100, 150) })] },
        { autosuspendDelay: seconds(90) },
      ),
      [['ours', 150, 'a delay of 90 s', true]],
    ],
    [
      'is none where it was superseded by a later change of ours',
      watched(
        {
          changes: [
            change({ state: ended('superseded', 100, 420) }),
            change({ ...LATER, before: delay(60), desired: delay(900) }),
          ],
        },
        { autosuspendDelay: seconds(900) },
      ),
      [],
    ],
    [
      'is none of a change that failed',
      watched({ changes: [change({ state: ended('failed', 100) })] }, { autosuspendDelay: seconds(300) }),
      [],
    ],
    [
      'is none of a change under way',
      watched({ changes: [change({ state: applyingOf() })] }, { autosuspendDelay: seconds(300) }),
      [],
    ],
    [
      'is none where nothing was sent',
      watched(
        { changes: [change({ state: { at: 'superseded', because: '', endedAt: at(200) } })] },
        { autosuspendDelay: seconds(300) },
      ),
      [],
    ],
    [
      'is none of a restart',
      watched(
        { changes: [change({ kind: 'restart', desired: {}, before: {} })] },
        { autosuspendDelay: seconds(300) },
      ),
      [],
    ],
  ])('%s', (_, given, expected) => {
    expect(found(given)).toEqual(expected)
  })

  test('is one for each change, in order of time', () => {
    const changes = [
      change({ id: 'third', createdAt: at(600), before: delay(300), state: ended('done', 610) }),
      change({ id: 'first' }),
      change({ id: 'second', createdAt: at(300), before: delay(300), state: ended('done', 310) }),
      changeOf({ id: 'size', desired: size(2), state: ended('done', 200) }),
    ]
    const given = watched(
      { changes, settings: [] },
      { autosuspendDelay: seconds(300), sizing: { fixed: cu(2) } },
    )
    expect(found(given).map(([id, when, , isStanding]) => [id, when, isStanding])).toEqual([
      ['first', 300, false],
      ['second', 600, false],
      ['third', 1000, true],
    ])
  })
})

test('a look shows what followed the newest change some time after it', () => {
  expect(isSeenSince(watched({ seenAt: at(124) }))).toBe(false)
  expect(isSeenSince(watched({ seenAt: at(126) }))).toBe(true)
  expect(isSeenSince(watched({ changes: [], seenAt: at(0) }))).toBe(true)
})
