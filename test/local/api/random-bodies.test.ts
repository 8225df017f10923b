// Random bodies: no answer is a 5xx, every 4xx names the problem, and a refused request changes nothing.
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Simulated, startSimulated } from '../../support/simulated-service.ts'
import { problemsOf } from '../openapi.ts'

let service: Simulated

let organization = ''

beforeAll(async () => {
  service = await startSimulated({ projects: [{ name: 'shop' }], clock })
  const answer = await ask('GET', '/users/me/organizations')
  const { organizations }: { organizations: { id: string }[] } = JSON.parse(await answer.text())
  organization = organizations[0]?.id ?? ''
})

afterAll(() => service.stop())

/** A clock that moves between requests only, so that the work of one ends before the next. */
let at = Date.UTC(2026, 0, 5)
const clock = { now: () => at, after: () => () => undefined, sleep: () => Promise.resolve() }

const PROJECT = '/projects/local-000000'
const BRANCH = `${PROJECT}/branches/br-000000`
const ENDPOINT = `${PROJECT}/endpoints/ep-000000`

/** Each route with a body, and a valid body. */
const ROUTES = [
  ['POST', '/api_keys', { key_name: 'ci' }],
  [
    'POST',
    '/projects',
    {
      project: {
        name: 'next',
        branch: { name: 'main', role_name: 'ann', database_name: 'store' },
        settings: { quota: { active_time_seconds: 0 } },
        default_endpoint_settings: { suspend_timeout_seconds: 0, pg_settings: { work_mem: '8MB' } },
        autoscaling_limit_max_cu: 1,
        pg_version: 17,
        store_passwords: true,
      },
    },
  ],
  [
    'PATCH',
    PROJECT,
    {
      project: {
        name: 'shop',
        settings: { quota: { compute_time_seconds: 0, logical_size_bytes: 0 } },
        default_endpoint_settings: {
          autoscaling_limit_min_cu: 1,
          suspend_timeout_seconds: 600,
          pg_settings: {},
        },
        history_retention_seconds: 0,
      },
    },
  ],
  [
    'POST',
    `${PROJECT}/endpoints`,
    {
      endpoint: {
        branch_id: 'br-000000',
        type: 'read_write',
        autoscaling_limit_min_cu: 1,
        region_id: 'local',
      },
    },
  ],
  [
    'PATCH',
    ENDPOINT,
    {
      endpoint: {
        branch_id: 'br-000000',
        autoscaling_limit_min_cu: 1,
        autoscaling_limit_max_cu: 2,
        suspend_timeout_seconds: 600,
        disabled: false,
        pooler_enabled: true,
        pooler_mode: 'transaction',
        settings: { pg_settings: { work_mem: '8MB' } },
        name: 'mine',
      },
    },
  ],
  [
    'POST',
    `${PROJECT}/branches`,
    { branch: { name: 'dev', parent_id: 'br-000000' }, endpoints: [{ type: 'read_write', disabled: true }] },
  ],
  ['PATCH', BRANCH, { branch: { name: 'main', protected: false } }],
  ['POST', `${BRANCH}/roles`, { role: { name: 'ann' } }],
  ['POST', `${BRANCH}/databases`, { database: { name: 'store', owner_name: 'app_owner' } }],
  ['PUT', '/organizations/ORG/billing/spending_limit', { spending_limit_cents: 1 }],
] as const

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

const SPECIAL: readonly Json[] = [
  '',
  ' ',
  '\0',
  '../etc',
  "'; drop table x; --",
  'ep-000000',
  'br-000000',
  'read_only',
  'x'.repeat(70),
  '\u{1F600}',
  '\uD800',
  -1,
  0,
  0.25,
  0.75,
  1e308,
  -0,
  604_801,
  2 ** 53,
  null,
  true,
  [],
  {},
  [[]],
]
const anything: fc.Arbitrary<Json> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...SPECIAL) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json> },
)

/** A valid body with some values replaced, removed or added. */
function like(value: Json): fc.Arbitrary<Json | undefined> {
  const other = { weight: 1, arbitrary: anything }
  if (typeof value !== 'object' || value === null)
    return fc.oneof({ weight: 12, arbitrary: fc.constant(value) }, other)
  if (Array.isArray(value)) {
    const items = fc.tuple(...value.map(like)) as fc.Arbitrary<Json>
    return fc.oneof({ weight: 12, arbitrary: items }, other)
  }
  const fields = Object.entries(value).map(([key, item]) => [
    key,
    fc.option(like(item), { freq: 12, nil: undefined }),
  ])
  const record = fc.record(Object.fromEntries(fields)) as fc.Arbitrary<Json>
  const more = fc
    .tuple(record, fc.string(), anything)
    .map(([object, key, item]): Json => Object.assign({}, object, { [key]: item }))
  return fc.oneof({ weight: 12, arbitrary: record }, { weight: 1, arbitrary: more }, other)
}

const anyCase = fc
  .constantFrom(...ROUTES)
  .chain(([method, path, body]) =>
    fc
      .oneof(
        { weight: 12, arbitrary: like(body).map((value) => JSON.stringify(value) ?? '') },
        { weight: 1, arbitrary: fc.string() },
      )
      .map((text) => ({ method, path, text })),
  )

const headers = (): Record<string, string> => ({
  authorization: `Bearer ${service.apiKey}`,
  'content-type': 'application/json',
})

async function ask(method: string, path: string, text?: string): Promise<Response> {
  const named = path.replace('ORG', organization)
  const body = text === undefined ? {} : { body: text }
  return service.fetch(new Request(`http://local/api/v2${named}`, { method, headers: headers(), ...body }))
}

/** State that bodies could change, besides the project that is compared each time. */
async function stateOf(): Promise<string> {
  const paths = ['/projects?limit=400', '/api_keys', '/organizations/ORG/billing/spending_limit']
  const answers = await Promise.all(paths.map(async (path) => (await ask('GET', path)).text()))
  return answers.join('\n')
}

type Body = { readonly method: string; readonly path: string; readonly text: string }

/** Sends one body, checks the answer, and returns the status. */
async function sendAndCheck({ method, path, text }: Body): Promise<number> {
  const before = service.project('local-000000')
  const response = await ask(method, path, text)
  const { status } = response
  const body: unknown = await response.json()
  expect(status).toBeLessThan(500)
  expect(problemsOf({ method, path, status, body })).toEqual([])
  if (status < 400) return status
  const message = expect.stringMatching(status === 400 ? NAMES_THE_FIELD : /\S/)
  expect(body).toEqual({ request_id: expect.any(String), code: expect.any(String), message })
  expect(service.project('local-000000')).toBe(before)
  return status
}

/** A path, or the body as a whole. */
const NAMES_THE_FIELD = /^[a-z_]+(?:\..*)?: |^the body is not valid JSON|^Invalid input: expected object/s

const RUNS = 10_000

/** Cases between two comparisons of the whole state. */
const FULL = 200

test(`${RUNS} random bodies`, async () => {
  const statuses = new Map<number, number>()
  for (const [number, body] of fc.sample(anyCase, { seed: 7, numRuns: RUNS }).entries()) {
    at += 10_000
    const isCompared = number % FULL === 0
    const before = isCompared ? await stateOf() : ''
    const status = await sendAndCheck(body)
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    const after = isCompared && status >= 400 ? await stateOf() : before
    expect(after).toBe(before)
  }
  expect(statuses.get(400)).toBeGreaterThan(RUNS / 4)
  for (const status of [200, 201, 404, 409]) expect(statuses.get(status) ?? 0).toBeGreaterThan(0)
})
