// An account with a generated past after its first passes, and its counted past.
import { expect } from 'vitest'
import { createCountedPast } from '../../../src/daemon/history/counted-past.ts'
import { monthBudget } from '../../../src/daemon/accounts/month-budget.ts'
import { pass, untimed } from '../../../src/daemon/pass/pass.ts'
import { newPassState, type PassState } from '../../../src/daemon/pass/pass-state.ts'
import { createBudgetScopes } from '../../../src/ledger/budgets/account-budgets.ts'
import type { CountedPast } from '../../../src/model/ledger/counted-past.ts'
import type { Ports } from '../../../src/model/ports/ports.ts'
import type { Service } from '../../../src/model/ports/service.ts'
import type { Zone } from '../../../src/calendar/zone.ts'
import { createPreset } from '../../../src/model/service/sizes.ts'
import { createServiceTime } from '../../../src/service/http/server-time.ts'
import { createService } from '../../../src/service/service.ts'
import { ok } from '../../../src/std/result.ts'
import { Inside } from '../../support/inside.ts'
import { memoryStore } from '../../support/memory-store.ts'
import { passPlan } from '../../support/pass-plan.ts'
import { startSimulated } from '../../support/simulated-service.ts'
import { createVirtualClock } from '../../support/virtual-clock.ts'
import { seeded } from '../../simulation/seeded.ts'
import { UTC } from '../../ledger/budgets/build.ts'

/** A Monday evening, so that the last working day is in the past. */
export const NOW = Date.parse('2026-11-23T18:30:00Z')
export const NEVER = new AbortController().signal
type Preset = 'interface' | '2026-03'
export type GeneratedPast = Readonly<{
  seed: number
  preset: Preset
  days: number
  projects: number
  /** Of the days of the account; default UTC. */
  zone?: Zone
}>
/** What the service tells of the past beside operations. */
export type Told = 'consumption' | 'counters' | 'nothing'

const READINGS: Ports['readings'] = {
  refusalOf: () => 'no-dsn',
  prepare: () => Promise.resolve(undefined),
  evict: () => undefined,
  read: () => Promise.reject(new Error('readings are off')),
}

/** An account after its first passes. */
export async function startAccount({ seed, preset, days, projects, zone = UTC }: GeneratedPast) {
  const clock = createVirtualClock(NOW)
  const simulated = await startSimulated({
    projects: [],
    past: { span: days * 86_400, projects, seed },
    preset,
    clock: { now: () => clock.now(), after: () => () => undefined, sleep: () => Promise.resolve() },
  })
  const serviceTime = createServiceTime(clock)
  const random = seeded(seed)
  const service = createService({
    baseUrl: simulated.baseUrl,
    readKey: () => ok(simulated.apiKey),
    clock,
    random,
    requestsPerMinute: 350,
    projects: 'discover',
    dispatcher: new Inside((request) => simulated.fetch(request), clock),
    onRequest: serviceTime.record,
  })
  const store = memoryStore()
  const ports: Ports = {
    clock,
    serviceTime,
    random,
    service,
    readings: READINGS,
    store: store.account('main'),
    epoch: store.epoch,
    history: store,
    send: () => Promise.resolve([]),
    redact: (text) => text,
  }
  const budgets = createBudgetScopes([monthBudget('main', zone, 'USD')])
  const plan = { ...passPlan(), preset: createPreset(preset), budgets, dayOf: zone.dayOf }
  const truth = simulated.truth()
  let state = newPassState(await ports.store.load())
  const isRead = (): boolean =>
    state.polling.list.finished !== undefined && state.polling.retries.operations.size === 0
  for (let passes = 0; passes < 5 && !isRead(); passes += 1)
    // oxlint-disable-next-line no-await-in-loop -- one pass after the other
    state = await clock.run(pass({ ...ports, timed: untimed }, { before: state, plan }, NEVER))
  await simulated.stop()
  return { clock, simulated, service, store, state, truth, plan, zone }
}

export type Account = Awaited<ReturnType<typeof startAccount>>

/** @param over by default a history without a stored past, and a log in which an error fails the test */
export async function openPast(
  { clock, service, store, zone }: Account,
  told: Told,
  over: Partial<Pick<Parameters<typeof createCountedPast>[0], 'history' | 'log'>> = {},
) {
  const none = { kind: 'none', because: 'plan', message: 'consumption history needs a paid plan' } as const
  const limited: Service = {
    ...service,
    at: (priority) => ({
      ...service.at(priority),
      ...(told !== 'consumption' && { listConsumption: () => Promise.resolve(ok(none)) }),
    }),
  }
  return createCountedPast({
    account: 'main',
    clock,
    service: limited,
    history: {
      awakeTimes: (...span) => store.awakeTimes(...span),
      days: (...span) => store.days(...span),
      jobState: () => Promise.resolve(undefined),
    },
    store: store.account('main'),
    epoch: store.epoch,
    zone,
    onRead: () => Promise.resolve(),
    log: { error: (fields: object) => expect.fail(JSON.stringify(fields)), info: () => undefined },
    ...over,
  })
}

export async function countedPast(account: Account, told: Told): Promise<CountedPast> {
  const { clock, state } = account
  const counted = await openPast(account, told)
  counted.refresh(told === 'nothing' ? withoutActiveTime(state) : state, NEVER)
  await clock.run(Promise.resolve(counted.idle()))
  const past = counted.current()
  if (!past) throw new Error('the past was not read')
  return past
}

const withoutActiveTime = (state: PassState): PassState => ({
  ...state,
  ledger: {
    ...state.ledger,
    projects: new Map(
      [...state.ledger.projects].map(([id, entry]) => [
        id,
        { ...entry, project: { ...entry.project, activeSeconds: undefined } },
      ]),
    ),
  },
})
