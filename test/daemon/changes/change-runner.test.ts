import { describe, expect, onTestFinished, test } from 'vitest'
import { createWindow } from '../../../src/calendar/window.ts'
import type { Config } from '../../../src/config/load.ts'
import { newPassState } from '../../../src/daemon/pass/pass-state.ts'
import type { ComputeEntry } from '../../../src/model/ledger/ledger.ts'
import type { ProjectEntry } from '../../../src/model/ledger/project-entry.ts'
import type { ReadingResult } from '../../../src/model/observation.ts'
import { DEFAULT_BRAKES } from '../../../src/model/policy/brakes.ts'
import type { Change } from '../../../src/model/policy/change.ts'
import { createPolicies, type PolicyRule } from '../../../src/model/policy/policies.ts'
import type { PlacedHold } from '../../../src/model/policy/placed-hold.ts'
import { addChange } from '../../../src/model/ports/journal.ts'
import type { Readings } from '../../../src/model/ports/readings.ts'
import { computeKey, type Compute } from '../../../src/model/service/compute.ts'
import { after, instant, seconds } from '../../../src/model/units.ts'
import { computeOf } from '../../store/build.ts'
import { at, compute, ledger, project } from '../../support/build.ts'
import { changeOf } from '../../support/changes.ts'
import { fakeClock, sleepUntilStopped } from '../../support/fake-clock.ts'
import { memoryStore } from '../../support/memory-store.ts'
import { placedHold } from '../../support/placed-holds.ts'
import { fakeService } from './fake-service.ts'
import { runnerOf } from './runner-of.ts'

const year2026 = {
  kind: 'once',
  from: instant(Date.parse('2026-01-01')),
  to: instant(Date.parse('2027-01-01')),
} as const
const WINDOWS = new Map([
  ['year', createWindow([year2026])],
  ['past', createWindow([{ kind: 'once', from: at(-7200), to: at(-3000) }])],
])

type World = Readonly<{
  /** As the last pass saw it. */
  entry?: Partial<ComputeEntry>
  project?: Partial<ProjectEntry>
  mode?: Config['mode']
  policies?: readonly PolicyRule[]
  readingMode?: 'off' | 'light'
  isKilled?: boolean
  /** Names of windows. */
  freeze?: readonly string[]
  holds?: readonly PlacedHold[]
  isUnauthorized?: boolean
  compute?: Partial<Compute>
  change?: Partial<Change>
  readings?: Partial<Readings>
  /** Seconds by which the wall clock was set since the last pass. */
  step?: number
}>

/** After a pass. */
function passed(
  { entry, project: ofProject, isUnauthorized, step = 0 }: World,
  clock: ReturnType<typeof fakeClock>,
) {
  const seen = entry && { ...computeOf('ep-one'), ...entry }
  const projects =
    ofProject && new Map([['project-one', { project: project(), listed: undefined, ...ofProject }]])
  const computes = seen && new Map([[computeKey(seen.ref), seen]])
  const begun = newPassState(ledger({ ...(computes && { computes }), ...(projects && { projects }) }))
  const status = isUnauthorized ? ('unauthorized' as const) : ('ok' as const)
  const anchor = { at: after(clock.now(), seconds(-step)), on: clock.monotonic() }
  return { ...begun, service: { ...begun.service, status }, clock: { ...begun.clock, anchor } }
}

/** A runner for two virtual minutes. @returns what was sent, the hold, and the change */
async function ran(world: World) {
  const { mode = 'suggest', readingMode = 'light' } = world
  const clock = fakeClock()
  const memory = memoryStore()
  const { service, sent } = fakeService(world.compute)
  const state = passed(world, clock)
  const change = changeOf({
    createdAt: clock.now(),
    deadline: after(clock.now(), seconds(86_400)),
    ...world.change,
  })
  await addChange(memory.account('main'), change, { at: clock.now() })
  const runner = runnerOf({
    clock,
    memory,
    state,
    service,
    readings: world.readings,
    holds: world.holds ?? [],
    isKilled: world.isKilled ?? false,
    config: {
      mode,
      policies: createPolicies(world.policies ?? []),
      brakes: DEFAULT_BRAKES,
      changes: { freeze: world.freeze ?? [] },
      windows: WINDOWS,
      reading: { mode: readingMode },
    } as unknown as Partial<Config>,
  })
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  void runner.run(stop.signal)
  await clock.advance(seconds(120))
  return {
    sent: sent.length,
    engaged: runner.engagedBrakes(),
    hold: runner.holdOf(change.id)?.because,
    slot: runner.slotOf(change),
    change: await memory.change('main', 'ch-one'),
  }
}

test.each<[string, World, number, string | undefined]>([
  ['mode off', { mode: 'off' }, 0, 'mode'],
  ['mode observe', { mode: 'observe' }, 0, 'mode'],
  ['mode suggest', { mode: 'suggest' }, 1, undefined],
  ['mode approve', { mode: 'approve' }, 1, undefined],
  ['mode apply', { mode: 'apply' }, 1, undefined],
  ['the kill switch engaged', { isKilled: true }, 0, 'kill-switch'],
  ['the clock set, which a person does not wait for', { step: 3600 }, 1, undefined],
  ['the clock set forward, by a policy', { step: 3600, change: { when: 'policy' } }, 0, 'clock'],
  ['the clock set back, by a policy', { step: -3600, change: { when: 'policy' } }, 0, 'clock'],
  ['the clock set, where a freeze may be open by now', { step: 3600, freeze: ['past'] }, 0, 'clock'],
  [
    'a hold that is over only by a clock that was set',
    { step: 3600, holds: [placedHold({ until: at(-60) })] },
    0,
    'hold',
  ],
  ['a freeze', { freeze: ['year'] }, 0, 'freeze'],
  ['a hold', { holds: [placedHold()] }, 0, 'hold'],
  [
    'a hold on other computes, in doubt: no pass has seen this one',
    { holds: [placedHold({ match: { project: ['other'] } })] },
    0,
    'hold',
  ],
  ['a hold that has ended', { holds: [placedHold({ until: at(-1) })] }, 1, undefined],
  ['a kill switch before a freeze and a hold', { isKilled: true, freeze: ['year'] }, 0, 'kill-switch'],
  ['a freeze before a hold', { freeze: ['year'], holds: [placedHold()] }, 0, 'freeze'],
  ['a key that the service refuses', { isUnauthorized: true }, 0, 'key-refused'],
])('with %s', async (_, world, requests, hold) => {
  const { sent, hold: because, change } = await ran(world)
  expect([sent, because, change?.state.at]).toEqual([requests, hold, requests === 1 ? 'done' : 'scheduled'])
})

test.each<[string, World, readonly string[]]>([
  ['nothing', {}, []],
  ['an open freeze', { freeze: ['year'] }, ['freeze']],
  ['a hold', { holds: [placedHold()] }, ['hold']],
  ['a hold that has ended', { holds: [placedHold({ until: at(-1) })] }, []],
])('what the metric of brakes shows of %s', async (_, world, engaged) => {
  expect((await ran(world)).engaged).toEqual(engaged)
})

describe('the sessions that a change interrupts are', () => {
  const NOW = { change: { when: 'now' }, compute: { state: 'active', lastActive: at(-5) } } as const
  const none = { kind: 'failed', because: 'timeout' } as unknown as ReadingResult
  test.each<[string, World, number | 'unknown']>([
    ['none where the compute is suspended', {}, 0],
    ['counted by a light reading where it is awake', NOW, 7],
    [
      'unknown where it may be suspended before they are counted',
      { ...NOW, compute: { state: 'active', lastActive: at(-299) } },
      'unknown',
    ],
    ['unknown where nothing is read', { ...NOW, readingMode: 'off' }, 'unknown'],
    ['unknown where it cannot be read', { ...NOW, readings: { refusalOf: () => 'no-dsn' } }, 'unknown'],
    ['unknown where it cannot be prepared', { ...NOW, readings: { prepare: async () => none } }, 'unknown'],
    ['unknown where the reading fails', { ...NOW, readings: { read: async () => none } }, 'unknown'],
    [
      'unknown where the reading hangs for a second',
      {
        ...NOW,
        readings: {
          read: async (_compute, _kind, signal) => {
            await sleepUntilStopped(seconds(60), signal)
            return none
          },
        },
      },
      'unknown',
    ],
  ])('%s', async (_, world, sessions) => {
    const { sent, change } = await ran(world)
    expect([sent, change?.state]).toMatchObject([1, { at: 'done', sent: { sessions } }])
  })
})

test.each<[string, World, ReturnType<typeof at> | undefined]>([
  ['begins now, where nothing holds it', {}, at(120)],
  ['begins when a hold ends', { holds: [placedHold({ until: at(3600) })] }, at(3600)],
  ['is none in a freeze of a year', { freeze: ['year'] }, undefined],
])('the slot of a change %s', async (_, world, from) => {
  const { slot } = await ran(world)
  expect(slot).toEqual(from === undefined ? undefined : { from, to: at(86_400) })
})

describe('a change of a compute that is deleted', () => {
  const gone = { compute: { endpointId: 'ep-other' } } as const
  test.each<[string, World]>([
    [
      'ends where a delay waited for a client',
      {
        ...gone,
        change: { kind: 'delay', when: 'policy', desired: { autosuspendDelay: seconds(60) } },
        entry: { compute: compute({ state: 'idle' }), deletedAt: at(-5) },
      },
    ],
    [
      'ends where a size waited for the suspension',
      { ...gone, entry: { compute: compute({ state: 'active' }), deletedAt: at(-5) } },
    ],
    [
      'ends where it waited for an approval',
      { ...gone, change: { state: { at: 'proposed' } }, entry: { deletedAt: at(-5) } },
    ],
    ['ends under a kill switch', { ...gone, isKilled: true, entry: { deletedAt: at(-5) } }],
    ['ends in a freeze', { ...gone, freeze: ['year'], entry: { deletedAt: at(-5) } }],
    [
      'ends where it waited for its project',
      {
        ...gone,
        change: {
          kind: 'defaults',
          ref: { account: 'main', projectId: 'project-one' },
          desired: { autosuspendDelay: seconds(60) },
          before: { autosuspendDelay: seconds(300) },
          state: { at: 'proposed' },
        },
        project: { deletedAt: at(-5) },
      },
    ],
  ])('%s', async (_, world) => {
    const apply = {
      ...world,
      mode: 'apply',
      policies: [{ match: {}, mode: 'apply', levers: ['delay'] }],
    } as const
    const { sent, change } = await ran(apply)
    expect([sent, change?.state]).toMatchObject([
      0,
      { at: 'expired', because: expect.stringMatching(/^the (compute|project) is deleted$/) },
    ])
  })
})
