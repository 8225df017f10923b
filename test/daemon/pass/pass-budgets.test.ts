import { expect, test } from 'vitest'
import { createBudgetScopes } from '../../../src/ledger/budgets/account-budgets.ts'
import { totalsWithAccrual } from '../../../src/ledger/settle/accrual.ts'
import { addCuTime, spendOf } from '../../../src/ledger/settle/cu-time.ts'
import { partsInside, partsOutside } from '../../../src/calendar/window.ts'
import type { Budget, BudgetView } from '../../../src/model/policy/budget.ts'
import { addBounds, type CuTimeByPrice } from '../../../src/model/ledger/quantities.ts'
import type { Rows } from '../../support/writes.ts'
import { instant, micros, type Instant, type Interval } from '../../../src/model/units.ts'
import { budgetOf, money } from '../../ledger/budgets/build.ts'
import { weekly, windowOf } from '../../calendar/windows.ts'
import { START } from '../../local/control/build.ts'
import { seeded } from '../../simulation/seeded.ts'
import type { Use } from '../../simulation/world.ts'
import { eachInItsFolder } from '../../store/folder.ts'
import { prices } from '../../support/build.ts'
import { bySize, longTest } from '../../support/tiers.ts'
import { watch, type Watch } from '../support/watch.ts'
import { evaluateAllBudgets } from '../../support/apply-whole-sweep.ts'

const place = eachInItsFolder()
const MINUTE = 60_000

function twoHoursAt(at: Instant): Interval {
  const from = at - (at % (120 * MINUTE))
  return { from: instant(from), to: instant(from + 120 * MINUTE) }
}

/** Used for a while, then left, at times of its own. */
const useOf = (index: number, hours: number): Use => {
  const random = seeded(index)
  const activity: number[] = []
  for (let at = random.unit() * 60 * MINUTE; at < hours * 60 * MINUTE; at += 60 * MINUTE * random.unit())
    activity.push(Math.round(at))
  return { endpointId: `ep-${index}`, delay: 300, activity }
}
const usesOf = (count: number, hours: number): readonly Use[] =>
  Array.from({ length: count }, (_, index) => useOf(index, hours))

const night = windowOf(weekly('Mon-Sun 00:30-01:15', 'UTC'))
const ALL = budgetOf({ limit: money(1) })
const NIGHT = budgetOf({
  name: 'night',
  definition: 'night',
  countedIn: (from, to) => partsInside(night, from, to),
})
const DAY = budgetOf({
  name: 'day',
  definition: 'day',
  countedIn: (from, to) => partsOutside(night, from, to),
})

/** What the ledger comes to, all computes together. */
function ledgerSpend({ state }: Watch, now: Instant) {
  const { computes, projects } = state().ledger
  const cuTime = [...computes.values()].reduce<CuTimeByPrice>((sum, one) => {
    const project = projects.get(one.ref.projectId)
    return addCuTime(sum, totalsWithAccrual(one, { prices, project, now }).cuTime)
  }, {})
  return spendOf(cuTime)
}

function spentNow(seen: Watch, budgets: readonly Budget[], now: Instant) {
  const evaluated = evaluateAllBudgets(createBudgetScopes(budgets), { ...seen.state().ledger, prices, now })
  return evaluated.views.map(({ spent }) => spent)
}

test('a budget of everything is the ledger, to the micro, wherever the daemon is killed', async () => {
  const random = seeded(7)
  const kills: string[] = []
  const seen = await watch({
    uses: usesOf(bySize(120, 20), 3),
    store: place.open(),
    killed: (_, rows) => {
      if (random.unit() > 0.2) return undefined
      const when = random.unit() < 0.5 ? 'before' : 'after'
      const settles = rows.settled.length > 0 ? 'settling' : 'other'
      kills.push(`${when} ${Object.keys(rows.budgets).length > 0 ? 'budget' : settles}`)
      return when
    },
  })
  const budgets = [ALL, NIGHT, DAY]
  for (let hour = 0; hour < bySize(18, 8); hour += 1) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await seen.passes(10, budgets)
    const now = seen.clock.now()
    const whole = ledgerSpend(seen, now)
    const [all, inNight, inDay] = spentNow(seen, budgets, now)
    expect(all).toEqual(whole)
    if (!inNight || !inDay) throw new Error('no period')
    const both = addBounds<number>(inNight, inDay, micros)
    for (const bound of ['low', 'likely', 'high'] as const)
      expect(Math.abs(both[bound] - whole[bound])).toBeLessThanOrEqual(1)
  }
  expect(new Set(kills).size).toBeGreaterThanOrEqual(3)
  expect(ledgerSpend(seen, seen.clock.now()).likely).toBeGreaterThan(bySize(1_000_000, 100_000))
})

longTest(
  'a budget that is new in the configuration counts what was before, and one that was away has no gap',
  async () => {
    const seen = await watch({ uses: usesOf(10, 4), store: place.open() })
    await seen.passes(60, [])
    await seen.restart()
    await seen.passes(60, [ALL])
    await seen.restart()
    await seen.passes(60, [])
    await seen.restart()
    await seen.passes(30, [ALL])
    const now = seen.clock.now()
    const [spent] = spentNow(seen, [ALL], now)
    const whole = ledgerSpend(seen, now)
    expect(whole.likely).toBeGreaterThan(100_000)
    const { since, seasonality } = seen.state().ledger.budgets['all'] ?? {}
    expect(seasonality?.from).toBe(since)
    expect(Math.abs((spent?.likely ?? 0) - whole.likely)).toBeLessThanOrEqual(10)
  },
)

test('a rung is told once, also where processes are killed before they stored something', async () => {
  const seen = await watch({
    uses: usesOf(20, 3),
    store: place.open(),
    killed: (commit) => (commit % 7 === 0 ? 'before' : undefined),
  })
  await seen.passes(bySize(180, 100), [budgetOf({ limit: money(bySize(0.3, 0.1)) })])
  const rungs = seen.events.flatMap((event) => (event.kind === 'budget-rung' ? [event.rung] : []))
  expect(rungs.length).toBeGreaterThan(1)
  expect(rungs.at(-1)).toBe(seen.state().ledger.budgets['all']?.records[0]?.rungs.at(-1))
  expect(new Set(rungs).size).toBe(rungs.length)
})

const isRung = ({ events }: Rows): boolean => events.some(({ kind }) => kind === 'budget-rung')

longTest(
  'a rung is kept to be told, once, also where the process was killed between keeping it and telling it',
  async () => {
    const store = place.open()
    const seen = await watch({
      uses: usesOf(20, 3),
      store,
      killed: (_, rows) => (isRung(rows) ? 'after' : undefined),
    })
    await seen.passes(180, [budgetOf({ limit: money(0.3) })])
    expect(seen.events.filter(({ kind }) => kind === 'budget-rung')).toEqual([])
    const kept = await store.eventsAfter('main', 0, 100)
    const rungs = kept.flatMap(({ event }) => (event.kind === 'budget-rung' ? [event.rung] : []))
    expect(rungs.length).toBeGreaterThan(1)
    expect(rungs.at(-1)).toBe(seen.state().ledger.budgets['all']?.records[0]?.rungs.at(-1))
    expect(new Set(rungs).size).toBe(rungs.length)
  },
)

longTest('with a new limit rungs are reached, stored and told anew in the same period', async () => {
  const store = place.open()
  const seen = await watch({ uses: usesOf(20, 3), store })
  await seen.passes(bySize(180, 60), [budgetOf({ limit: money(bySize(0.03, 0.01)) })])
  await seen.passes(10, [budgetOf({ limit: money(bySize(0.031, 0.0101)) })])
  const stored = await store.eventsAfter('main', 0, 100)
  const reached = [...seen.events, ...stored.map(({ event }) => event)].flatMap((event) =>
    event.kind === 'budget-rung' && event.rung === 110 ? [event.limit.amount] : [],
  )
  const limits = bySize([30_000, 31_000], [10_000, 10_100])
  expect(reached).toEqual([...limits, ...limits])
  expect(new Set(stored.map(({ topic }) => topic)).size).toBe(stored.length)
})

longTest(
  'the counter of a budget is behind nothing that is shown, and falls neither by kills nor by another scope',
  async () => {
    const random = seeded(11)
    const seen = await watch({
      uses: usesOf(20, 6),
      store: place.open(),
      killed: () => {
        if (random.unit() > 0.1) return undefined
        return random.unit() < 0.5 ? 'before' : 'after'
      },
    })
    let shown = 0
    const other = budgetOf({ limit: money(1), definition: 'other' })
    for (const budget of [ALL, other]) {
      let first: BudgetView | undefined
      for (let minute = 0; minute < 120; minute += 1) {
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        await seen.passes(1, [budget])
        const [view] = seen.state().budgets
        if (!view) continue
        expect(view.total).toBeGreaterThanOrEqual(shown)
        first ??= view
        shown = view.total
        expect(shown - first.total).toBeGreaterThanOrEqual(view.spent.likely - first.spent.likely)
      }
      expect(shown).toBeGreaterThan(first?.total ?? shown)
    }
  },
)

longTest(
  'while the store takes no writes the bounds of a budget grow and hold the truth, and the next period begins',
  async () => {
    let isFull = false
    const seen = await watch({ uses: usesOf(5, 6), store: place.open(), isFull: () => isFull })
    const budgets = [budgetOf({ periodAt: (now) => twoHoursAt(now) })]
    const viewAfter = async (minutes: number) => {
      await seen.passes(minutes, budgets)
      const [view] = seen.state().budgets
      if (!view) throw new Error('no period')
      return view
    }
    const before = await viewAfter(60)
    isFull = true
    const during = await viewAfter(30)
    isFull = false
    const after = await viewAfter(1)
    expect(after.spent.likely).toBeGreaterThan(before.spent.high)
    expect(during.spent.high).toBeGreaterThan(after.spent.likely)
    expect(during.total).toBe(before.total)
    isFull = true
    const next = await viewAfter(60)
    expect([before, during, after, next].map(({ period }) => period)).toEqual([
      ...Array.from({ length: 3 }, () => twoHoursAt(instant(START))),
      twoHoursAt(instant(START + 120 * MINUTE)),
    ])
  },
)
