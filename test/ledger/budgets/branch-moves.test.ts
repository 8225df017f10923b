// A compute that moves to another branch: what it used before counts for the branch on which it was used.
import { expect, test } from 'vitest'
import {
  createBudgetScopes,
  settleBudgets,
  toBudgetComputes,
} from '../../../src/ledger/budgets/account-budgets.ts'
import type { Ledger } from '../../../src/model/ledger/ledger.ts'
import type { BudgetStates, BudgetView } from '../../../src/model/policy/budget.ts'
import type { Compute } from '../../../src/model/service/compute.ts'
import { settledPartOfOpen, slicesOfHistory } from '../../../src/ledger/budgets/from-history.ts'
import { slicesInScope } from '../../../src/ledger/budgets/settle.ts'
import { awakeBounds } from '../../../src/ledger/settle/cu-time.ts'
import { selectorTargetIn } from '../../../src/ledger/branch-moves.ts'
import { accounted } from '../../support/accounted.ts'
import { evaluateAllBudgets } from '../../support/apply-whole-sweep.ts'
import type { Sweep } from '../../../src/model/observation.ts'
import type { Operation } from '../../../src/model/service/operation.ts'
import { at, ledger, look, operation, prices, sweep } from '../../support/build.ts'
import { awakeHours, budgetOf } from './build.ts'
import { longTest } from '../../support/tiers.ts'

const HOUR = 3600
const limit = awakeHours(100)
const budgets = [
  budgetOf({ name: 'all', limit }),
  budgetOf({ name: 'old', limit, scope: { branch: ['br-old'] } }),
  budgetOf({ name: 'new', limit, scope: { branch: ['br-new'] } }),
]

type Seen = { readonly ledger: Ledger; readonly states: BudgetStates; readonly views: readonly BudgetView[] }

/** A sweep at `when` shows the compute awake since 60 s on `branchId`. */
function seenAt(before: Seen, when: number, changed: Partial<Compute>, tookSeconds = 0): Seen {
  const shown = look(when, {
    state: 'active',
    startedAt: at(60),
    lastActive: at(when - tookSeconds - 5),
    ...changed,
  })
  return applied(before, sweep(when, { looks: [{ ...shown, askedAt: at(when - tookSeconds) }] }))
}

function applied(before: Seen, observed: Sweep): Seen {
  const { endedAt: now } = observed
  const after = accounted(before.ledger, observed, { prices, overhead: 0, now })
  const computes = toBudgetComputes(after.rows.computes, () => undefined)
  const settled = { settled: after.slices.settled, computes, now }
  const states = settleBudgets(budgets, before.states, settled)
  const inputs = { ...after.ledger, budgets: states, prices, now }
  const { views } = evaluateAllBudgets(createBudgetScopes(budgets), inputs)
  return { ledger: after.ledger, states, views }
}

/** Awake seconds of the budgets by name: low, likely, high. */
const awakeOf = ({ views }: Seen): Readonly<Record<string, readonly [number, number, number]>> =>
  Object.fromEntries(
    views.map(({ name, spent: { low, likely, high } }) => [name, [low / 1000, likely / 1000, high / 1000]]),
  )

const NOTHING: Seen = { ledger: ledger(), states: {}, views: [] }

/** On the old branch until `moved`, then on the new one: seen each minute, each answer `took` seconds. */
function followed({
  moved,
  until,
  took = 0,
}: {
  readonly moved: number
  readonly until: number
  readonly took?: number
}) {
  const seen: Seen[] = [NOTHING]
  for (let when = 60; when <= until; when += 60) {
    const branchId = when - took < moved ? 'br-old' : 'br-new'
    seen.push(seenAt(seen.at(-1) ?? NOTHING, when, { branchId }, when === 60 ? 0 : took))
  }
  return seen.slice(1)
}

const NO_TIME = [NaN, NaN, NaN] as const

test('time before the move stays with the old branch, in bounds that contain the truth at each pass', () => {
  const moved = HOUR + 30
  for (const [index, seen] of followed({ moved, until: 3 * HOUR }).entries()) {
    const now = 60 * (index + 1)
    const truth = { old: Math.min(now, moved) - 60, new: Math.max(0, now - moved) }
    const { all = NO_TIME, old = NO_TIME, new: later = NO_TIME } = awakeOf(seen)
    expect([now, old[0] <= truth.old, truth.old <= old[2]]).toEqual([now, true, true])
    expect([now, later[0] <= truth.new, truth.new <= later[2]]).toEqual([now, true, true])
    expect(old[1] + later[1]).toBeCloseTo(all[1], 3)
  }
})

test('the likely spend of the old branch falls by no more than half the time between two looks', () => {
  const spent = followed({ moved: HOUR + 30, until: 2 * HOUR }).map((seen) => awakeOf(seen)['old']?.[1] ?? 0)
  const falls = spent.slice(1).map((value, index) => (spent[index] ?? 0) - value)
  expect(Math.max(...falls)).toBeLessThanOrEqual(30)
  expect(spent.at(-1)).toBeCloseTo(HOUR - 30, 0)
})

test('an answer that took long may be older than the move it does not show', () => {
  const moved = HOUR + 12
  const last = followed({ moved, until: 2 * HOUR, took: 40 }).at(-1) ?? NOTHING
  const [low = NaN, , high = NaN] = awakeOf(last)['old'] ?? []
  expect([low <= moved - 60, moved - 60 <= high]).toEqual([true, true])
})

const startAndEnd = (from: number, branchId: string): readonly Operation[] =>
  (['start_compute', 'suspend_compute'] as const).map((action, index) =>
    operation(action, from + 300 * index, { operationId: `${action}-${from}`, branchId }),
  )

test('starts date a move while no look succeeds, so that settled time stays on the branch of its start', () => {
  const before = seenAt(NOTHING, 60, { branchId: 'br-old', state: 'idle', startedAt: undefined })
  const operations = [...startAndEnd(HOUR, 'br-old'), ...startAndEnd(3 * HOUR, 'br-new')]
  let seen = before
  for (let when = 5 * 60; when <= 8 * HOUR; when += 300) {
    const listed = operations.filter(({ updatedAt }) => updatedAt <= at(when))
    seen = applied(seen, sweep(when, { operations: listed }))
  }
  const awakeOfBranches = awakeOf(seen)
  expect([awakeOfBranches['old']?.[0], awakeOfBranches['new']?.[0]]).toEqual([299, 299])
  const last = seenAt(seen, 9 * HOUR, { branchId: 'br-new', state: 'idle', startedAt: at(3 * HOUR) })
  expect([...last.ledger.computes.values()][0]?.branchMoves).toHaveLength(1)
})

longTest('moves that alternate for ever stay bounded', () => {
  let seen = NOTHING
  for (let when = 60; when <= 8 * HOUR; when += 60)
    seen = seenAt(seen, when, { branchId: when % 120 === 0 ? 'br-new' : 'br-old' })
  expect([...seen.ledger.computes.values()].map(({ branchMoves }) => branchMoves?.length)).toEqual([100])
})

test('a budget that is new in the configuration counts history by the branch of then', () => {
  const { ledger: known } = followed({ moved: HOUR + 30, until: 4 * HOUR }).at(-1) ?? NOTHING
  const [entry] = known.computes.values()
  const part = entry && settledPartOfOpen(entry)
  if (!part) throw new Error('a compute that is awake has an interval in progress')
  const slices = slicesOfHistory(part, prices, entry.branchMoves)
  const target = selectorTargetIn(known, entry.ref)
  const likely = (branch: string): number =>
    awakeBounds(slicesInScope({ branch: [branch] }, target, slices)).likely / 1000
  expect([likely('br-old'), likely('br-new')]).toEqual([
    HOUR - 30,
    (entry.settledUntil - at(HOUR + 30)) / 1000,
  ])
})

test('a move there and back counts each stay', () => {
  let seen = NOTHING
  for (let when = 60; when <= 3 * HOUR; when += 60) {
    const isAway = when >= HOUR && when < 2 * HOUR
    seen = seenAt(seen, when, { branchId: isAway ? 'br-new' : 'br-old' })
  }
  const awake = awakeOf(seen)
  expect(Math.abs((awake['new']?.[1] ?? 0) - HOUR)).toBeLessThanOrEqual(60)
  expect(Math.abs((awake['old']?.[1] ?? 0) - (2 * HOUR - 60))).toBeLessThanOrEqual(60)
})
