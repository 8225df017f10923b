// What every driver must do for what is to be told; part of contract.ts.
import { expect, test } from 'vitest'
import type { Delivery } from '../../src/model/output/delivery.ts'
import type { Event } from '../../src/model/output/event-kinds.ts'
import type { Driver } from './conformance.ts'
import type { JobState } from '../../src/model/ports/outbox.ts'
import { at } from '../support/build.ts'
import { put } from '../support/writes.ts'

const refused = (when: number): Event => ({ account: 'main', at: at(when), kind: 'key-refused' })
const accepted = (when: number): Event => ({ account: 'main', at: at(when), kind: 'key-accepted' })
const found = (when: number): Event => ({
  account: 'main',
  at: at(when),
  kind: 'compute-found',
  ref: { account: 'main', projectId: 'p', endpointId: 'ep' },
})

const delivery = (item: string, over: Partial<Delivery> = {}): Delivery => ({
  account: 'main',
  sink: 'ops',
  kind: 'event',
  item,
  topic: 'key',
  madeAt: at(0),
  attempts: 0,
  nextAt: at(0),
  state: 'waiting',
  lastError: undefined,
  deliveredAt: undefined,
  ...over,
})

const items = (all: readonly Delivery[]) => all.map(({ item }) => item)

const reportOf = (week: number, team?: string) => ({
  account: 'main',
  slot: { id: `2026-W0${week}`, from: at(0), to: at(7 * 86_400), late: false },
  madeAt: at(week),
  json: '{}',
  ...(team === undefined ? {} : { team }),
})

const stateOf = (job: string): JobState<unknown> => ({
  job,
  decode: (json) => json,
})

export function outboxContract(driver: () => Driver): void {
  test('stores notifiable events once each, in the order of arrival', async () => {
    const { store } = driver()
    await put(store, { events: [refused(1), found(1), accepted(2)] })
    await put(store, { events: [accepted(2), refused(3)] })
    const again = await driver().reopen()
    const kept = await again.eventsAfter('main', 0, 10)
    expect(kept.map(({ event }) => event)).toEqual([refused(1), accepted(2), refused(3)])
    const [first, ...rest] = kept
    expect(await again.eventsAfter('main', first?.id ?? 0, 1)).toEqual(rest.slice(0, 1))
    expect(await again.lastEventId('main')).toBe(rest.at(-1)?.id)
    expect(await again.event('main', first?.key ?? '')).toEqual(first)
    expect([await again.lastEventId('other'), await again.event('other', first?.key ?? '')]).toEqual([
      0,
      undefined,
    ])
  })

  test('keeps an event with what it came from, or neither', async () => {
    const { store } = driver()
    const body = {
      toJSON: () => {
        throw new Error('not to be written')
      },
    }
    await expect(put(store, { events: [refused(1)], jobStates: { broken: body } })).rejects.toThrow(
      'not to be written',
    )
    expect(await store.eventsAfter('main', 0, 10)).toEqual([])
  })

  test('tells what waits for a sink, the earliest first, and what is beyond the newest', async () => {
    const { store } = driver()
    const waiting = [3, 1, 2].map((when) => delivery(`item ${when}`, { nextAt: at(when), madeAt: at(when) }))
    const others = [delivery('item 1', { sink: 'dev' }), delivery('item 4', { state: 'delivered' })]
    await put(store, { deliveries: [...waiting, ...others] })
    expect(items(await store.dueDeliveries('main', 'ops', 2))).toEqual(['item 1', 'item 2'])
    expect(items(await store.overdue('main', 'ops', 2))).toEqual(['item 1'])
    expect(items(await store.dueDeliveries('other', 'ops', 2))).toEqual([])
    const done = delivery('item 1', { state: 'delivered', attempts: 1, deliveredAt: at(5) })
    await put(store, { deliveries: [done] })
    expect(items(await store.dueDeliveries('main', 'ops', 9))).toEqual(['item 2', 'item 3'])
    expect(await store.dueDeliveries('main', 'dev', 9)).toEqual([others[0]])
  })

  test('knows the last event of a topic that was given to a sink', async () => {
    const { store } = driver()
    await put(store, { events: [refused(1), accepted(2), refused(3)] })
    const [one, two] = await store.eventsAfter('main', 0, 10)
    if (!one || !two) throw new Error('both are kept')
    const given = [one, two].map(({ key }) => delivery(key, { madeAt: at(5) }))
    await put(store, { deliveries: given })
    expect(await store.lastQueued('main', 'ops', 'key')).toEqual(two)
    expect(await store.lastQueued('main', 'dev', 'key')).toBeUndefined()
    await put(store, { deliveries: [delivery(two.key, { state: 'dropped' })] })
    expect(await store.lastQueued('main', 'ops', 'key')).toEqual(one)
  })

  test('knows the last event of a topic between two others', async () => {
    const { store } = driver()
    await put(store, { events: [refused(1), accepted(2), refused(3)] })
    const [one, two, three] = await store.eventsAfter('main', 0, 10)
    if (!one || !two || !three) throw new Error('all are kept')
    const between = (after: number, before: number) => store.lastOfTopic('main', 'key', { after, before })
    expect(await between(one.id, three.id)).toEqual(two)
    expect(await between(one.id, two.id)).toBeUndefined()
    expect(await store.lastOfTopic('main', 'service', { after: 0, before: 9 })).toBeUndefined()
    expect(await store.lastOfTopic('other', 'key', { after: 0, before: 9 })).toBeUndefined()
  })

  test('lists receivers with stored deliveries or cursors', async () => {
    const { store } = driver()
    const jobStates = { 'events/told': 3, 'delivered/report/boss': 4, prices: [] }
    const deliveries = [
      delivery('item 1'),
      delivery('item 1', { sink: 'report/boss' }),
      delivery('item 1', { sink: 'done', state: 'delivered' }),
    ]
    await put(store, { deliveries, jobStates })
    expect(await store.receivers('main')).toEqual(['ops', 'report/boss', 'told'])
    expect(await store.receivers('other')).toEqual([])
    await put(store, { jobStates: { 'events/told': undefined, unheard: undefined } })
    expect(await store.receivers('main')).toEqual(['ops', 'report/boss'])
    expect(await store.jobState('main', stateOf('events/told'))).toBeUndefined()
  })

  test('keeps reports', async () => {
    const { store } = driver()
    const slot = { id: '2026-W01', from: at(0), to: at(7 * 86_400), late: false }
    const report = { account: 'main', slot, madeAt: at(5), json: '{"a":1}' }
    await put(store, { reports: [report] })
    const again = await driver().reopen()
    expect(await again.report('main', '2026-W01')).toEqual(report)
    expect([await again.report('main', '2026-W02'), await again.report('other', '2026-W01')]).toEqual([
      undefined,
      undefined,
    ])
    await put(again, { reports: [{ ...report, madeAt: at(9), json: '{"a":2}' }] })
    expect(await again.report('main', '2026-W01')).toEqual({ ...report, madeAt: at(9), json: '{"a":2}' })
  })

  test('lists reports, the newest first, and the teams that have a part', async () => {
    const { store } = driver()
    const reports = [
      reportOf(1),
      reportOf(3, 'web'),
      reportOf(3),
      reportOf(3, 'a/b'),
      reportOf(2, 'web'),
      reportOf(2),
    ]
    await put(store, { reports })
    const ids = (await store.reports('main', { count: 2 })).map(({ slot }) => slot.id)
    expect(ids).toEqual(['2026-W03', '2026-W02'])
    expect((await store.reports('main', { count: 1 }))[0]).not.toHaveProperty('json')
    expect([
      await store.reportTeams('main', '2026-W03'),
      await store.reportTeams('main', '2026-W01'),
    ]).toEqual([['a/b', 'web'], []])
    expect(await store.report('main', '2026-W03/a/b')).toEqual(reportOf(3, 'a/b'))
    expect(await store.reports('other', { count: 9 })).toEqual([])
    const rest = await store.reports('main', { count: 9, skip: 1 })
    expect(rest.map(({ slot }) => slot.id)).toEqual(['2026-W02', '2026-W01'])
  })

  test('keeps what a job remembers', async () => {
    const { store } = driver()
    expect(await store.jobState('main', stateOf('report'))).toBeUndefined()
    await put(store, { jobStates: { report: { since: 1 }, other: 2 } })
    await put(store, { jobStates: { report: { since: 3 } } })
    const again = await driver().reopen()
    expect([
      await again.jobState('main', stateOf('report')),
      await again.jobState('main', stateOf('other')),
    ]).toEqual([{ since: 3 }, 2])
    expect(await again.jobState('other', stateOf('report'))).toBeUndefined()
  })
}
