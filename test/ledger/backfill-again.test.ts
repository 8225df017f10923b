// A long list of operations of a compute that is known already.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ComputeEntry, Ledger } from '../../src/model/ledger/ledger.ts'
import type { Operation } from '../../src/model/service/operation.ts'
import type { Instant } from '../../src/model/units.ts'
import { accounted, type Accounted } from '../support/accounted.ts'
import { at, ledger, look, operation, prices, sweep } from '../support/build.ts'
import { check } from '../support/property.ts'

const HOUR = 3600

/** Seconds after the start. */
type Awake = { readonly from: number; readonly to: number }

/** Five minutes awake of every ten. */
const uses = (count: number): readonly Awake[] =>
  Array.from({ length: count }, (_, index) => ({ from: HOUR + index * 600, to: HOUR + index * 600 + 300 }))

const operationsOf = (history: readonly Awake[]): Operation[] =>
  history.flatMap(({ from, to }) => [operation('start_compute', from), operation('suspend_compute', to)])

const endOf = (history: readonly Awake[]): number => history.at(-1)?.to ?? 0

/** A sweep that finds the compute asleep, some time after all of `history`, and reads `operations`. */
function seen(
  before: Ledger,
  when: number,
  { history, operations }: { readonly history: readonly Awake[]; readonly operations: readonly Operation[] },
) {
  const last = history.findLast(({ to }) => to <= when)
  const record = last
    ? {
        startedAt: at(last.from),
        suspendedAt: at(last.to),
        lastActive: at(Math.max(last.from, last.to - 300)),
      }
    : {}
  const listed = [{ projectId: 'project-one', answeredAt: at(when), endpointIds: ['ep-one'] }]
  return {
    before,
    swept: sweep(when, { looks: [look(when, record)], listedComputes: listed, operations }),
    context: { prices, overhead: 0.01, now: at(when) },
  }
}

const foldedIn = ({ before, swept, context }: ReturnType<typeof seen>): Accounted =>
  accounted(before, swept, context)

const only = ({ ledger: { computes } }: Accounted): ComputeEntry => {
  const [found] = computes.values()
  if (!found) throw new Error('the look makes an account')
  return found
}

/** How often a fold asks `operations` for their times. */
function timesRead(
  operations: readonly Operation[],
  fold: (watched: readonly Operation[]) => unknown,
): number {
  let reads = 0
  const counted = (value: Instant): Instant => {
    reads += 1
    return value
  }
  fold(
    operations.map(({ createdAt, updatedAt, ...one }) =>
      Object.defineProperties(one as Operation, {
        createdAt: { enumerable: true, get: () => counted(createdAt) },
        updatedAt: { enumerable: true, get: () => counted(updatedAt) },
      }),
    ),
  )
  return reads
}

/** The history of a compute is read again, because another appeared in its project. */
function readAgain(count: number): number {
  const history = uses(count)
  const operations = operationsOf(history)
  const end = endOf(history) + HOUR
  const known = foldedIn(seen(ledger(), end, { history, operations })).ledger
  return timesRead(operations, (watched) =>
    foldedIn(seen(known, end + HOUR, { history, operations: watched })),
  )
}

test('what is settled costs a fold no more than a glance at each operation', () => {
  const few = readAgain(100)
  expect(readAgain(800)).toBeLessThanOrEqual(8 * few)
})

test('a known compute comes to the same totals as one that is seen for the first time, each day told in its next version', () => {
  const lengths = fc.array(
    fc.tuple(fc.integer({ min: 5, max: 60_000 }), fc.integer({ min: 61, max: 20_000 })),
    { minLength: 25, maxLength: 90 },
  )
  check(
    fc.property(lengths, fc.nat(100), (drawn, share) => {
      let time = 2 * HOUR
      const history = drawn.map(([asleep, awake]): Awake => {
        const from = time + asleep
        time = from + awake
        return { from, to: time }
      })
      const operations = operationsOf(history)
      const place = Math.floor((share * (history.length - 1)) / 100)
      // asleep then, and for long enough to be seen
      const middle = Math.ceil(((history[place]?.to ?? 0) + (history[place + 1]?.from ?? 0)) / 2)
      const end = time + HOUR
      const before = operations.filter(({ updatedAt }) => updatedAt <= at(middle))
      const earlier = foldedIn(seen(ledger(), middle, { history, operations: before }))
      const later = foldedIn(seen(earlier.ledger, end, { history, operations }))
      const atOnce = foldedIn(seen(ledger(), end, { history, operations }))
      const truth = history.reduce((sum, { from, to }) => sum + to - from, 0) * 1000
      const { totals, counters } = only(later)
      expect(totals.awake.likely).toBe(truth)
      expect(totals.awake.low).toBeLessThanOrEqual(truth)
      expect(totals.awake.high).toBeGreaterThanOrEqual(truth)
      expect([totals.wakes, totals.suspends]).toEqual([history.length, history.length])
      expect(counters.wakes).toBe(history.length)
      expect(daysOf(earlier, later)).toEqual(daysOf(atOnce))
      for (const { date, to, version } of later.days) {
        const told = earlier.days.find((day) => day.date === date)?.version ?? 0
        expect(version).toBe(to > at(end) ? 0 : told + 1)
      }
    }),
  )
})

/** Date → likely awake time, as it was told last. */
const daysOf = (...told: readonly Accounted[]): ReadonlyMap<string, number> =>
  new Map(told.flatMap(({ days }) => days.map(({ date, awake }) => [date, awake.likely] as const)))

test.each([
  ['a minute', 60],
  ['seven hours', 7 * HOUR],
])(
  'operations that come when the looks are known already are folded beside what those showed, %s after the last suspension',
  (_, asleep) => {
    const history = uses(200)
    const none = { history, operations: [] }
    const end = endOf(history) + asleep
    const unread = { ...seen(ledger(), end, none).swept, operationsReadOf: [] }
    const context = { prices, overhead: 0.01, now: at(end) }
    const known = accounted(ledger(), unread, context).ledger
    const found = foldedIn(seen(known, end + 600, { history, operations: operationsOf(history) }))
    const { totals } = only(found)
    expect(totals.wakes).toBe(history.length)
    expect(totals.awake.likely).toBe(history.length * 300_000)
    const dated = found.events.map((event) =>
      'occurredAt' in event ? [event.kind, event.occurredAt] : event,
    )
    expect(dated).toEqual([
      ['wake', at(endOf(history) - 300)],
      ['suspend', at(endOf(history))],
    ])
  },
)
