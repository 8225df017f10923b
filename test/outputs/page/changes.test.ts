// The page of changes, and what the page of a compute has of them.
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { Change } from '../../../src/model/policy/change.ts'
import { EVERY_DAY } from '../../../src/calendar/window-text.ts'
import { createWindow } from '../../../src/calendar/window.ts'
import { createUtc } from '../../../src/calendar/zone.ts'
import { DAY } from '../../../src/model/units.ts'
import { at } from '../../support/build.ts'
import { changeOf } from '../../support/changes.ts'
import { placedHold } from '../../support/placed-holds.ts'
import { changesOf } from './changed.ts'
import { pastOf } from './past.ts'
import { appOf, fleet, textOf } from './shown.ts'

const snapshot = fleet(600)
const shown = changesOf(snapshot)
const app = appOf({ snapshot, history: pastOf(snapshot), changes: shown })
/** Without markup, white space and no-break spaces. */
const wordsOf = (text: string) =>
  text
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll(/[\s\u00a0]+/g, ' ')
const page = (query = '') => textOf(app, `/changes${query}`)
/** Endpoint ids of the rows. */
const rows = (text: string) => [...text.matchAll(/href="\/computes\/([^"#]+)#changes"/g)].map(([, id]) => id)
/** Text of the row of a compute. */
const rowOf = (text: string, id: string) =>
  wordsOf(text.split('<tr role="row">').find((row) => row.includes(`/computes/${id}#`)) ?? '')

test('a page has a hundred rows and is small', async () => {
  for (const state of ['open', 'ended']) {
    const text = await page(`?state=${state}`)
    expect(rows(text)).toHaveLength(100)
    expect(text.length).toBeLessThanOrEqual(300_000)
    expect(gzipSync(text).length).toBeLessThanOrEqual(40_000)
  }
})

test('open ones: those that wait for an approval first, then the newest; each on one page', async () => {
  const pages = await Promise.all([1, 2, 3, 4].map((number) => page(`?page=${number}`)))
  const ids = pages.flatMap(rows)
  expect(ids.slice(0, 2)).toEqual(['ep-1', 'ep-6'])
  expect(ids.slice(120, 123)).toEqual(['ep-0', 'ep-2', 'ep-5'])
  expect(new Set(ids).size).toBe(360)
  expect(pages.map((text) => /Page \d of \d/.exec(text)?.[0])).toEqual([
    'Page 1 of 4',
    'Page 2 of 4',
    'Page 3 of 4',
    'Page 4 of 4',
  ])
})

test('a row says what it waits for, since and until when, what it saves, its request and what a person may do', async () => {
  const text = await page('?page=2')
  const scheduled = rowOf(text, 'ep-0')
  for (const part of [
    '1 CU → 0.25 CU',
    'scheduled: it waits until the compute is suspended, since 01:25',
    'may go from 02:00 until 03:00',
    'not sent after 2026-01-19 00:00',
    '2.00 USD1.00 USD to 4.00 USD',
    'ann, who approved it',
    'change ch-ep-0, plan hash a7c01d93be45f260',
    'implements the recommendation ep-0.sizing.1',
    'request: PATCH /projects/project-0/endpoints/ep-0 {"endpoint":{"autoscaling_limit_min_cu":0.25,"autoscaling_limit_max_cu":0.25}}',
    'dormouse cancel ch-ep-0 --reason "…"',
  ])
    expect(scheduled).toContain(part)
  expect(scheduled).not.toContain('dormouse approve')

  const proposed = rowOf(await page(), 'ep-1')
  for (const part of [
    'autosuspend off → 60 s',
    'proposed: it waits for an approval, since 00:00',
    'dormouse approve ch-ep-1 --plan-hash a7c01d93be45f260',
    'dormouse reject ch-ep-1 --reason "…"',
    ': it never uses more',
  ])
    expect(proposed).toContain(part)

  const verifying = rowOf(text, 'ep-2')
  expect(verifying).toContain(
    'applied, being verified: it waits until the service shows the result, since 01:39, until 01:44',
  )
  for (const part of ['dormouse ', 'not sent after', 'while nobody']) expect(verifying).not.toContain(part)
})

test('an ended one says what became of it, who asked and approved, when it was sent, and whom it interrupted', async () => {
  const text = await page('?state=ended&kind=sizing')
  const last = rowOf(text, 'ep-593')
  for (const part of [
    'done: verified2026-01-04 00:10',
    '2026-01-04 00:000ann, approved by bob',
    'approved by bob',
    'sent at 2026-01-04 00:00; sessions interrupted: 0',
  ])
    expect(last).toContain(part)
  const uncounted = rowOf(text, 'ep-598')
  expect(uncounted).toContain('unknown, nobody counted them')
  expect(uncounted).toContain('sessions interrupted: unknown, nobody counted them')
  const failed = rowOf(await page('?state=ended&kind=restart'), 'ep-599')
  expect(failed).toContain('failed: the service refused it: size 8 is not available2026-01-04 00:09––ann')
})

test.each([
  ['?kind=delay', 100],
  ['?kind=delay&page=2', 20],
  ['?kind=restart', 0],
  ['?kind=nothing&state=nothing&page=-1', 100],
  ['?state=ended&kind=restart&page=2', 20],
])('%s has %i rows', async (query, count) => {
  expect(rows(await page(query))).toHaveLength(count)
})

test.each([
  ['?kind=delay&team=data', 'data'],
  ['?kind=delay&team=-', ''],
])('%s: only those of the team', async (query, team) => {
  const own = snapshot.computes.filter(
    ({ identity: { owner, ref } }) => owner.team === team && /[16]$/.test(ref.endpointId),
  )
  expect(new Set(rows(await page(query)))).toEqual(
    new Set(own.map(({ identity: { ref } }) => ref.endpointId)),
  )
  expect(own.length).toBeGreaterThan(0)
})

test('what stops all changes is the first thing that the page says', async () => {
  const stopped = appOf({
    snapshot,
    changes: { ...shown, engagedBy: ['a command of ann', 'the file /etc/kill'] },
  })
  expect(wordsOf(await textOf(stopped, '/changes'))).toContain(
    'Nothing is sent: the kill switch is engaged by a command of ann and the file /etc/kill.',
  )
  expect(await page()).not.toContain('Nothing is sent')
  const observing = appOf({ snapshot, changes: { ...shown, mode: 'observe' } })
  expect(wordsOf(await textOf(observing, '/changes'))).toContain('Nothing is sent: the mode is observe.')
})

const leadsOf = (text: string) =>
  [...text.matchAll(/<p class="lead">(.*?)<\/p>/gs)].map(([, lead = '']) => wordsOf(lead).trim())

test('brakes, freezes and holds that hold changes back are said next, each with what ends it', async () => {
  const held = appOf({
    snapshot,
    changes: {
      ...shown,
      placed: [placedHold({ match: { project: ['project-1'] }, until: at(3600) })],
      brakes: [
        { name: 'fleet', subject: '', because: 'policies want to restart 300 of 600', engagedAt: at(0) },
      ],
      freezes: new Map([['year-end', createWindow([{ kind: 'once', from: at(-60), to: at(7200) }])]]),
    },
  })
  const text = await textOf(held, '/changes')
  expect(leadsOf(text)).toEqual([
    'The freeze year-end stops all changes from 2026-01-04 23:59 to 02:00, then it ends by itself',
    'Hold-one of ann stops changes of project=project-1 (1 compute) until 01:00: the release; dormouse resume hold-one ends it',
    'Fleet of main is engaged since 00:00: policies want to restart 300 of 600; dormouse brakes release fleet --reason "…"',
  ])
  expect(await page()).not.toContain('class="lead"')
})

test('a freeze that never ends is told as one', async () => {
  const always = {
    kind: 'weekly',
    days: EVERY_DAY,
    from: 0,
    to: DAY,
    except: new Set<never>(),
    zone: createUtc(),
  } as const
  const frozen = { ...shown, freezes: new Map([['always', createWindow([always])]]) }
  expect(leadsOf(await textOf(appOf({ snapshot, changes: frozen }), '/changes'))).toEqual([
    'The freeze always stops all changes, without an end, as long as changes.freeze names it',
  ])
})

test('of many holds the first ten are said, and where to read the others', async () => {
  const placed = Array.from({ length: 12 }, (_, index) => placedHold({ id: `hold-${index}` }))
  const text = await textOf(appOf({ snapshot, changes: { ...shown, placed } }), '/changes')
  expect(text.match(/class="lead"/g)).toHaveLength(11)
  expect(wordsOf(text)).toContain('2 more hold changes back: dormouse holds, dormouse brakes')
})

const endedAgo = (id: string, days: number): Change =>
  changeOf({ id, state: { at: 'done', because: 'verified', endedAt: at(-days * 86_400) } })

test('those that ended more than 30 days ago are left out', async () => {
  const few = appOf({
    snapshot: fleet(1),
    changes: { changes: [endedAgo('ch-new', 29), endedAgo('ch-old', 31)] },
  })
  const text = await textOf(few, '/changes?state=ended')
  expect([text.includes('ch-new'), text.includes('ch-old')]).toEqual([true, false])
})

test('where there is none, the page says how to ask for one', async () => {
  const none = appOf({ snapshot: fleet(1), changes: { changes: [] } })
  expect(await textOf(none, '/changes')).toContain('No change is open.')
  expect(await textOf(none, '/changes?state=ended')).toContain('No change ended in the last 30 days.')
  expect(await textOf(none, '/computes/ep-0')).not.toContain('id="changes"')
})

test.each(['?kind=restart', '?team=nobody', '?state=ended&team=nobody'])(
  '%s: that no change has the kind or team is not to say that there is none',
  async (query) => {
    const text = await page(query)
    expect(rows(text)).toEqual([])
    expect(text).toContain('No change matches these filters.')
    expect(text).not.toMatch(/No change is open|No change ended/)
  },
)

test('the page of a compute has its open changes with their holds, and the last five that ended with their history', async () => {
  const ref = { account: 'main', projectId: 'project-0', endpointId: 'ep-0' }
  const ended = Array.from({ length: 6 }, (_, index) =>
    changeOf({
      id: `ch-end${index}`,
      ref,
      createdAt: at(-1000 + index),
      state: { at: 'cancelled', because: 'by ann', endedAt: at(-900 + index) },
    }),
  )
  const first = fleet(1)
  const own = changesOf(first)
  const events = [
    { changeId: 'ch-end5', version: 1, at: at(-995), state: { at: 'proposed' } },
    {
      changeId: 'ch-end5',
      version: 2,
      at: at(-895),
      state: { at: 'cancelled', because: 'by ann', endedAt: at(-895) },
    },
  ] as const
  const changes = { ...own, changes: [...own.changes, ...ended], events }
  const text = wordsOf(await textOf(appOf({ snapshot: first, changes }), '/computes/ep-0'))
  for (const part of [
    '1 CU → 0.25 CU, scheduled: it waits until the compute is suspended, since 01:25',
    'dormouse cancel ch-ep-0',
    '5 changes that ended, the last first',
    '2026-01-04 23:43 proposed',
    '2026-01-04 23:45 cancelled: by ann',
  ])
    expect(text).toContain(part)
  expect([...text.matchAll(/change (ch-end\d)/g)].map(([, id]) => id)).toEqual(
    [5, 4, 3, 2, 1].map((index) => `ch-end${index}`),
  )
})
