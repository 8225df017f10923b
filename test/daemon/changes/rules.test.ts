import { describe, expect, test } from 'vitest'
import { createChangeRules } from '../../../src/daemon/changes/rules.ts'
import type { Gap, ObservedSetting } from '../../../src/model/ledger/gap.ts'
import type { Change } from '../../../src/model/policy/change.ts'
import type { HistorySpan } from '../../../src/model/ports/history.ts'
import type { Compute } from '../../../src/model/service/compute.ts'
import { after, cu, seconds } from '../../../src/model/units.ts'
import { seenOf } from '../../apply/build.ts'
import { at } from '../../support/build.ts'
import { CHANGED, changeOf } from '../../support/changes.ts'
import { memoryStore } from '../../support/memory-store.ts'

const DAY = 86_400
const NOW = at(30 * DAY)
const REF = CHANGED

type World = Readonly<{
  changes?: readonly Change[]
  gaps?: readonly Gap[]
  settings?: readonly ObservedSetting[]
  duration?: number
}>

/** With the spans of the gaps that were read. */
async function rulesOf(
  { changes = [], gaps = [], settings = [], duration = 10 }: World,
  change = changeOf(),
  over: Partial<Compute> = {},
) {
  const store = memoryStore()
  await store
    .account('main')
    .commit(changes.map((one) => ({ kind: 'change', change: one, replaces: undefined })))
  const spans: HistorySpan[] = []
  const rules = createChangeRules({
    account: 'main',
    journal: store,
    duration: () => seconds(duration),
    now: () => NOW,
    history: {
      gaps: async function* (_, span) {
        spans.push(span)
        yield* gaps
      },
      settings: async function* () {
        yield* settings
      },
    },
  })
  const seen = seenOf(over, { askedAt: NOW })
  const { arrival, ...rest } = await rules(change, seen)
  return { ...rest, spans, arrival: arrival(seen) }
}

const gap = (index: number, length: number): Gap => ({
  ref: REF,
  from: at(index * 3600),
  low: seconds(length),
  high: seconds(length),
  hiddenBelow: seconds(0),
})
const gapsOf = (count: number, length: number) =>
  Array.from({ length: count }, (_, index) => gap(index, length))
/** Asleep, its last client `past` seconds ago. */
const asleep = (past: number): Partial<Compute> => ({ state: 'idle', lastActive: at(30 * DAY - past) })

const done = (id: string, sentAt: number, took: number, fields: Partial<Change> = {}): Change =>
  changeOf({
    id,
    ref: { ...REF, endpointId: `ep-${id}` },
    state: {
      at: 'done',
      because: '',
      endedAt: at(sentAt + took),
      sent: { at: at(sentAt), sessions: 0 },
    },
    ...fields,
  })
describe('the probability of a client', () => {
  test('is learned from the gaps: high where they end now, low long before and after', async () => {
    const gaps = gapsOf(100, 300)
    const [before, due, later] = await Promise.all(
      [100, 295, 2000].map(async (past) => (await rulesOf({ gaps }, changeOf(), asleep(past))).arrival),
    )
    expect(before).toBeLessThan(0.01)
    expect(due).toBeGreaterThan(0.05)
    expect(later).toBeLessThan(due ?? 0)
  })

  test('is not that of gaps that would have ended by now, though they have the same bin', async () => {
    const short = await rulesOf({ gaps: gapsOf(100, 5) }, changeOf(), asleep(10))
    const none = await rulesOf({}, changeOf(), asleep(10))
    const due = await rulesOf({ gaps: gapsOf(100, 15) }, changeOf(), asleep(10))
    expect(short.arrival).toBe(none.arrival)
    expect(due.arrival).toBeGreaterThan(0.05)
  })

  test('of fewer than three gaps is the prior', async () => {
    const none = await rulesOf({}, changeOf(), asleep(295))
    const two = await rulesOf({ gaps: gapsOf(2, 300) }, changeOf(), asleep(295))
    const three = await rulesOf({ gaps: gapsOf(3, 300) }, changeOf(), asleep(295))
    expect(two.arrival).toBe(none.arrival)
    expect(three.arrival).toBeGreaterThan(none.arrival)
  })

  test('is learned from the newest 400 gaps of this compute in 28 days', async () => {
    const old = gapsOf(400, 3000)
    const gaps = [...old, ...gapsOf(400, 300)]
    const { arrival, spans } = await rulesOf({ gaps }, changeOf(), asleep(295))
    expect(arrival).toBe((await rulesOf({ gaps: gapsOf(400, 300) }, changeOf(), asleep(295))).arrival)
    expect(spans).toEqual([{ from: at(2 * DAY), to: NOW, computes: [REF] }])
  })

  test('is learned anew after ten minutes, of each compute', async () => {
    const read: string[] = []
    let now = NOW
    const rules = createChangeRules({
      account: 'main',
      journal: memoryStore(),
      duration: () => seconds(10),
      now: () => now,
      history: {
        gaps: async function* (_, { computes: [ref] = [] }) {
          read.push(ref?.endpointId ?? '')
          yield* gapsOf(3, 300)
        },
        settings: async function* () {
          yield* []
        },
      },
    })
    const other = changeOf({ ref: { ...REF, endpointId: 'ep-two' } })
    for (const [elapsed, change] of [
      [0, changeOf()],
      [599, changeOf()],
      [0, other],
      [601, changeOf()],
    ] as const) {
      now = after(NOW, seconds(elapsed))
      // oxlint-disable-next-line no-await-in-loop -- one look after the other
      await rules(change, seenOf(asleep(295), { askedAt: now }))
    }
    expect(read).toEqual([REF.endpointId, 'ep-two', REF.endpointId])
  })

  test('is that within the duration of a change', async () => {
    const gaps = gapsOf(100, 300)
    const [short, long] = await Promise.all(
      [10, 60].map(async (duration) => (await rulesOf({ gaps, duration }, changeOf(), asleep(200))).arrival),
    )
    expect(long).toBeGreaterThan(short ?? 1)
  })

  test.each<[string, Partial<Change>, Partial<Compute>]>([
    ['a delay', { kind: 'delay' }, asleep(295)],
    ['one that does not wait', { when: 'now' }, asleep(295)],
    ['an awake compute', {}, { state: 'active' }],
  ])('is not asked for %s', async (_, fields, over) => {
    const { arrival, spans } = await rulesOf({ gaps: gapsOf(100, 300) }, changeOf(fields), over)
    expect([arrival, spans]).toEqual([0, []])
  })
})

const delay = (one: number | 'never') => ({ autosuspendDelay: one === 'never' ? one : seconds(one) })
const to = (from: number | 'never', desired: number | 'never'): Partial<Change> => ({
  ref: REF,
  kind: 'delay',
  before: delay(from),
  desired: delay(desired),
})

describe('the last shortening of the delay', () => {
  const hourAgo = 30 * DAY - 3600
  const waiting = changeOf({ ...to(300, 60), id: 'ch-now' })
  const shortenedAt = async (changes: readonly Change[]) => (await rulesOf({ changes }, waiting)).shortenedAt

  test('is the newest that was sent to this compute', async () => {
    const earlier = [
      done('ch-1', hourAgo, 10, to(600, 300)),
      done('ch-2', hourAgo + 60, 10, to('never', 600)),
    ]
    expect(await shortenedAt(earlier)).toBe(at(hourAgo + 60))
  })

  test.each<[string, Change]>([
    ['longer', done('ch-1', hourAgo, 10, to(60, 300))],
    [
      'of another compute',
      done('ch-1', hourAgo, 10, { ...to(600, 300), ref: { ...REF, endpointId: 'ep-two' } }),
    ],
    [
      'not sent',
      changeOf({ ...to(600, 300), id: 'ch-1', state: { at: 'cancelled', because: '', endedAt: NOW } }),
    ],
  ])('is none where it was %s', async (_, change) => {
    expect(await shortenedAt([change])).toBeUndefined()
  })

  test('counts before it is verified, as part of a change of size', async () => {
    const state = {
      at: 'verifying',
      since: at(hourAgo),
      operationIds: [],
      sent: { at: at(hourAgo), sessions: 0 },
    } as const
    expect(await shortenedAt([changeOf({ ...to(600, 300), kind: 'sizing', state })])).toBe(at(hourAgo))
  })
})

test('siblings are the other changes of the project', async () => {
  const superseded = { at: 'superseded', because: '', endedAt: at(30 * DAY - 60) } as const
  const sibling = changeOf({ id: 'ch-two', state: superseded })
  const stranger = { ...sibling, ref: { ...REF, projectId: 'project-two' } }
  expect((await rulesOf({ changes: [sibling] })).siblings).toEqual({
    because: 'foreign-change',
    until: at(31 * DAY - 60),
  })
  expect((await rulesOf({ changes: [stranger] })).siblings).toBeUndefined()
})

const set = (since: number, fields: Partial<ObservedSetting> = {}): ObservedSetting => ({
  ref: REF,
  since: at(since),
  delay: seconds(300),
  sizing: { fixed: cu(1) },
  ...fields,
})

describe('a setting that somebody else made', () => {
  const byPolicy = changeOf({
    origin: { by: 'policy', id: 'ep-one.sizing.1', hash: 'h', name: 'policies[0]' },
  })
  const HOUR_AGO = 30 * DAY - 3600
  const larger = set(HOUR_AGO, { sizing: { fixed: cu(2) } })
  const held = { because: 'foreign-change', until: at(HOUR_AGO + DAY) }
  const ours = (fields: Partial<Change>) =>
    done('ours', HOUR_AGO - 60, 10, { ref: REF, origin: byPolicy.origin, ...fields })

  test.each<[string, readonly ObservedSetting[], readonly Change[], Change, unknown]>([
    ['holds a policy, though no change was open', [set(0), larger], [], byPolicy, held],
    ['of the delay, too', [set(0), set(HOUR_AGO, { delay: 'never' })], [], byPolicy, held],
    ['holds no change that a person asks for', [set(0), larger], [], changeOf(), undefined],
    ['is none where nothing changed', [set(0), set(HOUR_AGO)], [], byPolicy, undefined],
    ['is none where it was there from the beginning', [larger], [], byPolicy, undefined],
    [
      'is none where a change sent it',
      [set(0), larger],
      [ours({ desired: { sizing: { fixed: cu(2) } } })],
      byPolicy,
      undefined,
    ],
    [
      'is one where a change sent another',
      [set(0), larger],
      [ours({ desired: { sizing: { fixed: cu(4) } } })],
      byPolicy,
      held,
    ],
    [
      'is none where a change asked for the default',
      [set(0), set(HOUR_AGO, { delay: 'never' })],
      [ours({ desired: { autosuspendDelay: seconds(0) } })],
      byPolicy,
      undefined,
    ],
    [
      'is one where a change asked for the default, and the compute has a delay of its own',
      [set(0), set(HOUR_AGO, { delay: 'never', isOwnDelay: true })],
      [ours({ desired: { autosuspendDelay: seconds(0) } })],
      byPolicy,
      held,
    ],
    [
      'is one where a change sent a part of it',
      [set(0), set(HOUR_AGO, { sizing: { fixed: cu(2) }, delay: 'never' })],
      [ours({ desired: { sizing: { fixed: cu(2) } } })],
      byPolicy,
      held,
    ],
  ])('%s', async (_, settings, changes, change, expected) => {
    expect((await rulesOf({ settings, changes }, change)).siblings).toEqual(expected)
  })
})
