// Budgets and policies over three computes in a memory store: what is sent takes effect at once, and the next snapshot shows it.
/* oxlint-disable no-await-in-loop -- one change after the other */
import { decidedCompute } from '../../../../src/model/output/policy-decision.ts'
import type { Window } from '../../../../src/calendar/window.ts'
import { createDecidedChanges } from '../../../../src/daemon/changes/decided/decided-changes.ts'
import type { BudgetWithForecast, Rung } from '../../../../src/model/policy/budget.ts'
import { DEFAULT_BRAKES } from '../../../../src/model/policy/brakes.ts'
import type { Change, ChangeSettings, ChangeState } from '../../../../src/model/policy/change.ts'
import { planLimits } from '../../../../src/model/policy/plan-limits.ts'
import { createPolicies, type PolicyRule } from '../../../../src/model/policy/policies.ts'
import { addChange, transition, type Journal } from '../../../../src/model/ports/journal.ts'
import type { AccountStore } from '../../../../src/model/ports/store.ts'
import { after, cu, ratio, seconds, type Instant } from '../../../../src/model/units.ts'
import { computeOf } from '../../../store/build.ts'
import { budgetOf } from '../../../ledger/budgets/build.ts'
import { at, preset } from '../../../support/build.ts'
import { snapshotOf } from '../../../support/fleet-snapshot.ts'
import { memoryStore } from '../../../support/memory-store.ts'
import { weekly, windowOf } from '../../../calendar/windows.ts'
import { placedHoldsOf, storedBrakesOf } from '../../../support/placed-holds.ts'
import { changeOf } from '../../../support/changes.ts'
import { budgetOf as shownBudget } from '../../../outputs/page/shown.ts'

export const DAY = 86_400
export const APPLY: PolicyRule = { match: {}, mode: 'apply', levers: ['delay', 'sizing'] }

/** Of `project-0`: 900 s while the window is open. */
const ruleOf = (window: 'office' | 'always'): PolicyRule => ({
  ...APPLY,
  match: { project: ['project-0'] },
  autosuspend: {
    floor: seconds(60),
    ceiling: 'never',
    wakeCost: seconds(300),
    schedule: [{ window, delay: seconds(900) }],
  },
})

export const OFFICE_RULE = ruleOf('office')
export const ALWAYS_RULE = ruleOf('always')

/** A range of 0.25 to 2 CU with a delay of 300 s each. */
const SETTINGS: Required<ChangeSettings> = {
  sizing: { min: cu(0.25), max: cu(2) },
  autosuspendDelay: seconds(300),
}

export type BudgetWorld = Awaited<ReturnType<typeof budgetWorld>>

/** A budget of a day over `project-0` and `project-1`, of which the second is exempt, from day 0 on. */
export async function budgetWorld(rules: readonly PolicyRule[] = [APPLY], mode: 'soft' | 'hard' = 'hard') {
  const store = memoryStore()
  const main = store.account('main')
  let fuse: Fuse | undefined
  /** Of the daemon: it ends at the call that the fuse names, before or after what that call does. */
  const guarded = async <Value>(call: () => Promise<Value>): Promise<Value> => {
    if (!fuse || (fuse.calls -= 1) > 0) return call()
    if (fuse.isAfter) await call()
    fuse.calls = 0
    throw new Error('the daemon ended')
  }
  const given = { now: at(3600), rules: createPolicies(rules), rungs: [] as readonly Rung[], budgets: true }
  const settings = new Map<string, Required<ChangeSettings>>()
  const scope = { project: ['project-0', 'project-1'] }
  const budget = budgetOf({
    name: 'preview',
    scope,
    exempt: [{ project: ['project-1'] }],
    mode,
    periodAt: (now) => periodAt(now),
  })
  const settingsOf = (id: string) => settings.get(id) ?? SETTINGS
  const set = async (id: string, to: ChangeSettings) => {
    const next = { ...settingsOf(id), ...to }
    settings.set(id, next)
    const { sizing, autosuspendDelay: delay } = next
    await main.commit([{ kind: 'setting', setting: { ref: refOf(id), since: given.now, delay, sizing } }])
  }
  await main.commit(
    IDS.map((id) => ({ kind: 'compute' as const, entry: computeOf(id, id.replace('ep', 'project')) })),
  )
  for (const id of IDS) await set(id, SETTINGS)
  let count = 0
  const storedBrakes = storedBrakesOf({ store: main, now: () => given.now })
  const journal: Journal = {
    ...store,
    changes: (account, part) => guarded(() => store.changes(account, part)),
    change: (account, id) => guarded(() => store.change(account, id)),
  }
  const guardedStore: AccountStore = { ...main, commit: (...writes) => guarded(() => main.commit(...writes)) }
  const sources = {
    journal,
    history: store,
    random: { unit: () => 0.5, uuid: () => String((count += 1)).padStart(8, '0') },
    config: () => ({
      policies: given.rules,
      brakes: { ...DEFAULT_BRAKES, fleetShare: ratio(1) },
      budgets: given.budgets ? [budget] : [],
      windows: new Map([
        ['office', OFFICE],
        ['always', ALWAYS],
      ]),
    }),
    clock: { yield: () => Promise.resolve() },
    runnerOf: () => ({
      store: guardedStore,
      send: () => Promise.resolve([]),
      now: () => given.now,
      limits: () => ({ preset, limits: planLimits('interface', 'launch') }),
      open: () => [],
      forPass: () => ({ changesOf: () => [], changing: new Set<string>() }),
      holdOf: () => undefined,
      policyHold: () => undefined,
      slotOf: () => undefined,
      placedHolds: placedHoldsOf(),
      engagedBrakes: () => [],
      storedBrakes,
      watchBreaker: () => Promise.resolve(),
      wake: () => undefined,
      run: () => Promise.resolve(),
    }),
    log: { info: () => undefined, warn: () => undefined, error: (line: unknown) => void problems.push(line) },
  }
  const problems: unknown[] = []
  let decided = createDecidedChanges(sources)
  const view = (): BudgetWithForecast =>
    shownBudget({
      account: 'main',
      name: 'preview',
      mode,
      scope,
      per: 'day',
      period: periodAt(given.now),
      rungs: given.rungs,
      enforcement: { kind: 'acts', rungs: mode === 'hard' ? [80, 100] : [80] },
    })
  const snapshot = async () => {
    const taken = snapshotOf(3, { compute: (index) => settingsOf(`ep-${index}`) })
    const open = await store.openChanges('main')
    return {
      ...taken,
      takenAt: given.now,
      accounts: taken.accounts.map((one) => ({ ...one, budgets: given.budgets ? [view()] : [] })),
      computes: taken.computes.map((one) => ({
        ...one,
        state: { ...one.state, observedAt: given.now },
        changes: open
          .filter(({ ref }) => ref.endpointId === one.identity.ref.endpointId)
          .map((change) => ({ change, hold: undefined })),
      })),
    }
  }
  const changes = async () => (await store.changes('main', { count: 999 })).toReversed()
  const end = async (change: Change, state: ChangeState['at'] = 'done') => {
    const sent = { at: given.now, sessions: 0 }
    const to = {
      at: state,
      because: '',
      endedAt: given.now,
      ...(state === 'done' && { sent }),
    } as ChangeState
    await transition(main, { change, to }, { at: given.now })
    if (state === 'done') await set(change.ref.endpointId ?? '', change.desired)
  }
  /** Each open change ends, because its compute has the value. */
  const endUnsent = async () => {
    const to = {
      at: 'done',
      because: 'nothing had to be sent: it is so already',
      endedAt: given.now,
    } as const
    for (const change of await store.openChanges('main'))
      await transition(main, { change, to }, { at: given.now })
  }
  return {
    sources,
    snapshot,
    problems,
    set,
    settingsOf,
    changes,
    end,
    endUnsent,
    /** Within the seven days after now. */
    putBacks: () =>
      decided.putBacksIn('main', { from: given.now, to: at((given.now - at(0)) / 1000 + 7 * DAY) }),
    preview: async () => decided.previewBudget(await snapshot(), 'preview'),
    /** Ids of computes with a hard budget that is nearly spent. */
    nearlySpent: () => [...decided.nearlySpent('main')],
    decisions: async () => (await snapshot()).computes.map((one) => decided.decisionOf(decidedCompute(one))),
    /** One pass, then all open changes that need no approval take effect. */
    pass: async () => {
      await decided.decide(await snapshot())
      for (const change of await store.openChanges('main'))
        if (change.state.at === 'scheduled') await end(change)
    },
    /** One pass after which nothing is sent. */
    decide: async () => decided.decide(await snapshot()),
    restart: () => {
      fuse = undefined
      decided = createDecidedChanges(sources)
    },
    /** The daemon ends at its n-th call of a port from now on. */
    endAt: (calls: number, isAfter: boolean) => void (fuse = { calls, isAfter }),
    /** Whether it has ended so. */
    hasEnded: () => fuse?.calls === 0,
    reach: (...rungs: readonly Rung[]) => void (given.rungs = rungs),
    /** A person's own change of one compute, that took effect. */
    person: async (id: string, desired: ChangeSettings) => {
      given.now = at((given.now - at(0)) / 1000 + 60)
      const kind = desired.sizing ? 'sizing' : 'delay'
      const change = changeOf({
        id: `by-hand-${(count += 1)}`,
        ref: refOf(id),
        kind,
        desired,
        createdAt: given.now,
      })
      await addChange(main, change, { at: given.now })
      await end(change)
    },
    at: (time: number) => void (given.now = at(time)),
    without: () => void (given.budgets = false),
    rule: (...next: readonly PolicyRule[]) => void (given.rules = createPolicies(next)),
  }
}

/** From 9:00 to 18:00 of each day. */
const OFFICE: Window = {
  at: (now) => {
    const { from } = periodAt(now)
    const open = { from: after(from, seconds(9 * 3600)), to: after(from, seconds(18 * 3600)) }
    return now >= open.from && now < open.to ? open : undefined
  },
  next: () => undefined,
  previous: () => undefined,
  between: () => [],
}

/** Without an end in sight: windows are followed for a year. */
const ALWAYS = windowOf(weekly('00:00-24:00'))

type Fuse = { calls: number; readonly isAfter: boolean }

const IDS = ['ep-0', 'ep-1', 'ep-2']

const refOf = (id: string) => ({ account: 'main', projectId: id.replace('ep', 'project'), endpointId: id })

function periodAt(now: Instant) {
  const day = Math.floor((now - at(0)) / (DAY * 1000))
  return { from: at(day * DAY), to: at((day + 1) * DAY) }
}

/** Compute, kind, settings and reason of each change, oldest first. */
export const made = async (world: BudgetWorld) =>
  (await world.changes()).map(({ ref, kind, desired, reason }) => [ref.endpointId, kind, desired, reason])
