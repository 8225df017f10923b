// A new kind of event is one line in `EventFields` and one row in `EVENT_KINDS`; keys, texts and log lines of the others are pinned here.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, expectTypeOf, test } from 'vitest'
import {
  EVENT_KINDS,
  eventText,
  isNotifiable,
  logRowOf,
  NOTIFIABLE_KINDS,
  type Event,
  type EventKind,
  type EventOf,
  type KindRow,
} from '../../../src/model/output/event-kinds.ts'
import { eventKey } from '../../../src/model/output/outbox-event.ts'
import { cuMillis, micros, ratio } from '../../../src/model/units.ts'
import { at } from '../../support/build.ts'

const about = { account: 'main', at: at(0) } as const
const ref = { account: 'main', projectId: 'p1', endpointId: 'ep1' }
const move = { ...about, ref, changeId: 'ch-1', what: '1 CU → 0.25 to 2 CU', because: 'too large' }
const held = {
  ...about,
  holdId: 'hold-1',
  what: 'project=dev-*',
  by: 'ann',
  because: 'the release',
  until: at(60),
}
const checked = {
  from: at(0),
  to: at(60),
  metered: cuMillis(1),
  low: cuMillis(2),
  high: cuMillis(3),
  outside: ratio(0.5),
  diverges: true,
}

const EVENTS: { readonly [Kind in EventKind]: EventOf<Kind> } = {
  wake: { ...about, kind: 'wake', ref, occurredAt: at(-2) },
  suspend: { ...about, kind: 'suspend', ref, occurredAt: at(-2) },
  restart: { ...about, kind: 'restart', ref, occurredAt: at(-2) },
  'compute-found': { ...about, kind: 'compute-found', ref },
  'compute-gone': { ...about, kind: 'compute-gone', ref },
  'budget-rung': {
    ...about,
    kind: 'budget-rung',
    budget: 'previews',
    rung: 80,
    spent: { low: 1, likely: 2, high: 3 },
    limit: { unit: 'money', amount: micros(200_000_000), currency: 'USD' },
    period: { from: at(0), to: at(60) },
  },
  'wake-caused': { ...about, kind: 'wake-caused', ref },
  'key-refused': { ...about, kind: 'key-refused' },
  'key-accepted': { ...about, kind: 'key-accepted' },
  'service-unavailable': { ...about, kind: 'service-unavailable', message: 'no answer' },
  'service-available': { ...about, kind: 'service-available' },
  'count-off': { ...about, kind: 'count-off', projectId: 'p1', checked },
  'count-agrees': { ...about, kind: 'count-agrees', projectId: 'p1', checked },
  problem: { ...about, kind: 'problem', where: 'projects', message: 'no list' },
  'delivery-failed': {
    ...about,
    kind: 'delivery-failed',
    sink: 'ops',
    what: 'event',
    because: 'answered 500',
  },
  'change-scheduled': { ...move, kind: 'change-scheduled' },
  'change-applied': { ...move, kind: 'change-applied' },
  'change-superseded': { ...move, kind: 'change-superseded' },
  'change-reverted': { ...move, kind: 'change-reverted' },
  'change-expired': { ...move, kind: 'change-expired' },
  'change-failed': { ...move, kind: 'change-failed' },
  'change-unknown': { ...move, kind: 'change-unknown' },
  'foreign-change': {
    ...about,
    kind: 'foreign-change',
    ref,
    changeId: 'ch-1',
    ours: 'a delay of 60 s',
    theirs: 'a delay of 300 s',
  },
  'hold-placed': { ...held, kind: 'hold-placed' },
  'hold-ended': { ...held, kind: 'hold-ended' },
  'brake-engaged': { ...about, kind: 'brake-engaged', brake: 'fleet', because: 'too many' },
  'brake-released': { ...about, kind: 'brake-released', brake: 'fleet', because: 'ann released it' },
}

const all: readonly Event[] = Object.values(EVENTS)

test('a kind without a row does not compile, nor a row without a kind', () => {
  type Rows = { readonly [Kind in EventKind]: KindRow<Kind> }
  expectTypeOf<typeof EVENT_KINDS>().toExtend<Rows>()
  expectTypeOf<Omit<typeof EVENT_KINDS, 'wake'>>().not.toExtend<Rows>()
  expectTypeOf<keyof typeof EVENT_KINDS>().toEqualTypeOf<EventKind>()
})

// A reader that names a kind would have to be changed for the next one.
test.each([
  'config/sections/notifications.ts',
  'daemon/log.ts',
  'daemon/notify/event-queue.ts',
  'daemon/notify/notifications.ts',
  'daemon/reports/build.ts',
  'model/output/outbox-event.ts',
  'model/output/subscription.ts',
  'outputs/notify/messages.ts',
  'store/sqlite/outbox.ts',
])('%s names no kind', (file) => {
  const text = readFileSync(join(import.meta.dirname, '../../../src', file), 'utf8')
  expect(Object.keys(EVENT_KINDS).filter((kind) => text.includes(`'${kind}'`))).toEqual([])
})

test('receivers can be notified of twenty-two kinds, in the order of the schema', () => {
  expect(all.filter(isNotifiable).map(({ kind }) => kind)).toEqual(NOTIFIABLE_KINDS)
  expect(NOTIFIABLE_KINDS).toMatchInlineSnapshot(`
    [
      "budget-rung",
      "wake-caused",
      "key-refused",
      "key-accepted",
      "service-unavailable",
      "service-available",
      "count-off",
      "count-agrees",
      "problem",
      "delivery-failed",
      "change-scheduled",
      "change-applied",
      "change-superseded",
      "change-reverted",
      "change-expired",
      "change-failed",
      "change-unknown",
      "foreign-change",
      "hold-placed",
      "hold-ended",
      "brake-engaged",
      "brake-released",
    ]
  `)
})

test('topic and key of each kind', () => {
  const lines = all.filter(isNotifiable).map((event) => {
    const { topic, key } = eventKey(event)
    return `${topic}: ${key}`
  })
  expect(lines).toMatchInlineSnapshot(`
    [
      "budget/previews/1767571200000/80/200000000: budget/previews/1767571200000/80/200000000",
      "wake-caused/p1/ep1: wake-caused/p1/ep1/490992",
      "key: key/key-refused/1767571200000",
      "key: key/key-accepted/1767571200000",
      "service: service/service-unavailable/1767571200000",
      "service: service/service-available/1767571200000",
      "count/p1: count/p1/count-off/1767571200000",
      "count/p1: count/p1/count-agrees/1767571200000",
      "problem/projects/no list: problem/projects/no list/problem/1767571200000",
      "delivery/ops: delivery/ops/delivery-failed/1767571200000",
      "change/ch-1: change/ch-1/change-scheduled/1767571200000",
      "change/ch-1: change/ch-1/change-applied/1767571200000",
      "change/ch-1: change/ch-1/change-superseded/1767571200000",
      "change/ch-1: change/ch-1/change-reverted/1767571200000",
      "change/ch-1: change/ch-1/change-expired/1767571200000",
      "change/ch-1: change/ch-1/change-failed/1767571200000",
      "change/ch-1: change/ch-1/change-unknown/1767571200000",
      "foreign/ch-1: foreign/ch-1",
      "hold/hold-1: hold/hold-1/hold-placed/1767571200000",
      "hold/hold-1: hold/hold-1/hold-ended/1767571200000",
      "brake/fleet: brake/fleet/brake-engaged/1767571200000",
      "brake/fleet: brake/fleet/brake-released/1767571200000",
    ]
  `)
})

test('text of each kind', () => {
  expect(all.filter(isNotifiable).map((event) => eventText(event))).toMatchInlineSnapshot(`
    [
      "Budget previews: 80 % of 200 USD reached",
      "A reading woke compute ep1: a fault of Dormouse, set reading.mode: off and report it",
      "The API key is refused: nothing is observed until it is replaced",
      "The API key is accepted again",
      "The service cannot be reached: no answer",
      "The service answers again",
      "The service's count of project p1 and the ledger do not agree",
      "The service's count of project p1 and the ledger agree again",
      "Part of the account could not be seen: projects: no list",
      "event could not be delivered to ops: answered 500",
      "Change ch-1 of compute ep1 (1 CU → 0.25 to 2 CU) is scheduled: too large",
      "Change ch-1 of compute ep1 (1 CU → 0.25 to 2 CU) was applied: too large",
      "Change ch-1 of compute ep1 (1 CU → 0.25 to 2 CU) was superseded: too large",
      "Change ch-1 of compute ep1 (1 CU → 0.25 to 2 CU) is taken back: too large",
      "Change ch-1 of compute ep1 (1 CU → 0.25 to 2 CU) has expired: too large",
      "Change ch-1 of compute ep1 (1 CU → 0.25 to 2 CU) failed: too large",
      "Change ch-1 of compute ep1 (1 CU → 0.25 to 2 CU) needs a person: nobody can tell whether it took effect: too large",
      "Somebody else set compute ep1 to a delay of 300 s, over a delay of 60 s of change ch-1",
      "Hold hold-1 of ann stops changes of project=dev-* until 2026-01-05T00:01:00Z: the release",
      "Hold hold-1 no longer stops changes of project=dev-*: the release",
      "The brake fleet holds changes back: too many; dormouse brakes says who can release it",
      "The brake fleet no longer holds changes back: ann released it",
    ]
  `)
})

test('log line of each kind', () => {
  const lines = all.map((event) => {
    const { level, text, fields } = logRowOf(event)
    return `${level} ${text} ${JSON.stringify(fields?.(event) ?? {})}`
  })
  expect(lines).toMatchInlineSnapshot(`
    [
      "info compute woke {"account":"main","projectId":"p1","endpointId":"ep1","occurredAt":"2026-01-04T23:59:58Z"}",
      "info compute suspended {"account":"main","projectId":"p1","endpointId":"ep1","occurredAt":"2026-01-04T23:59:58Z"}",
      "info compute restarted {"account":"main","projectId":"p1","endpointId":"ep1","occurredAt":"2026-01-04T23:59:58Z"}",
      "info compute found {"account":"main","projectId":"p1","endpointId":"ep1"}",
      "info compute gone {"account":"main","projectId":"p1","endpointId":"ep1"}",
      "warn percent of a budget reached {"budget":"previews","rung":80,"spent":{"low":1,"likely":2,"high":3},"limit":{"unit":"money","amount":200000000,"currency":"USD"}}",
      "error a reading woke a compute: this is a fault of Dormouse, set reading.mode: off and report it {"account":"main","projectId":"p1","endpointId":"ep1"}",
      "error API key refused, nothing is asked until the key is another one {}",
      "info API key accepted again {}",
      "warn service cannot be reached, waiting longer between passes {"problem":"no answer"}",
      "info service answers again {}",
      "warn the service's count of a project and the ledger do not agree {"projectId":"p1","checked":{"from":1767571200000,"to":1767571260000,"metered":1,"low":2,"high":3,"outside":0.5,"diverges":true}}",
      "info the service's count of a project and the ledger agree again {"projectId":"p1","checked":{"from":1767571200000,"to":1767571260000,"metered":1,"low":2,"high":3,"outside":0.5,"diverges":true}}",
      "warn part of the account could not be seen {"where":"projects","problem":"no list"}",
      "warn a message could not be delivered and is given up {"sink":"ops","what":"event","problem":"answered 500"}",
      "info a change is scheduled {"change":"ch-1","account":"main","projectId":"p1","endpointId":"ep1","what":"1 CU → 0.25 to 2 CU","because":"too large"}",
      "info a change was applied and verified {"change":"ch-1","account":"main","projectId":"p1","endpointId":"ep1","what":"1 CU → 0.25 to 2 CU","because":"too large"}",
      "warn a change was superseded {"change":"ch-1","account":"main","projectId":"p1","endpointId":"ep1","what":"1 CU → 0.25 to 2 CU","because":"too large"}",
      "warn a change is taken back {"change":"ch-1","account":"main","projectId":"p1","endpointId":"ep1","what":"1 CU → 0.25 to 2 CU","because":"too large"}",
      "warn a change has expired {"change":"ch-1","account":"main","projectId":"p1","endpointId":"ep1","what":"1 CU → 0.25 to 2 CU","because":"too large"}",
      "error a change failed {"change":"ch-1","account":"main","projectId":"p1","endpointId":"ep1","what":"1 CU → 0.25 to 2 CU","because":"too large"}",
      "error nobody can tell whether a change took effect {"change":"ch-1","account":"main","projectId":"p1","endpointId":"ep1","what":"1 CU → 0.25 to 2 CU","because":"too large"}",
      "warn somebody else overwrote what a change had set {"change":"ch-1","account":"main","projectId":"p1","endpointId":"ep1","ours":"a delay of 60 s","theirs":"a delay of 300 s"}",
      "info a person placed a hold {"hold":"hold-1","what":"project=dev-*","by":"ann","because":"the release","until":"2026-01-05T00:01:00Z"}",
      "info a hold has ended {"hold":"hold-1","what":"project=dev-*","by":"ann","because":"the release","until":"2026-01-05T00:01:00Z"}",
      "warn a brake is engaged {"brake":"fleet","because":"too many"}",
      "info a brake is released {"brake":"fleet","because":"ann released it"}",
    ]
  `)
})
