import type { AwakeRungs } from '../../src/model/policy/change-policy.ts'
import { describe, expect, test } from 'vitest'
import { awakeHold, type AwakeUse } from '../../src/apply/awake-rungs.ts'
import { seconds } from '../../src/model/units.ts'
import { at } from '../support/build.ts'

const END = 3600
const rungs = (over: Partial<AwakeRungs> = {}): AwakeRungs => ({
  quiet: true,
  lowestLoad: true,
  lastSafe: at(END),
  ...over,
})
const use = (over: Partial<AwakeUse> = {}): AwakeUse => ({
  isQuiet: false,
  load: { now: 2, low: 1 },
  longestTransaction: undefined,
  ...over,
})

describe('an awake compute', () => {
  test.each<
    [what: string, rungs: AwakeRungs | undefined, use: AwakeUse | undefined, now: number, hold: string]
  >([
    ['without a rung', undefined, use({ isQuiet: true }), 0, 'awake'],
    ['where nobody works', rungs(), use({ isQuiet: true }), 0, 'none'],
    ['where nobody works, by the load alone', rungs({ quiet: false }), use({ isQuiet: true }), 0, 'load'],
    ['where somebody works, with quiet alone', rungs({ lowestLoad: false }), use(), 0, 'not-quiet'],
    ['with quiet alone, at the last moment', rungs({ lowestLoad: false }), use(), END, 'not-quiet'],
    [
      'at a low load, with quiet alone',
      rungs({ lowestLoad: false }),
      use({ load: { now: 0, low: 1 } }),
      0,
      'not-quiet',
    ],
    ['at a load that is low', rungs(), use({ load: { now: 1, low: 1 } }), 0, 'none'],
    ['at a load that is not', rungs(), use({ load: { now: 1.1, low: 1 } }), 0, 'load'],
    ['at a load that nobody knows', rungs(), use({ load: undefined }), 0, 'load'],
    ['that nobody knows', rungs(), undefined, 0, 'load'],
    [
      'with a transaction of 59 s',
      rungs(),
      use({ load: { now: 0, low: 1 }, longestTransaction: seconds(59) }),
      0,
      'none',
    ],
    [
      'with a transaction of 60 s',
      rungs(),
      use({ load: { now: 0, low: 1 }, longestTransaction: seconds(60) }),
      0,
      'load',
    ],
    ['61 s before the last safe moment', rungs(), use(), END - 61, 'load'],
    ['a minute before it', rungs(), use(), END - 60, 'none'],
  ])('%s', (_, given, seen, now, hold) => {
    const until = given && at(END)
    expect(awakeHold(given, seen, at(now))).toEqual(hold === 'none' ? undefined : { because: hold, until })
  })
})
