import { openGate } from '../open-gate.ts'
import { sleepUntilStopped } from '../../support/fake-clock.ts'
import { expect, test } from 'vitest'
import type { Compute } from '../../../src/model/service/compute.ts'
import type { ComputeEntry } from '../../../src/model/ledger/ledger.ts'
import type { Look } from '../../../src/model/observation.ts'
import { ok } from '../../../src/std/result.ts'
import { after, seconds, type Seconds } from '../../../src/model/units.ts'
import {
  runReadingRound,
  type ReadingPlan,
  type ReadingRound,
} from '../../../src/observe/reading/reading-round.ts'
import { accounted } from '../../support/accounted.ts'
import { at, compute, ledger, look, prices, reading, sweep } from '../../support/build.ts'
import { UNASKED } from '../../support/unasked.ts'

const plan: ReadingPlan = {
  mode: 'full',
  activityLag: seconds(5),
  deadline: seconds(5),
  minInterval: seconds(300),
  maxConcurrent: 1,
}
const never = new AbortController().signal

type Stage = {
  /** Endpoint id → when it was last tried; undefined for never. */
  readonly tried: Readonly<Record<string, number | undefined>>
  /** What a reading takes. */
  readonly takes?: Seconds
  /** What getting its address ready takes, and what comes of it. */
  readonly address?: { readonly takes: Seconds; readonly failure?: string }
  /** What its record says when it is looked at again. */
  readonly again?: Partial<Compute>
  /** Why nothing can be read. */
  readonly refusal?: 'no-dsn' | 'host-not-allowed'
  readonly plan?: Partial<ReadingPlan>
  /** Requests there are for it. */
  readonly room?: number
}

const active = (endpointId: string): Compute =>
  compute({ endpointId, state: 'active', startedAt: at(0), lastActive: at(999) })

function accountOf(endpointId: string, tried: number | undefined): ComputeEntry {
  const first = sweep(999, { looks: [look(999, active(endpointId))] })
  const [known] = accounted(ledger(), first, { prices, overhead: 0.01, now: at(999) }).rows.computes
  if (!known) throw new Error('a look makes an account')
  const last = tried === undefined ? {} : { attempts: 1, lastAttemptAt: at(tried), credit: seconds(300) }
  return { ...known, reading: { ...known.reading, ...last } }
}

/** A round at 1000 s after looks that are `old` seconds old; which computes were connected to, in their order. */
async function roundOf(
  { tried, takes = seconds(0.1), address, again = {}, refusal, plan: over, room = 100 }: Stage,
  old = 0,
): Promise<{ readonly round: ReadingRound; readonly read: readonly string[]; readonly asked: number }> {
  let elapsed = 1000
  let asked = 0
  const read: string[] = []
  const ids = Object.keys(tried)
  const ports = {
    clock: {
      now: () => at(elapsed),
      monotonic: () => seconds(elapsed),
      between: (from: Seconds, to: Seconds) => ({ from: at(from), to: at(to) }),
      sleep: sleepUntilStopped,
      yield: () => Promise.resolve(),
    },
    service: {
      ...UNASKED,
      listComputes: () => {
        asked += 1
        const items = ids.map((endpointId) => ({ ...active(endpointId), ...again }))
        return Promise.resolve(ok({ items, problems: [] }))
      },
    },
    statistics: () => Promise.resolve(new Map()),
    readings: {
      refusalOf: () => refusal,
      prepare: () => {
        elapsed += address?.takes ?? 0
        const message = address?.failure
        return Promise.resolve(
          message === undefined
            ? undefined
            : { kind: 'failed' as const, because: 'error' as const, message, unconnected: true as const },
        )
      },
      evict: () => undefined,
      read: ({ endpointId }: Compute) => {
        read.push(endpointId)
        elapsed += takes
        return Promise.resolve({ kind: 'read' as const, reading: reading({ serverTime: at(elapsed) }) })
      },
    },
  }
  const looks: Look[] = ids.map((endpointId) => ({
    compute: active(endpointId),
    askedAt: after(at(elapsed), seconds(-old)),
    answeredAt: after(at(elapsed), seconds(-old)),
    askedOn: seconds(elapsed - old),
  }))
  const computes = ids.map((id) => [`main/project-one/${id}`, accountOf(id, tried[id])] as const)
  const round = await runReadingRound(
    ports,
    {
      ledger: ledger({ computes: new Map(computes) }),
      looks,
      projectOf: () => undefined,
      plan: { ...plan, ...over },
      room,
    },
    { gate: openGate(ports.clock, never), signal: never },
  )
  return { round, read, asked }
}

test('a compute with a host that is not allowed is not read, and the reason is kept', async () => {
  const { round, read, asked } = await roundOf(
    { tried: { 'ep-a': undefined }, refusal: 'host-not-allowed' },
    5,
  )
  expect({ read, asked }).toEqual({ read: [], asked: 0 })
  expect(round.refusals).toMatchObject([{ refusal: { because: 'host-not-allowed' } }])
})

test('those that were never read come first, then those that were not for longest', async () => {
  const { read } = await roundOf({ tried: { 'ep-a': 500, 'ep-b': 100, 'ep-c': undefined } })
  expect(read).toEqual(['ep-c', 'ep-b', 'ep-a'])
})

test('a round begins no reading after twenty seconds, and says how many wait', async () => {
  const { round, read } = await roundOf({
    tried: { 'ep-a': 1, 'ep-b': 2, 'ep-c': 3, 'ep-d': 4 },
    takes: seconds(11),
  })
  expect(read).toEqual(['ep-a', 'ep-b'])
  expect(round.problems).toEqual([{ where: 'readings', message: '2 computes wait for the next pass' }])
})

test('a look of a moment ago is fresh, an older one is made again', async () => {
  expect((await roundOf({ tried: { 'ep-a': 1 } }, 0.9)).asked).toBe(0)
  expect((await roundOf({ tried: { 'ep-a': 1 } }, 1.1)).asked).toBe(1)
})

test.each<[string, Partial<Compute>]>([
  ['it fell asleep', { state: 'idle' }],
  ['it is about to', { pendingState: 'idle' }],
  ['it was disabled', { disabled: true }],
  ['it is gone', { endpointId: 'ep-other' }],
])('nothing is connected to when a fresh look shows that %s', async (_, again) => {
  const { read, round } = await roundOf({ tried: { 'ep-a': 1 }, again }, 5)
  expect(read).toEqual([])
  expect(round.readings).toEqual([])
})

test('a round asks for no more fresh looks than there are requests, and says how many wait', async () => {
  const { round, read, asked } = await roundOf(
    { tried: { 'ep-a': 500, 'ep-b': 100, 'ep-c': undefined }, room: 2 },
    10,
  )
  expect({ read, asked }).toEqual({ read: ['ep-c', 'ep-b'], asked: 2 })
  expect(round.problems).toEqual([{ where: 'readings', message: '1 computes wait for the next pass' }])
})

test('a compute that falls asleep while its address is fetched is not connected to', async () => {
  const { read, round, asked } = await roundOf({
    tried: { 'ep-a': 1 },
    address: { takes: seconds(4) },
    again: { state: 'idle' },
  })
  expect([read, asked]).toEqual([[], 1])
  expect(round.refusals.map(({ refusal }) => refusal.because)).toEqual(['not-active'])
})

test('a compute without an address is not looked at again, and its attempt is recorded without a session', async () => {
  const { read, round, asked } = await roundOf({
    tried: { 'ep-a': 1 },
    address: { takes: seconds(5), failure: 'no connection string' },
  })
  expect([read, asked]).toEqual([[], 0])
  const [attempt] = round.readings
  expect(attempt).toMatchObject({ result: { message: 'no connection string' }, expectedCost: 0 })
  const known = ledger({ computes: new Map([['main/project-one/ep-a', accountOf('ep-a', 1)]]) })
  const applied = accounted(known, sweep(1010, { readings: round.readings }), {
    prices,
    overhead: 0.01,
    now: at(1010),
  })
  const [entry] = applied.ledger.computes.values()
  expect(entry?.evidence.ownSessions).toEqual([])
  expect(entry?.reading.problem).toBe('no connection string')
})
