import { pino } from 'pino'
import { beforeEach, expect, test } from 'vitest'
import { createAdviser, type Adviser } from '../../../src/daemon/advice/adviser.ts'
import type { LedgerUpdates } from '../../../src/daemon/pass/ledger-updates.ts'
import { newPassState, type PassState } from '../../../src/daemon/pass/pass-state.ts'
import { newComputeEntry } from '../../../src/ledger/apply-facts.ts'
import type { ComputeEntry } from '../../../src/model/ledger/ledger.ts'
import { createPolicies } from '../../../src/model/policy/policies.ts'
import { planLimits } from '../../../src/model/policy/plan-limits.ts'
import type { Recommendation } from '../../../src/model/policy/recommendation.ts'
import type { Store } from '../../../src/model/ports/store.ts'
import type { History } from '../../../src/model/ports/history.ts'
import { computeKey, type Compute } from '../../../src/model/service/compute.ts'
import { micros, seconds } from '../../../src/model/units.ts'
import { failed, ok } from '../../../src/std/result.ts'
import { dismiss } from '../../../src/advise/dismiss.ts'
import { at, ledger, look, preset, prices } from '../../support/build.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { memoryStore, newMemory, type Memory } from '../../support/memory-store.ts'
import { refOf } from '../../store/build.ts'

const HOUR = 3600
const DAY = 24 * HOUR

const FORGOTTEN = refOf('ep-forgotten')
const OTHER = refOf('ep-other')
const KEY = computeKey(FORGOTTEN)

let memory: Memory
let clock: ReturnType<typeof fakeClock>
/** Endpoint ids in the order of their evaluation. */
let evaluated: string[]
/** Endpoint id of the compute whose history cannot be read. */
let broken: string | undefined

beforeEach(() => {
  memory = newMemory()
  clock = fakeClock()
  evaluated = []
  broken = undefined
})

/** Autosuspend is off, and nobody has used it for four days. */
const entryOf = (ref = FORGOTTEN, changes: Partial<Compute> = {}): ComputeEntry => {
  const used = { state: 'active', autosuspendDelay: 'never', lastActive: at(-4 * DAY) } as const
  const observed = look((clock.now() - at(0)) / 1000, { ...ref, ...used, ...changes })
  return newComputeEntry(ref, observed, false)
}

const stateOf = (entries: readonly ComputeEntry[], updates: Partial<LedgerUpdates> = {}): PassState => {
  const computes = new Map(entries.map((entry) => [computeKey(entry.ref), entry]))
  const state = newPassState({ ...ledger(), computes })
  return { ...state, persistence: { ...state.persistence, ...updates } }
}

async function adviserOver(entries: readonly ComputeEntry[]) {
  const store = memoryStore(memory)
  const account = store.account('main')
  const writes = entries.map((entry) => ({ kind: 'compute', entry }) as const)
  await account.commit(writes, { epoch: store.epoch })
  await account.commit(entries.map(({ ref, compute }) => settingOf({ ref, ...compute }, -4 * DAY)))
  const adviser = await createAdviser({
    account: 'main',
    clock,
    history: watched(store),
    store: account,
    epoch: store.epoch,
    log: pino({ level: 'silent' }),
    plan: () => ({
      plan: planLimits('interface', 'scale'),
      preset,
      prices,
      policies: createPolicies([]),
      needs: { minHistory: seconds(3 * DAY), minGaps: 30, minPeaks: seconds(7 * DAY), grid: seconds(60) },
      minSaving: micros(1_000_000),
    }),
    share: 1,
  })
  return { adviser, account }
}

const settingOf = (
  {
    ref,
    autosuspendDelay = seconds(300),
    sizing,
  }: Pick<Compute, 'autosuspendDelay' | 'sizing'> & Pick<ComputeEntry, 'ref'>,
  since: number,
) => ({ kind: 'setting', setting: { ref, since: at(since), delay: autosuspendDelay, sizing } }) as const

const watched = (store: Store & History): History => ({
  ...store,
  gaps: (account, span) => {
    const [{ endpointId } = { endpointId: '' }] = span.computes ?? []
    evaluated.push(endpointId)
    if (endpointId === broken) throw new Error('the disk is gone')
    return store.gaps(account, span)
  },
})

async function refresh(adviser: Adviser, state: PassState) {
  adviser.observed(state)
  adviser.refresh(state, new AbortController().signal)
  await adviser.idle()
}

const rows = (): readonly Recommendation[] => [
  ...(memory.accounts.get('main')?.recommendations.values() ?? []),
]
const delaysOpen = (adviser: Adviser) => adviser.openOf(KEY)?.filter(({ kind }) => kind === 'delay') ?? []

test('a compute is evaluated after a pass, and again after a day', async () => {
  const state = stateOf([entryOf()])
  const { adviser } = await adviserOver([entryOf()])
  await refresh(adviser, state)
  expect(delaysOpen(adviser)).toMatchObject([{ id: 'ep-forgotten.delay.1', to: { delay: 300 } }])
  expect(rows().filter(({ kind }) => kind === 'delay')).toMatchObject([{ life: { state: 'open' } }])
  await clock.advance(seconds(23 * HOUR))
  await refresh(adviser, state)
  expect(evaluated).toEqual(['ep-forgotten'])
  await clock.advance(seconds(2 * HOUR))
  await refresh(adviser, state)
  expect(evaluated).toEqual(['ep-forgotten', 'ep-forgotten'])
  expect(delaysOpen(adviser)).toMatchObject([{ id: 'ep-forgotten.delay.1' }])
})

test('a compute that was evaluated before its past was read is evaluated again when it was', async () => {
  const { adviser, account } = await adviserOver([entryOf()])
  await account.commit([settingOf({ ref: FORGOTTEN, ...entryOf().compute }, -HOUR)])
  await refresh(adviser, stateOf([entryOf()]))
  await refresh(adviser, stateOf([entryOf()]))
  expect(evaluated).toEqual(['ep-forgotten'])
  await refresh(adviser, stateOf([entryOf()], { pastRead: [KEY] }))
  expect(evaluated).toEqual(['ep-forgotten', 'ep-forgotten'])
})

test('a change of its settings evaluates a compute at once: whoever did it implemented the recommendation', async () => {
  const { adviser, account } = await adviserOver([entryOf()])
  await refresh(adviser, stateOf([entryOf()]))
  const changed = entryOf(FORGOTTEN, { autosuspendDelay: seconds(300) })
  await account.commit([
    { kind: 'compute', entry: changed },
    settingOf({ ref: FORGOTTEN, ...changed.compute }, -1),
  ])
  await refresh(adviser, stateOf([changed], { settingsChanged: [KEY] }))
  expect(delaysOpen(adviser)).toEqual([])
  expect(adviser.summary().counts.get('delay/implemented')).toBe(1)
})

test('three saturated steps evaluate a compute at once, and further ones not within the hour', async () => {
  const entries = [entryOf(), entryOf(OTHER)]
  const { adviser } = await adviserOver(entries)
  await refresh(adviser, stateOf(entries))
  evaluated = []
  for (let step = 1; step <= 12; step += 1) {
    // oxlint-disable-next-line no-await-in-loop -- one pass after the other
    await clock.advance(seconds(300))
    // oxlint-disable-next-line no-await-in-loop -- one pass after the other
    await refresh(adviser, stateOf(entries, { saturated: [KEY] }))
    expect(evaluated).toEqual(step < 3 ? [] : ['ep-forgotten'])
  }
})

test('a new process shows what the one before stored', async () => {
  const first = await adviserOver([entryOf()])
  await refresh(first.adviser, stateOf([entryOf()]))
  const second = await adviserOver([entryOf()])
  expect(second.adviser.openOf(KEY)).toEqual(first.adviser.openOf(KEY))
  expect(second.adviser.summary()).toEqual(first.adviser.summary())
  await refresh(second.adviser, stateOf([entryOf()]))
  expect(evaluated).toEqual(['ep-forgotten'])
})

test('a compute whose history cannot be read keeps none of the others from their evaluation', async () => {
  broken = 'ep-forgotten'
  const entries = [entryOf(), entryOf(OTHER)]
  const { adviser } = await adviserOver(entries)
  await refresh(adviser, stateOf(entries))
  expect(evaluated.toSorted()).toEqual(['ep-forgotten', 'ep-other'])
  expect(adviser.openOf(KEY)).toBeUndefined()
  expect(adviser.openOf(computeKey(OTHER))).toBeDefined()
})

test('recommendations for a deleted compute are withdrawn', async () => {
  const { adviser } = await adviserOver([entryOf()])
  await refresh(adviser, stateOf([entryOf()]))
  await refresh(adviser, stateOf([{ ...entryOf(), deletedAt: clock.now() }]))
  expect(adviser.openOf(KEY)).toBeUndefined()
  expect(new Set(rows().map(({ life }) => life.state))).toEqual(new Set(['withdrawn']))
})

test('a dismissal is stored and shown; one that is refused changes nothing', async () => {
  const { adviser } = await adviserOver([entryOf()])
  await refresh(adviser, stateOf([entryOf()]))
  const row = rows().find(({ kind }) => kind === 'delay')
  if (!row) throw new Error('nothing was recommended')
  expect(await adviser.change(row, () => failed('not now'))).toEqual(failed('not now'))
  expect(delaysOpen(adviser)).toHaveLength(1)
  const asked = { reason: 'it is a demo', until: undefined, by: 'ann' }
  const changed = await adviser.change(row, (current, now) => {
    const dismissed = dismiss(current, { ...asked, now })
    return dismissed.ok ? ok(dismissed.value) : failed('ended')
  })
  expect(changed).toMatchObject({ ok: true, value: { life: { state: 'dismissed', reason: 'it is a demo' } } })
  expect(delaysOpen(adviser)).toEqual([])
  await refresh(adviser, stateOf([entryOf()]))
  expect(adviser.summary().withheld.get('delay/dismissed')).toBe(1)
})
