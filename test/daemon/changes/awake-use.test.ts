import { describe, expect, test } from 'vitest'
import { createAwakeUse, createLightReading, isQuietReading } from '../../../src/daemon/changes/awake-use.ts'
import { isSuspensionNear } from '../../../src/daemon/changes/holds.ts'
import type { ComputeEntry } from '../../../src/model/ledger/ledger.ts'
import type { Rollup } from '../../../src/model/ledger/rollup.ts'
import type { Reading } from '../../../src/model/observation.ts'
import type { AwakeRungs } from '../../../src/model/policy/change-policy.ts'
import type { Compute } from '../../../src/model/service/compute.ts'
import type { Readings } from '../../../src/model/ports/readings.ts'
import { seconds, type Instant } from '../../../src/model/units.ts'
import { at, compute, project, reading } from '../../support/build.ts'
import { changeOf } from '../../support/changes.ts'
import { createVirtualClock } from '../../support/virtual-clock.ts'
import { computeOf } from '../../store/build.ts'

const NOBODY = { active: 0, idle: 0, idleInTransaction: 0, other: 0 }
const STILL = {
  working: 0,
  idleInTransaction: 0,
  replication: 0,
  subscriptions: 0,
  autovacuum: 0,
  prepared: 0,
  lastForeignStatement: undefined,
  longestTransaction: undefined,
}
const QUIET = reading({ connections: NOBODY, causes: STILL })
const BUSY = reading({ connections: { ...NOBODY, idle: 1 }, causes: STILL })

describe('a reading is quiet', () => {
  test.each<[what: string, over: Partial<Reading>, isQuiet: boolean]>([
    ['where nobody is there', {}, true],
    ['not with an idle client', { connections: { ...NOBODY, idle: 1 } }, false],
    ['not with a client in a transaction', { connections: { ...NOBODY, idleInTransaction: 1 } }, false],
    ['not with a replica', { causes: { ...STILL, replication: 1 } }, false],
    ['not with a subscription', { causes: { ...STILL, subscriptions: 1 } }, false],
    ['not with an autovacuum', { causes: { ...STILL, autovacuum: 1 } }, false],
    ['not with a prepared transaction', { causes: { ...STILL, prepared: 1 } }, false],
    ['not where connections could not be read', { connections: { missing: 'no' } }, false],
    ['not where indicators could not be read', { causes: { missing: 'no' } }, false],
  ])('%s', (_, over, isQuiet) => {
    expect(isQuietReading({ ...QUIET, ...over })).toBe(isQuiet)
  })
})

const QUIETLY: AwakeRungs = { quiet: true, lowestLoad: false, lastSafe: at(9999) }
const LOWEST: AwakeRungs = { quiet: false, lowestLoad: true, lastSafe: at(9999) }

/** Averages of active sessions by hour, and what the last pass read a minute ago. */
function useOf({
  loads = [],
  last = QUIET,
  active,
  own = () => QUIET,
}: Readonly<{
  loads?: readonly number[]
  last?: Reading
  active?: number
  own?: () => Reading | undefined
}>) {
  let now: Instant = at(0)
  const read: Instant[] = []
  const entry = computeOf('ep-one', 'project-one')
  const seen = {
    ...entry,
    reading: {
      ...entry.reading,
      last: { ...last, at: at(-60) },
      usage: {
        arrivals: 0,
        activeTime: 0,
        last: active === undefined ? undefined : { averageActive: active },
      },
    },
  } as unknown as ComputeEntry
  const uses = createAwakeUse({
    history: {
      rollups: async function* () {
        yield* loads.map((load) => ({ use: { activeTime: load * 1000, over: 1000 } }) as unknown as Rollup)
      },
    },
    entryOf: () => seen,
    readLightly: async () => {
      read.push(now)
      return own()
    },
    now: () => now,
  })
  const ask = (rungs: AwakeRungs, time: number) => {
    now = at(time)
    return uses.of(changeOf(), { compute: compute({ state: 'active' }), rungs }, new AbortController().signal)
  }
  return { ask, read }
}

describe('nobody works', () => {
  test('where a pass and a reading of ours half a minute later saw nobody', async () => {
    const { ask, read } = useOf({})
    expect((await ask(QUIETLY, -31))?.isQuiet).toBe(false)
    expect((await ask(QUIETLY, -30))?.isQuiet).toBe(true)
    expect(read).toEqual([at(-30)])
  })

  test('and nothing is read where the pass saw somebody', async () => {
    const { ask, read } = useOf({ last: BUSY })
    expect((await ask(QUIETLY, 0))?.isQuiet).toBe(false)
    expect(read).toEqual([])
  })

  test('nor where its reading is older than ten minutes', async () => {
    const { ask, read } = useOf({})
    expect((await ask(QUIETLY, 540))?.isQuiet).toBe(false)
    expect(read).toEqual([])
  })

  test('nor where the rung is not allowed', async () => {
    const { ask, read } = useOf({})
    expect((await ask(LOWEST, 0))?.isQuiet).toBe(false)
    expect(read).toEqual([])
  })

  test.each<[what: string, own: Reading | undefined]>([
    ['somebody', BUSY],
    ['nothing', undefined],
  ])(
    'and where our reading finds %s, the next one waits for another pass that sees nobody',
    async (_, own) => {
      const { ask, read } = useOf({ own: () => own })
      for (const time of [0, 10, 30, 120]) expect((await ask(QUIETLY, time))?.isQuiet).toBe(false)
      expect(read).toEqual([at(0)])
    },
  )

  test('and a change that is held meanwhile reads again each half minute', async () => {
    const { ask, read } = useOf({})
    for (const time of [0, 10, 20, 30]) await ask(QUIETLY, time)
    expect(read).toEqual([at(0), at(30)])
  })
})

describe('the load', () => {
  const hours = Array.from({ length: 100 }, (_, hour) => hour / 100)
  test.each<[what: string, loads: readonly number[], active: number | undefined, load: unknown]>([
    ['is low where a third of the hours is lower', hours, 0.5, { now: 0.5, low: 0.3 }],
    ['is not known without two days of hours', hours.slice(0, 47), 0.5, undefined],
    ['is not known without a reading', hours, undefined, undefined],
  ])('%s', async (_, loads, active, load) => {
    const { ask } = useOf({ loads, ...(active !== undefined && { active }) })
    expect((await ask(LOWEST, 0))?.load).toEqual(load)
  })

  test('of an old reading says nothing about now', async () => {
    const { ask } = useOf({ loads: hours, active: 0 })
    expect((await ask(LOWEST, 541))?.load).toBeUndefined()
  })
})

describe('a suspension is near', () => {
  /** Slept for 20 s, a delay of 300 s: it is suspended 5 s after it. */
  const napping: Partial<Compute> = {
    state: 'active',
    suspendedAt: at(-20),
    startedAt: at(0),
    lastActive: at(0),
    autosuspendDelay: seconds(300),
  }
  test.each<[what: string, over: Partial<Compute>, now: number, isNear: boolean]>([
    ['10 s before it', {}, 295, true],
    ['not earlier', {}, 294, false],
    ['for the time between two passes after it', {}, 365, true],
    ['not later', {}, 366, false],
    ['not of a compute that slept a minute', { suspendedAt: at(-60) }, 300, false],
    ['not while asleep', { state: 'idle' }, 300, false],
    ['not where the service publishes no start', { startedAt: undefined }, 300, false],
    ['not without autosuspend', { autosuspendDelay: 'never' }, 300, false],
  ])('%s', (_, over, now, isNear) => {
    const seen = { compute: compute({ ...napping, ...over }), project: project() }
    expect(isSuspensionNear(seen, seconds(60), at(now))).toBe(isNear)
  })
})

/** Of an awake compute with a delay of a minute, at second 100. */
async function readsLightly(over: Partial<Compute>, isRead = true): Promise<boolean> {
  const read: string[] = []
  const readLightly = createLightReading({
    readings: {
      refusalOf: () => undefined,
      prepare: async () => undefined,
      read: async ({ endpointId }) => {
        read.push(endpointId)
        return { kind: 'read', reading: QUIET }
      },
    } as Partial<Readings> as Readings,
    clock: createVirtualClock(at(100)),
    isRead: () => isRead,
    defaultDelayOf: () => seconds(120),
    now: () => at(100),
  })
  const awake = compute({
    state: 'active',
    autosuspendDelay: seconds(60),
    startedAt: at(0),
    lastActive: at(50),
  })
  const found = await readLightly({ ...awake, ...over }, new AbortController().signal)
  expect(found !== undefined).toBe(read.length > 0)
  return found !== undefined
}

describe('a light reading', () => {
  test.each<[what: string, over: Partial<Compute>, isMade: boolean]>([
    ['well before a suspension', {}, true],
    ['four seconds before a suspension', { lastActive: at(44) }, false],
    ['five seconds before a suspension', { lastActive: at(45) }, true],
    [
      'of one that a change of its configuration has just started',
      { startedAt: at(100), lastActive: at(-300) },
      false,
    ],
    ['of one without a record of its activity', { lastActive: undefined }, false],
    ['of one that is never suspended', { autosuspendDelay: 'never', lastActive: at(-300) }, true],
    ['under the default of its project', { autosuspendDelay: undefined, lastActive: at(-10) }, true],
    ['of one that is in transition', { pendingState: 'idle' }, false],
    ['of one that sleeps', { state: 'idle' }, false],
    ['of one that is disabled', { disabled: true }, false],
  ])('%s: %j, made %s', async (_, over, isMade) => {
    expect(await readsLightly(over)).toBe(isMade)
  })

  test('is not made where the configuration allows none', async () => {
    expect(await readsLightly({}, false)).toBe(false)
  })
})
