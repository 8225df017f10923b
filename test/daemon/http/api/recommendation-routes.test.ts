import { createHash } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { createApiApp } from '../../../../src/daemon/http/app.ts'
import { authMiddleware, createFailedLogins, parseTokens } from '../../../../src/daemon/http/auth.ts'
import type { AdviceRouteSources } from '../../../../src/daemon/http/api/recommendation-routes.ts'
import { recommendationsSchema } from '../../../../src/outputs/text/recommendation-schema.ts'
import { computeOf } from '../../../store/build.ts'
import { at } from '../../../support/build.ts'
import { fakeClock } from '../../../support/fake-clock.ts'
import { snapshotOf } from '../../../support/fleet-snapshot.ts'
import { memoryStore } from '../../../support/memory-store.ts'
import { NO_PAGES } from '../../../support/no-pages.ts'
import { NO_REPORTS } from '../../../support/no-reports.ts'
import { amounts, recommendation, withheld } from '../../../support/recommendations.ts'

const ref = (index: number) => ({ account: 'main', projectId: `project-${index}`, endpointId: `ep-${index}` })
const digest = (text: string) => createHash('sha256').update(text).digest('hex')
const NOW = at(100_000)

const spend = amounts(20, 20, 20)
const ROWS = [
  recommendation({ ref: ref(0), id: 'ep-0.delay.1', spend, saving: amounts(8, 10, 12) }),
  recommendation({ ref: ref(0), id: 'ep-0.sizing.1', kind: 'sizing', spend, saving: amounts(4, 5, 6) }),
  recommendation({
    ref: ref(1),
    id: 'ep-1.delay.1',
    life: { state: 'implemented', at: at(600), realised: undefined },
  }),
  recommendation({
    ref: ref(1),
    id: 'ep-1.delay.2',
    life: { state: 'superseded', at: at(600), by: 'ep-1.delay.3' },
  }),
]

let store: ReturnType<typeof memoryStore>
let logged: unknown[]
beforeEach(async () => {
  store = memoryStore()
  logged = []
  await store.account('main').commit([
    ...[0, 1].map((index) => ({
      kind: 'compute' as const,
      entry: computeOf(`ep-${index}`, `project-${index}`),
    })),
    ...ROWS.map((row) => ({ kind: 'recommendation' as const, recommendation: row })),
    {
      kind: 'advice',
      advice: { ref: ref(1), evaluatedAt: at(0), withheld: [withheld()], made: {} },
    },
  ])
})

const change: NonNullable<AdviceRouteSources['dismissals']>['change'] = async (one, changeOf) => {
  const changed = changeOf(one, NOW)
  if (changed.ok)
    await store.account('main').commit([{ kind: 'recommendation', recommendation: changed.value }])
  return changed
}

function app() {
  const clock = fakeClock()
  const taken = snapshotOf(2, { compute: (index) => (index === 1 ? { autosuspendDelay: 'never' } : {}) })
  const log = { info: (...line: unknown[]) => logged.push(line) }
  const tokens = parseTokens({
    ann: { sha256: digest('change'), scope: 'operate' },
    bob: { sha256: digest('look'), scope: 'read' },
  })
  return createApiApp({
    ...NO_PAGES,
    ...NO_REPORTS,
    clock: { ...clock, now: () => NOW },
    history: store,
    snapshot: () => taken,
    accounts: () => [],
    dismissals: { change, log: log as never },
    before: authMiddleware({
      policy: () => ({ names: [], allowsAddresses: false, tokens, open: true }),
      attempts: createFailedLogins(clock),
      addressOf: () => '',
    }),
  })
}

const ask = (path: string, request: RequestInit = {}) =>
  Promise.resolve(
    app().request(path, { ...request, headers: { host: 'localhost', ...(request.headers as object) } }),
  )

const read = async (query = '') => {
  const answer = await ask(`/api/v1/recommendations${query}`)
  return recommendationsSchema.parse(await answer.json())
}

test('all recommendations fit their schema, with the total of the open ones applied together', async () => {
  const all = await read()
  expect(all).toMatchObject({ schema_version: 2, account: 'main', currency: 'USD' })
  expect(all.recommendations.map(({ id, state }) => [id, state])).toEqual([
    ['ep-0.delay.1', 'open'],
    ['ep-0.sizing.1', 'open'],
    ['ep-1.delay.1', 'implemented'],
  ])
  expect(all.saving_micros_per_30_days).toEqual(amounts(10.4, 12.5, 14.4))
  expect(all.recommendations[0]).toMatchObject({
    project_id: 'project-0',
    project_name: 'one',
    endpoint_id: 'ep-0',
    from: { delay_seconds: 'never' },
    to: { delay_seconds: 300 },
    restarts: false,
    request: {
      method: 'PATCH',
      path: '/projects/project-0/endpoints/ep-0',
      body: { endpoint: { suspend_timeout_seconds: 300 } },
    },
    effect: { wakes_per_day: { before: 0, after: 4.5 } },
    grounds: {
      followed_share: 0.98,
      price_micros_per_cu_hour: 106_000,
      gaps: [
        [60, 120, 210],
        [14_000, 14_100, 63],
      ],
    },
  })
  expect(all.withheld).toMatchObject([
    {
      endpoint_id: 'ep-1',
      kind: 'delay',
      because: 'history-short',
      have: 0.5,
      needs: 3,
      until: '2026-01-07T12:00:00Z',
    },
  ])
})

test.each<[string, readonly string[], number, number]>([
  ['?compute=ep-1', ['ep-1.delay.1'], 1, 0],
  ['?state=open', ['ep-0.delay.1', 'ep-0.sizing.1'], 0, 12.5],
  ['?state=superseded', ['ep-1.delay.2'], 0, 12.5],
  ['?state=withheld&account=main', [], 1, 12.5],
])('%s', async (query, ids, reasons, likely) => {
  const some = await read(query)
  expect(some.recommendations.map(({ id }) => id)).toEqual(ids)
  expect(some.withheld).toHaveLength(reasons)
  expect(some.saving_micros_per_30_days.likely).toBe(likely * 1e6)
})

test.each([
  [
    '?state=nothing',
    'state: expected one of open, implemented, superseded, withdrawn, dismissed, withheld, got nothing',
  ],
  ['?compute=nobody', 'compute: no compute or project is called nobody'],
  ['?account=other', 'account: expected one of main, got other'],
])('%s is refused', async (query, message) => {
  const answer = await ask(`/api/v1/recommendations${query}`)
  expect([answer.status, await answer.json()]).toEqual([400, { message }])
})

test('the schema is published', async () => {
  const answer = await ask('/api/v1/schema/recommendations')
  expect(await answer.json()).toMatchObject({ title: 'Recommendations of Dormouse' })
})

const OPERATE = { authorization: 'Bearer change' }
const dismissed = (id: string, body: unknown, headers: Readonly<Record<string, string>> = OPERATE) =>
  ask(`/api/v1/recommendations/${id}/dismiss`, { method: 'POST', headers, body: JSON.stringify(body) })

const storedLife = async (id: string) => {
  const rows = await Array.fromAsync(store.recommendations('main', {}))
  return rows.find((row) => row.id === id)?.life
}

test('a dismissal is stored and logged with the name of the token, and taken back', async () => {
  const answer = await dismissed('ep-0.delay.1', { reason: ' demo next week ', until: '2026-02-01' })
  expect([answer.status, await answer.json()]).toMatchObject([
    200,
    {
      state: 'dismissed',
      ended: {
        because: 'demo next week',
        by: 'ann',
        until: '2026-02-01T00:00:00Z',
        at: '2026-01-06T03:46:40Z',
      },
    },
  ])
  const life = {
    state: 'dismissed',
    at: NOW,
    until: Date.UTC(2026, 1, 1),
    reason: 'demo next week',
    by: 'ann',
  }
  expect(await storedLife('ep-0.delay.1')).toEqual(life)
  expect(logged).toEqual([
    [
      {
        recommendation: 'ep-0.delay.1',
        account: 'main',
        projectId: 'project-0',
        endpointId: 'ep-0',
        by: 'ann',
        life,
      },
      'a recommendation was dismissed',
    ],
  ])
  const undone = await ask('/api/v1/recommendations/ep-0.delay.1/dismiss', {
    method: 'DELETE',
    headers: OPERATE,
  })
  expect([undone.status, await storedLife('ep-0.delay.1')]).toEqual([200, { state: 'open' }])
})

const EXPECTED =
  'expected a day such as 2026-11-20, which begins in UTC, or an instant such as 2026-11-20T08:00:00Z'
const REASON = 'reason: expected why it is dismissed, in 1 to 500 characters'

test.each<[string, unknown, number, string]>([
  ['ep-0.delay.1', {}, 400, REASON],
  ['ep-0.delay.1', { reason: '  ' }, 400, REASON],
  ['ep-0.delay.1', { reason: 'x'.repeat(501) }, 400, REASON],
  ['ep-0.delay.1', { reason: 'x', until: 'soon' }, 400, `until: ${EXPECTED}, got soon`],
  ['ep-0.delay.1', { reason: 'x', until: 7 }, 400, `until: ${EXPECTED}`],
  [
    'ep-0.delay.1',
    { reason: 'x', until: '2026-01-06' },
    400,
    'until: expected a time after now, 2026-01-06T03:46:40Z, got 2026-01-06',
  ],
  ['ep-0.delay.1', { reason: 'x', why: 'y' }, 400, 'why: unknown key'],
  ['ep-0.delay.1', 'x', 400, 'expected a JSON object with reason and, if it is to end, until'],
  ['ep-0.delay.9', { reason: 'x' }, 404, 'no recommendation has the id ep-0.delay.9'],
  ['nothing', { reason: 'x' }, 404, 'no recommendation has the id nothing'],
  ['ep-1.delay.1', { reason: 'x' }, 409, 'ep-1.delay.1 has ended: it is implemented'],
  ['ep-1.delay.2', { reason: 'x' }, 409, 'ep-1.delay.2 has ended: it is superseded'],
])('dismissing %s with %j ends with %i', async (id, body, status, message) => {
  const before = await storedLife(id)
  const answer = await dismissed(id, body)
  expect([answer.status, await answer.json()]).toEqual([status, { message }])
  expect([await storedLife(id), logged]).toEqual([before, []])
})

test.each([
  [{}, 401],
  [{ authorization: 'Bearer look' }, 403],
  [{ authorization: 'Bearer wrong' }, 401],
])('with %j nothing is dismissed', async (headers, status) => {
  const answer = await dismissed('ep-0.delay.1', { reason: 'x' }, headers)
  expect([answer.status, await storedLife('ep-0.delay.1')]).toEqual([status, { state: 'open' }])
})
