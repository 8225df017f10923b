import { describe, expect, test } from 'vitest'
import { createDueBySaturation, dueAfter, findDue } from '../../../src/daemon/advice/due.ts'
import { createPace } from '../../../src/daemon/advice/adviser.ts'
import type { ComputeEntry } from '../../../src/model/ledger/ledger.ts'
import type { ComputeAdvice, Withheld } from '../../../src/model/policy/recommendation.ts'
import { computeKey } from '../../../src/model/service/compute.ts'
import { micros, seconds, type Instant } from '../../../src/model/units.ts'
import { newComputeEntry } from '../../../src/ledger/apply-facts.ts'
import { at, ledger, look } from '../../support/build.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { NO_HISTORY } from '../../support/no-history.ts'
import { withheld } from '../../support/recommendations.ts'
import { refOf } from '../../store/build.ts'

const HOUR = 3600
const DAY = 24 * HOUR

const advice = (when: number, ...reasons: readonly Withheld[]): ComputeAdvice => ({
  ref: refOf('ep-one'),
  evaluatedAt: at(when),
  withheld: reasons,
  made: {},
})

test.each<readonly [string, ComputeAdvice | undefined, Instant | undefined]>([
  ['never evaluated', undefined, undefined],
  ['evaluated', advice(0), at(DAY)],
  ['an answer is due within the day', advice(0, withheld({ until: at(HOUR) })), at(HOUR)],
  ['an answer is due later', advice(0, withheld({ until: at(5 * DAY) })), at(DAY)],
  ['an answer was due before', advice(0, withheld({ until: at(-HOUR) })), at(DAY)],
  ['waiting changes nothing', advice(0, withheld({ until: undefined })), at(DAY)],
])('%s: due again at', (_, row, expected) => {
  expect(dueAfter(row, { minHistory: seconds(3 * DAY) })).toEqual(expected)
})

test('a saturated compute is due after a quarter of an hour, and at most once an hour', () => {
  const dueOf = createDueBySaturation()
  const minutes = Array.from({ length: 30 }, (_, step) => 5 * step)
  const due = minutes.filter((minute) => dueOf(['one'], at(60 * minute)).length > 0)
  expect(due).toEqual([10, 70, 130])
  expect(dueOf(['other', 'other'], at(0))).toEqual([])
})

const entryOf = (endpointId: string, spend: number, deletedAt?: Instant) => {
  const entry = newComputeEntry(refOf(endpointId), look(0), false)
  return { ...entry, deletedAt, counters: { ...entry.counters, spend: micros(spend) } }
}

const scanned = (
  rows: readonly ComputeAdvice[],
  entries: readonly ReturnType<typeof entryOf>[],
  needsOf: Parameters<typeof findDue>[1]['needsOf'] = () => ({ minHistory: seconds(3 * DAY) }),
) =>
  findDue(
    { ...ledger(), computes: new Map(entries.map((entry) => [computeKey(entry.ref), entry])) },
    {
      // oxlint-disable-next-line typescript/require-await -- the port streams
      history: {
        ...NO_HISTORY,
        advice: async function* () {
          yield* rows
        },
      },
      clock: fakeClock(),
      needsOf,
      now: at(2 * DAY),
    },
  )

const needsByCompute = ({ ref }: ComputeEntry) => ({
  minHistory: seconds(ref.endpointId === 'ep-b' ? 60 : 3 * DAY),
})

describe('a scan', () => {
  test('finds computes without an evaluation, dearest first, and none that is deleted', async () => {
    const entries = [entryOf('ep-cheap', 1), entryOf('ep-dear', 9), entryOf('ep-deleted', 5, at(0))]
    expect(await scanned([], entries)).toEqual({
      keys: [computeKey(refOf('ep-dear')), computeKey(refOf('ep-cheap'))],
      nextAt: undefined,
    })
  })

  test('knows when the next of the others is due', async () => {
    const rows = [
      { ...advice(1.5 * DAY), ref: refOf('ep-a') },
      { ...advice(DAY), ref: refOf('ep-b') },
      { ...advice(1.25 * DAY), ref: refOf('ep-c') },
    ]
    expect(
      await scanned(
        rows,
        rows.map(({ ref }) => entryOf(ref.endpointId, 1)),
      ),
    ).toEqual({
      keys: [computeKey(refOf('ep-b'))],
      nextAt: at(2.25 * DAY),
    })
  })

  test('goes by what each compute needs', async () => {
    const rows = ['ep-a', 'ep-b'].map((endpointId) => ({ ...advice(1.5 * DAY), ref: refOf(endpointId) }))
    const entries = rows.map(({ ref }) => entryOf(ref.endpointId, 1))
    expect((await scanned(rows, entries, needsByCompute)).keys).toEqual([computeKey(refOf('ep-b'))])
  })
})

test('a pace lets two seconds of work pass at once, and afterwards its share of a core', async () => {
  let elapsed = 0
  const sleeps: number[] = []
  const clock = {
    monotonic: () => seconds(elapsed),
    sleep: (span: number) => {
      sleeps.push(Math.round(span))
      elapsed += span
      return Promise.resolve()
    },
  }
  const work = () => {
    elapsed += 1
    return Promise.resolve()
  }
  const pace = createPace(clock, 0.01)
  const { signal } = new AbortController()
  for (let step = 0; step < 5; step += 1)
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await pace.run(work, signal)
  // what was earned while the first ones ran
  expect(sleeps).toEqual([98, 99, 99])
})
