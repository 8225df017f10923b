import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ChangeBaseline, Judgement } from '../../src/model/policy/change.ts'
import { cu, instant, ratio, seconds, type Bytes, type Instant } from '../../src/model/units.ts'
import { judge, type ComputeReading, type JudgeInput, type Verdict } from '../../src/verify/judge.ts'
import { at } from '../support/build.ts'

const SINCE = at(0)
const LOOKED_AT = at(3700)
const NOW = at(3710)
const bytes = (value: number) => value as Bytes
const gib = (count: number) => bytes(count * 2 ** 30)

const BASELINE: ChangeBaseline = {
  hitRatio: ratio(0.99),
  cacheUsed: gib(1),
  isAtLimit: false,
  isReadable: true,
  restarts: 4,
}
const JUDGEMENT: Judgement = { good: 2, bad: 1, lookedAt: at(60), restarts: 5 }

/** An hour after a start with an empty cache, a tenth of a point under the hit ratio before. */
const READ: NonNullable<ComputeReading['read']> = {
  at: LOOKED_AT,
  upFor: seconds(3600),
  cacheUsed: gib(0.5),
  accesses: { hits: 9890, all: 10_000 },
  connections: 10,
  load: 0.1,
}
type Given = Partial<Omit<JudgeInput, 'reading'>> &
  Readonly<{
    read?: Partial<typeof READ> | undefined
    reading?: Partial<ComputeReading>
  }>
const inputOf = ({ read = {}, reading, ...over }: Given): JudgeInput => ({
  judgement: JUDGEMENT,
  desired: { sizing: { fixed: cu(0.5) } },
  before: { sizing: { fixed: cu(1) } },
  since: SINCE,
  baseline: BASELINE,
  reading: {
    isAwake: true,
    read: { ...READ, ...read },
    atLimitAt: undefined,
    failures: 0,
    restarts: 5,
    ...reading,
  },
  expectedConnections: 10,
  warmUp: seconds(3600),
  ...over,
})

/** `good 3`, `bad 2`, `none`; else the verdict with its reason. */
function textOf(verdict: Verdict): string {
  if (verdict.verdict !== 'undecided')
    return `${verdict.verdict}${'isUrgent' in verdict && verdict.isUrgent ? ' at once' : ''}: ${verdict.because}`
  const { good, bad } = verdict.judgement
  if (verdict.judgement === JUDGEMENT) return 'none'
  return bad > JUDGEMENT.bad ? `bad ${bad}, good ${good}` : `good ${good}, bad ${bad}`
}

describe('a look', () => {
  test.each<[what: string, given: Given, result: string]>([
    ['as before', {}, 'good 3, bad 1'],
    ['2 points under the hit ratio', { read: { accesses: { hits: 9700, all: 10_000 } } }, 'good 3, bad 1'],
    ['2.1 points under it', { read: { accesses: { hits: 9690, all: 10_000 } } }, 'bad 2, good 0'],
    ['the same with 999 accesses', { read: { accesses: { hits: 0, all: 999 } } }, 'none'],
    ['a cold cache', { read: { upFor: seconds(3599), accesses: { hits: 0, all: 10_000 } } }, 'none'],
    [
      'a young server whose cache holds 80 % of what it did',
      { read: { upFor: seconds(60), cacheUsed: gib(0.8), accesses: { hits: 0, all: 10_000 } } },
      'bad 2, good 0',
    ],
    ['no two readings of one server', { read: { accesses: undefined } }, 'none'],
    ['a reading that counted', { read: { at: at(60) } }, 'none'],
    [
      'a reading from before',
      { judgement: { ...JUDGEMENT, lookedAt: undefined }, read: { at: at(0) } },
      'good 2, bad 1',
    ],
    ['no hit ratio before, and warm', { baseline: { ...BASELINE, hitRatio: undefined } }, 'good 3, bad 1'],
    [
      'no hit ratio before, and cold',
      { baseline: { ...BASELINE, hitRatio: undefined }, read: { upFor: seconds(60) } },
      'none',
    ],
    ['half of the connections', { read: { connections: 5 } }, 'good 3, bad 1'],
    ['fewer than half', { read: { connections: 4 } }, 'bad 2, good 0'],
    ['fewer than half of 3', { read: { connections: 0 }, expectedConnections: 3 }, 'good 3, bad 1'],
    ['nothing expected', { read: { connections: 0 }, expectedConnections: undefined }, 'good 3, bad 1'],
    [
      'fewer than half in the first ten minutes',
      { since: at(3200), read: { connections: 0 } },
      'good 3, bad 1',
    ],
    ['all connections used', { reading: { atLimitAt: LOOKED_AT } }, 'bad 2, good 0'],
    [
      'all connections used, as before',
      { reading: { atLimitAt: LOOKED_AT }, baseline: { ...BASELINE, isAtLimit: true } },
      'good 3, bad 1',
    ],
    ['another restart', { reading: { restarts: 6 } }, 'bad 2, good 0'],
    ['a load of 95 % of the smaller maximum', { read: { load: 0.475 } }, 'bad 2, good 0'],
    ['a load under it', { read: { load: 0.474 } }, 'good 3, bad 1'],
    [
      'a load at a larger maximum',
      { read: { load: 2 }, desired: { sizing: { fixed: cu(2) } } },
      'good 3, bad 1',
    ],
    [
      'three failures while awake',
      { reading: { failures: 3 } },
      'revert at once: the compute refused 3 readings in a row since',
    ],
    ['two failures', { reading: { failures: 2 } }, 'good 3, bad 1'],
    ['three failures while asleep', { reading: { failures: 3, isAwake: false } }, 'good 3, bad 1'],
    [
      'three failures where none succeeded before',
      { reading: { failures: 3 }, baseline: { ...BASELINE, isReadable: false } },
      'good 3, bad 1',
    ],
    [
      'the fifth good one',
      { judgement: { ...JUDGEMENT, good: 4 } },
      'keep: verified; 5 readings in a row showed nothing worse than before',
    ],
    [
      'the third bad one',
      { judgement: { ...JUDGEMENT, bad: 2 }, read: { accesses: { hits: 9000, all: 10_000 } } },
      'revert: the hit ratio of the file cache is 90.0 % and was 99.0 %',
    ],
  ])('%s: %s', (_, given, result) => {
    expect(textOf(judge(inputOf(given), NOW))).toBe(result)
  })
})

test('a bad look ends the row of good ones, and is not forgotten by good ones', () => {
  const bad = judge(inputOf({ reading: { restarts: 6 } }), NOW)
  expect(bad).toMatchObject({ judgement: { good: 0, bad: 2, lookedAt: LOOKED_AT, restarts: 6 } })
})

test.each([
  [7 * 86_400, 'undecided', { verdict: 'undecided' }],
  [7 * 86_400 + 1, 'kept, not judged', { verdict: 'keep', isJudged: false }],
])('after %i s without a look, or with readings of a cold cache alone: %s', (passed, _, verdict) => {
  const judgement = { ...JUDGEMENT, lookedAt: undefined }
  const cold = { at: at(passed - 10), upFor: seconds(600) }
  for (const given of [{ reading: { read: undefined } }, { read: cold }])
    expect(judge(inputOf({ judgement, ...given }), at(passed))).toMatchObject(verdict)
})

test('all connections in use before the change are nothing that it made worse', () => {
  const reading = { atLimitAt: LOOKED_AT, read: undefined }
  const before = { ...BASELINE, isAtLimit: true }
  expect(judge(inputOf({ reading }), NOW)).toMatchObject({ judgement: { bad: 2 } })
  expect(judge(inputOf({ reading, baseline: before }), NOW)).toMatchObject({ judgement: JUDGEMENT })
})

/** Looks in order: whether each is good. */
function verdictOf(looks: readonly boolean[]): Verdict['verdict'] {
  let judgement: Judgement = { good: 0, bad: 0, lookedAt: undefined, restarts: 5 }
  for (const [index, isGood] of looks.entries()) {
    const lookAt: Instant = instant(LOOKED_AT + index * 1000)
    const accesses = { hits: isGood ? 9900 : 9000, all: 10_000 }
    const given = judge(inputOf({ judgement, read: { at: lookAt, accesses } }), lookAt)
    if (given.verdict !== 'undecided') return given.verdict
    judgement = given.judgement
  }
  return 'undecided'
}

test('five good looks in a row keep, three bad ones before revert, whatever the order', () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { maxLength: 20 }), (looks) => {
      let [row, bad] = [0, 0]
      const first = looks.findIndex((isGood) => {
        row = isGood ? row + 1 : 0
        bad += isGood ? 0 : 1
        return row === 5 || bad === 3
      })
      const expected = first < 0 ? 'undecided' : looks[first] ? 'keep' : 'revert'
      expect(verdictOf(looks)).toBe(expected)
    }),
  )
})
