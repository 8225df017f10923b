// Gaps over suspensions before they are settled: the same as those that are stored later.
import { expect, test } from 'vitest'
import { provisionalGaps } from '../../../src/ledger/gaps/suspension-gaps.ts'
import { MIN_GAP, type Gap } from '../../../src/model/ledger/gap.ts'
import type { Ledger } from '../../../src/model/ledger/ledger.ts'
import type { Compute } from '../../../src/model/service/compute.ts'
import type { Operation } from '../../../src/model/service/operation.ts'
import { SECOND, seconds } from '../../../src/model/units.ts'
import { accounted } from '../../support/accounted.ts'
import { at, ledger, look, operation, sweep } from '../../support/build.ts'
import { context, one } from '../folded.ts'

const DELAY = 300

/** First and last activity of a client in each time of use, seconds; the compute sleeps `DELAY` after the last one. */
type Life = readonly (readonly [from: number, to: number])[]

function recordAt(life: Life, when: number): Partial<Compute> {
  const use = life.findLast(([from]) => from <= when)
  if (!use) return { state: 'idle' }
  const [from, to] = use
  const suspendedAt = to + DELAY
  const common = { autosuspendDelay: seconds(DELAY), startedAt: at(from), lastActive: at(Math.min(to, when)) }
  return when < suspendedAt
    ? { ...common, state: 'active', updatedAt: at(from) }
    : { ...common, state: 'idle', suspendedAt: at(suspendedAt), updatedAt: at(suspendedAt) }
}

type Shown = readonly [from: number, low: number, high: number, hiddenBelow: number]
const shown = ({ from, low, high, hiddenBelow }: Omit<Gap, 'ref'>): Shown => [
  (from - at(0)) / SECOND,
  low,
  high,
  hiddenBelow,
]

/** A look every minute for `hours`, with the operations since the one before: what is known after each, and the gaps stored until then. */
function followed(
  recordOf: (when: number) => Partial<Compute>,
  hours: number,
  operations: readonly Operation[] = [],
) {
  let known: Ledger = ledger()
  const stored: Shown[] = []
  const after: {
    when: number
    provisional: readonly Shown[]
    newest: number | undefined
    stored: readonly Shown[]
  }[] = []
  for (let when = 0; when < hours * 3600; when += 60) {
    const listed = operations.filter(({ updatedAt }) => updatedAt <= at(when) && updatedAt > at(when - 60))
    const seen = sweep(when, { looks: [look(when, recordOf(when))], operations: listed })
    const next = accounted(known, seen, context(when))
    known = next.ledger
    stored.push(...next.rows.gaps.map(shown))
    const entry = one(known)
    const { autosuspendDelay: delay = seconds(DELAY) } = entry.compute
    const { ended, newest } = provisionalGaps(entry, { delay, minGap: MIN_GAP, now: at(when) })
    after.push({
      when,
      provisional: ended.map(shown),
      newest: newest && (newest - at(0)) / SECOND,
      stored: [...stored],
    })
  }
  return after
}

test('a gap that a wake ended is known at the next look, and is stored later as it was known', () => {
  const life: Life = [
    [1140, 1200],
    [18_000, 18_300],
    [19_000, 19_060],
  ]
  const after = followed((when) => recordAt(life, when), 8)
  const provisionalAt = (when: number) => after.find((seen) => seen.when === when)?.provisional
  const final = after.at(-1)
  expect(final?.provisional).toEqual([])
  const [first, second] = final?.stored ?? []
  expect(final?.stored).toEqual([first, second])
  // a client came some seconds before the start that it caused
  expect(first).toEqual([1200, 16_796, 16_801, 0])
  expect(second).toEqual([18_300, 696, 702, 0])
  expect(provisionalAt(17_940)).toEqual([])
  expect(provisionalAt(18_060)).toEqual([first])
  expect(provisionalAt(19_080)).toEqual([first, second])
  for (const { provisional, stored } of after) {
    const both = [...stored, ...provisional]
    expect(new Set(both.map(String)).size, 'none is in both').toBe(both.length)
  }
})

test('a delay that suspends an idle compute at once ends no gap', () => {
  const [used, set, woken] = [600, 6 * 3600 + 30, 8 * 3600]
  const startedAt = at(-60)
  const after = followed((when) => {
    if (when < set)
      return { state: 'active', autosuspendDelay: 'never', startedAt, lastActive: at(Math.min(when, used)) }
    const record = { autosuspendDelay: seconds(60), suspendedAt: at(set), updatedAt: at(set) }
    return when < woken
      ? { ...record, state: 'idle', startedAt, lastActive: at(used) }
      : { ...record, state: 'active', startedAt: at(woken), lastActive: at(when), updatedAt: at(woken) }
  }, 10)
  const newestAt = (when: number) => after.find((seen) => seen.when === when)?.newest
  expect(newestAt(6 * 3600)).toBe(used)
  // before the suspension is settled, and after
  expect(newestAt(6 * 3600 + 60)).toBe(used)
  expect(newestAt(7 * 3600 + 1800)).toBe(used)
  const [gap, ...others] = after.at(-1)?.stored ?? []
  expect(others).toEqual([])
  expect(gap).toEqual([used, woken - used - 4, woken - used + 1, 0])
})

const RESTART = 2 * 3600 + 30
const STARTED = RESTART + 4

/** Of a restart by a change of the size. */
const RESTARTED = [
  operation('apply_config', RESTART - 1),
  operation('suspend_compute', RESTART - 1, { updatedAt: at(RESTART) }),
  operation('start_compute', RESTART, { updatedAt: at(STARTED) }),
]

test.each<readonly [string, Partial<Compute>, Partial<Compute>, readonly Operation[]]>([
  [
    'records that date both',
    { startedAt: at(-60) },
    { startedAt: at(STARTED), suspendedAt: at(RESTART) },
    RESTARTED,
  ],
  [
    'records that date both, without operations',
    { startedAt: at(-60) },
    { startedAt: at(STARTED), suspendedAt: at(RESTART) },
    [],
  ],
  ['records that date starts', { startedAt: at(-60) }, { startedAt: at(STARTED) }, RESTARTED],
  ['records without dates', { startedAt: undefined }, { startedAt: undefined }, RESTARTED],
])(
  'a restart in a silence ends no gap, and the gap is found once: %s',
  (_, before, restarted, operations) => {
    const [used, back] = [600, 5 * 3600]
    const after = followed(
      (when) => ({
        state: 'active',
        autosuspendDelay: 'never',
        lastActive: at(when < back ? Math.min(when, used) : back),
        ...(when < STARTED ? before : restarted),
        updatedAt: at(when < STARTED ? -60 : STARTED),
      }),
      8,
      operations,
    )
    const knownAt = (when: number) => after.find((seen) => seen.when === when)
    for (const when of [RESTART + 150, RESTART + 3630, back - 60])
      expect(knownAt(when)).toMatchObject({ newest: used, stored: [], provisional: [] })
    const { stored = [], provisional = [] } = knownAt(back) ?? {}
    const [gap, ...others] = [...stored, ...provisional]
    expect(others).toEqual([])
    expect(gap).toEqual([used, expect.any(Number), back - used + 1, 0])
    expect(gap?.[1], 'the look before, and the lag').toBeGreaterThan(back - used - 125)
    expect(after.at(-1)).toMatchObject({ newest: back, stored: [gap], provisional: [] })
  },
)

test.each([
  ['another one changed the settings', 'apply_config'],
  ['the service checked it', 'check_availability'],
])('a start because %s ends no gap, long after its operation is settled', (_, action) => {
  const [used, suspended, set, back] = [600, 901, 3610, 8 * 3600]
  const after = followed(
    (when) => {
      const record = { startedAt: at(-60), lastActive: at(Math.min(when, used)), updatedAt: at(-60) }
      if (when < suspended) return { ...record, state: 'active', autosuspendDelay: seconds(DELAY) }
      const asleep = { suspendedAt: at(suspended), updatedAt: at(suspended) }
      if (when < set + 2) return { ...record, ...asleep, state: 'idle', autosuspendDelay: seconds(DELAY) }
      const lastActive = at(when < back ? used : back)
      const woken = { startedAt: at(set + 2), updatedAt: at(set + 2), lastActive }
      return { ...asleep, ...woken, state: 'active', autosuspendDelay: 'never' }
    },
    10,
    [
      operation('suspend_compute', 900, { updatedAt: at(suspended) }),
      operation(action, set, { updatedAt: at(set + 1) }),
      operation('start_compute', set, { updatedAt: at(set + 2) }),
    ],
  )
  const known = after.find(({ when }) => when === back)
  expect([...(known?.stored ?? []), ...(known?.provisional ?? [])]).toEqual([
    [used, back - used - 61, back - used + 1, 0],
  ])
})
