// A compute with a known history, seen through the ports by the daemon's own pass, with faults.
import { sleepUntilStopped } from '../../support/fake-clock.ts'
import { expect } from 'vitest'
import { pass, untimed } from '../../../src/daemon/pass/pass.ts'
import { newPassState, type PassState } from '../../../src/daemon/pass/pass-state.ts'
import type { Compute } from '../../../src/model/service/compute.ts'
import type { ComputeEntry, SettledInterval } from '../../../src/model/ledger/ledger.ts'
import type { Operation } from '../../../src/model/service/operation.ts'
import type { Listing, Service } from '../../../src/model/ports/service.ts'
import type { Ports } from '../../../src/model/ports/ports.ts'
import { failed, ok, type Result } from '../../../src/std/result.ts'
import type { ServiceError } from '../../../src/model/service/service-error.ts'
import { instant, seconds, type Instant } from '../../../src/model/units.ts'
import { seeded } from '../../simulation/seeded.ts'
import { passPlan } from '../../support/pass-plan.ts'
import { NO_HISTORY } from '../../support/no-history.ts'
import { UNASKED } from '../../support/unasked.ts'
import { at, compute, ledger, operation, project } from '../../support/build.ts'
import { rowsOf } from '../../support/writes.ts'
import { noRedactor } from '../../support/secrets.ts'

/** Milliseconds after the start, by the service's clock. */
export type History = readonly { readonly from: number; readonly to: number }[]

export type Faults = {
  /** The daemon's clock minus the service's, ms. */
  readonly skew?: number
  /** Whether records have `started_at` and `suspended_at`. */
  readonly records?: boolean
  /** Milliseconds until an operation is listed. */
  readonly operationsLag?: number
  /** Whether the list of operations fails in the pass of that number. */
  readonly operationsFail?: (passNumber: number) => boolean
  /** The daemon does not run between these, and begins anew from the store at the second. */
  readonly down?: readonly [number, number]
  /** Somebody sets the wall clock of the daemon's machine. */
  readonly step?: { readonly at: number; readonly by: number }
}

const MINUTE = 60_000
const never = (): never => {
  throw new Error('a pass does not do this')
}
const inSeconds = (ms: number): Instant => instant(at(0) + Math.floor(ms / 1000) * 1000)

export type Judged = {
  readonly contains: boolean
  readonly wakes: number
  readonly restarts: number
  readonly suspends: number
  readonly settled: number
}

/** What the account says after a pass a minute until `until`, beside the truth. Counters are seen never to fall. */
export async function judged(history: History, until: number, faults: Faults = {}): Promise<Judged> {
  let time = 0
  let passes = 0
  const settled: SettledInterval[] = []
  const ports = portsOf(history, { ...faults, time: () => time, passes: () => passes, settled })
  const plan = passPlan()
  let state: PassState = newPassState(ledger())
  let seen: ComputeEntry | undefined
  for (; time <= until; time += MINUTE) {
    const { down } = faults
    if (down && time > down[0] && time < down[1]) continue
    passes += 1
    const after = await pass(
      { ...ports, timed: untimed },
      { before: state, plan },
      new AbortController().signal,
    )
    const account = [...after.ledger.computes.values()][0]
    if (account && seen) expect(account.counters.awake).toBeGreaterThanOrEqual(seen.counters.awake)
    state = after
    seen = account
  }
  if (!seen) throw new Error('the compute was never seen')
  const truth = history.reduce((sum, { from, to }) => sum + to - from, 0)
  const { low, high } = seen.totals.awake
  const { wakes, restarts, suspends } = seen.totals
  return { contains: low <= truth && truth <= high, wakes, restarts, suspends, settled: settled.length }
}

type Stage = Faults & {
  readonly time: () => number
  readonly passes: () => number
  readonly settled: SettledInterval[]
}

function portsOf(history: History, stage: Stage): Ports {
  const { skew = 0, records = true, operationsLag = 0, operationsFail, step, time, passes, settled } = stage
  const operations = history.flatMap(({ from, to }, index) => [
    { due: from, record: dated('start_compute', `start-${index}`, from) },
    { due: to, record: dated('suspend_compute', `end-${index}`, to) },
  ])
  const service: Service = {
    ...UNASKED,
    listProjectsPage: () =>
      Promise.resolve(ok({ items: [project({ cpuUsedSeconds: time() })], problems: [], next: undefined })),
    listComputes: () => answer([recordAt(history, time(), records)]),
    listOperations: (_, since) =>
      operationsFail?.(passes())
        ? Promise.resolve(failed({ kind: 'unavailable', message: 'not now' }))
        : answer(
            operations
              .filter(({ due, record }) => due + operationsLag <= time() && record.createdAt >= since - 1000)
              .map(({ record }) => record),
          ),
  }
  return {
    clock: {
      now: () => instant(at(0) + time() + skew + (step && time() >= step.at ? step.by : 0)),
      monotonic: () => seconds(time() / 1000),
      sleep: sleepUntilStopped,
      yield: () => Promise.resolve(),
    },
    serviceTime: { estimate: () => undefined },
    random: seeded(1),
    service,
    redact: noRedactor.redact,
    readings: {
      refusalOf: () => 'no-dsn',
      prepare: () => Promise.resolve(undefined),
      evict: () => undefined,
      read: never,
    },
    store: {
      load: never,
      commit: (writes) => {
        settled.push(...rowsOf(writes).settled)
        return Promise.resolve(ok(undefined))
      },
    },
    epoch: 1,
    history: NO_HISTORY,
    send: () => Promise.resolve([]),
  }
}

const dated = (action: string, operationId: string, when: number): Operation =>
  operation(action, 0, { operationId, createdAt: inSeconds(when - 300), updatedAt: inSeconds(when) })

function recordAt(history: History, time: number, records: boolean): Compute {
  const started = history.findLast(({ from }) => from <= time)
  const ended = history.findLast(({ to }) => to <= time)
  const changes = history.flatMap(({ from, to }) => [from, to]).filter((when) => when <= time)
  return compute({
    state: started && time < started.to ? 'active' : 'idle',
    startedAt: records && started ? inSeconds(started.from) : undefined,
    suspendedAt: records && ended ? inSeconds(ended.to) : undefined,
    updatedAt: inSeconds(Math.max(0, ...changes)),
  })
}

const answer = <Item>(items: readonly Item[]): Promise<Result<Listing<Item>, ServiceError>> =>
  Promise.resolve(ok({ items, problems: [] }))
