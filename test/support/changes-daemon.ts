// The API of a daemon that makes changes, on a real listener, without an apply loop.
import { createHash } from 'node:crypto'
import { pino } from 'pino'
import { onTestFinished } from 'vitest'
import type { AccountConfig } from '../../src/config/load.ts'
import type { UpcomingPutBack } from '../../src/daemon/changes/steps/upcoming.ts'
import type { ChangeRunner } from '../../src/daemon/changes/change-runner.ts'
import { createKillSwitch } from '../../src/daemon/changes/kill-switch.ts'
import { openListeners } from '../../src/daemon/http/listeners.ts'
import { createExposition } from '../../src/daemon/snapshot/exposition.ts'
import { planLimits } from '../../src/model/policy/plan-limits.ts'
import type { Change, ChangeState, OpenChange } from '../../src/model/policy/change.ts'
import type { Recommendation } from '../../src/model/policy/recommendation.ts'
import { transition } from '../../src/model/ports/journal.ts'
import type { Compute } from '../../src/model/service/compute.ts'
import { cu, seconds } from '../../src/model/units.ts'
import { changeAnswerSchema, plansSchema } from '../../src/outputs/text/change-schema.ts'
import { createSelfMetrics } from '../../src/outputs/metrics/self.ts'
import { GOOD, load } from '../config/loading.ts'
import { computeOf } from '../store/build.ts'
import { at, preset } from './build.ts'
import { FACTS } from './exposed.ts'
import { fakeClock } from './fake-clock.ts'
import { snapshotOf } from './fleet-snapshot.ts'
import { memoryStore, newMemory } from './memory-store.ts'
import { NO_PAGES } from './no-pages.ts'
import { NO_REPORTS } from './no-reports.ts'
import { placedHoldsOf, storedBrakesOf } from './placed-holds.ts'
import { recommendation, sizingRecommendation } from './recommendations.ts'

/** When the daemon is asked: 2026-01-05T02:00:00Z. */
const ASKED = '2026-01-05T02:00:00Z'
export const ASKED_AT = at(7200)

/** Tokens by the name of the client. */
export const TOKENS = { ann: 'operate-1', cyd: 'operate-2', bob: 'read-1', prom: 'metrics-1' } as const
const SCOPES = { ann: 'operate', cyd: 'operate', bob: 'read', prom: 'metrics' } as const
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const tokens = Object.entries(TOKENS)
  .map(([name, token]) => {
    const scope = SCOPES[name as keyof typeof SCOPES]
    return `${name}: { sha256: ${sha256(token)}, scope: ${scope} }`
  })
  .join(', ')

/** What is special about `ep-0` of project `zero`, `ep-1` …: else they have 1 CU and a delay of 300 s and are asleep. */
const COMPUTES: readonly Partial<Compute>[] = [
  { name: 'shop' },
  { autosuspendDelay: 'never' },
  { unknownProvisioner: 'mainframe' },
  { name: 'twin', state: 'active', suspendedAt: undefined },
  { name: 'twin' },
]
const PROJECTS = ['zero', 'one', 'two', 'three', 'four']
const ref = (index: number) => ({ account: 'main', projectId: `project-${index}`, endpointId: `ep-${index}` })

const DELAY = { from: { delay: seconds(300) }, to: { delay: 'never' } } as const
export const RECOMMENDATIONS: readonly Recommendation[] = [
  recommendation({ id: 'ep-0.delay.1', ref: ref(0), ...DELAY }),
  sizingRecommendation({
    id: 'ep-0.sizing.1',
    ref: ref(0),
    from: { sizing: { fixed: cu(1) } },
    to: { sizing: { min: cu(0.25), max: cu(1) } },
  }),
  recommendation({ id: 'ep-0.pooler.1', ref: ref(0), kind: 'pooler', from: {}, to: { poolerEnabled: true } }),
  recommendation({ id: 'ep-1.refresh.1', ref: ref(1), kind: 'refresh', from: {}, to: {} }),
  recommendation({ id: 'ep-2.delay.1', ref: ref(2), ...DELAY }),
  recommendation({ id: 'ep-3.delay.1', ref: ref(3), ...DELAY, life: ended('dismissed') }),
  recommendation({ id: 'ep-3.delay.2', ref: ref(3), ...DELAY, life: ended('superseded') }),
  recommendation({ id: 'ep-3.delay.3', ref: ref(3), ...DELAY, life: ended('withdrawn') }),
  recommendation({ id: 'ep-3.delay.4', ref: ref(3), ...DELAY, life: ended('implemented') }),
  recommendation({ id: 'ep-4.delay.1', ref: ref(4), ...DELAY, from: { delay: seconds(600) } }),
]

function ended(state: Exclude<Recommendation['life']['state'], 'open'>): Recommendation['life'] {
  const when = at(60)
  const lives = {
    dismissed: { state: 'dismissed', at: when, until: undefined, reason: 'no', by: 'ann' },
    superseded: { state: 'superseded', at: when, by: 'ep-3.delay.9' },
    withdrawn: { state: 'withdrawn', at: when, because: 'changed' },
    implemented: { state: 'implemented', at: when, realised: undefined },
  } as const
  return lives[state]
}

export type ChangesDaemon = Awaited<ReturnType<typeof changesDaemon>>

/** Of a request to the API. */
export type AskInit = Omit<RequestInit, 'headers'> & Readonly<{ headers?: Readonly<Record<string, string>> }>

type Options = Readonly<{
  mode?: 'off' | 'observe' | 'suggest' | 'approve' | 'apply'
  /** In place of the settings of the computes. */
  computes?: readonly Partial<Compute>[]
  isKilled?: boolean
  killSwitchFile?: string
  holds?: Readonly<Record<string, OpenChange['hold']>>
  /** Further sections of the configuration. */
  yaml?: string
  policyHold?: ChangeRunner['policyHold']
  slotOf?: ChangeRunner['slotOf']
  /** After periods of budgets. */
  putBacks?: readonly UpcomingPutBack[]
}>

const fleet = (given: readonly Partial<Compute>[]) =>
  snapshotOf(given.length, {
    project: (index) => ({ name: PROJECTS[index] ?? 'other' }),
    compute: (index) => given[index] ?? {},
  })

/** A daemon until the test ends. */
export async function daemonOf(options?: Options): Promise<ChangesDaemon> {
  const daemon = await changesDaemon(options)
  onTestFinished(() => daemon[Symbol.asyncDispose]())
  return daemon
}

/** A change of size that can be made. */
export const SIZE = { compute: 'shop', max_cu: 2 }

/** Asks for a change. @returns its id */
export async function asked(daemon: ChangesDaemon, body: object = SIZE): Promise<string> {
  const [, answer] = await daemon.post('/changes', body)
  return changeAnswerSchema.parse(answer).change.id
}

export async function planHashOf(
  daemon: ChangesDaemon,
  name: string,
  when = '',
): Promise<string | undefined> {
  const [, answer] = await daemon.ask(`/plan?name=${name}${when}`)
  return plansSchema.safeParse(answer).data?.plans[0]?.plan_hash
}

export async function changesDaemon({ mode = 'suggest', computes = COMPUTES, ...options }: Options = {}) {
  const server = `server: { telemetry: "127.0.0.1:0", api: "127.0.0.1:0", tokens: { ${tokens} } }`
  const config = load(`${GOOD}${server}\n${options.yaml ?? ''}`)
  if (!config.ok) throw new Error(config.error.join('\n'))
  const clock = fakeClock(ASKED)
  const self = createSelfMetrics()
  const logged: unknown[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void logged.push(JSON.parse(line)) })
  const exposition = createExposition(() => FACTS, { self, clock, log })
  let taken = fleet(computes)
  const memory = newMemory()
  const store = memoryStore(memory)
  await store.account('main').commit([
    ...COMPUTES.map((_, index) => ({
      kind: 'compute' as const,
      entry: computeOf(`ep-${index}`, `project-${index}`),
    })),
    ...RECOMMENDATIONS.map((one) => ({ kind: 'recommendation' as const, recommendation: one })),
  ])
  let isFull = false
  let [woken, count] = [0, 0]
  const account = (name: string) => ({
    ...store.account(name),
    commit: ((writes, given) =>
      isFull
        ? Promise.reject(new Error('the disk is full'))
        : store.account(name).commit(writes, given)) satisfies ReturnType<typeof store.account>['commit'],
  })
  const { isKilled = false, killSwitchFile } = options
  const killSwitch = await createKillSwitch({
    config: () => ({
      changes: { freeze: [], isKilled, killSwitchFile },
      accounts: [{ name: 'main' } as AccountConfig],
    }),
    store: { ...store, account },
  })
  const storedBrakes = storedBrakesOf({
    store: account('main'),
    now: () => clock.now(),
    onChange: () => void (woken += 1),
  })
  const runner: ChangeRunner = {
    store: account('main'),
    send: () => Promise.resolve([]),
    now: () => clock.now(),
    limits: () => ({ preset, limits: planLimits('interface', 'launch') }),
    open: () => [],
    forPass: () => ({ changesOf: () => [], changing: new Set() }),
    holdOf: (id) => options.holds?.[id],
    policyHold: options.policyHold ?? (() => undefined),
    slotOf: options.slotOf ?? (() => undefined),
    placedHolds: placedHoldsOf({
      store: account('main'),
      now: () => clock.now(),
      onChange: () => void (woken += 1),
    }),
    engagedBrakes: () => [],
    storedBrakes,
    watchBreaker: () => Promise.resolve(),
    wake: () => void (woken += 1),
    run: () => Promise.resolve(),
  }
  const sources = { clock, snapshot: () => taken, history: store, log }
  const changes = {
    ...sources,
    journal: store,
    random: { unit: () => 0.5, uuid: () => String((count += 1)).padStart(8, '0') },
    runnerOf: () => runner,
    config: () => ({ ...config.value, mode }),
    killSwitch,
    putBacksIn: () => Promise.resolve(options.putBacks ?? []),
  }
  await exposition.publish(taken)
  const telemetry = {
    exposition,
    clock: { yield: () => Promise.resolve() },
    snapshot: () => taken,
    healthy: () => true,
    notReady: () => undefined,
  }
  const api = { ...NO_PAGES, ...NO_REPORTS, ...sources, accounts: () => [], changes }
  const listeners = await openListeners(() => config.value, { telemetry, api }, { clock, self, log })
  const { apiUrl } = listeners
  /** By ann, where nobody else is named. */
  const ask = async (path: string, request: AskInit = {}, token: string | undefined = TOKENS.ann) => {
    const headers = { ...(token !== '' && { authorization: `Bearer ${token}` }), ...request.headers }
    const answer = await fetch(`${apiUrl}/api/v1${path}`, { ...request, headers })
    return [answer.status, await answer.json()] as const
  }
  const change = async (id: string) => {
    const found = await store.change('main', id)
    if (!found) throw new Error(`no change ${id}`)
    return found
  }
  return {
    apiUrl,
    store,
    killSwitch,
    storedBrakes,
    logged,
    ask,
    post: (path: string, body: unknown, token?: string) =>
      ask(
        path,
        { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } },
        token,
      ),
    change,
    /** As the apply loop does. */
    move: async (id: string, to: ChangeState): Promise<Change> => {
      const moved = await transition(
        store.account('main'),
        { change: await change(id), to },
        { at: ASKED_AT },
      )
      if (!moved.ok) throw new Error(moved.error.kind)
      return moved.value
    },
    /** Everything that is stored. */
    stored: () =>
      JSON.stringify(
        [...memory.accounts].map(([, rows]) => Object.values(rows).map((row) => [...entriesOf(row)])),
      ),
    fill: () => void (isFull = true),
    show: (given: readonly Partial<Compute>[]) => void (taken = fleet(given)),
    woken: () => woken,
    [Symbol.asyncDispose]: () => listeners[Symbol.asyncDispose](),
  }
}

const entriesOf = (row: unknown): Iterable<unknown> =>
  row instanceof Map || Array.isArray(row) ? (row as Iterable<unknown>) : [row]
