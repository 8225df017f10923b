// the service reduced to the interface text.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Simulated, startSimulated } from '../../support/simulated-service.ts'

const TEXT = readFileSync(
  fileURLToPath(import.meta.resolve('../../../.github/reference/service-interface.md')),
  'utf8',
)

/** The first column of the table below a heading of the interface text. */
function fieldsOf(heading: string): readonly string[] {
  const [, section = ''] = TEXT.split(`### ${heading}`)
  const [table = ''] = section.split(/\n##/)
  return [...table.matchAll(/^\| (\w+) \|/gm)]
    .map(([, field]) => field ?? '')
    .filter((field) => field !== 'Field')
}

let service: Simulated

beforeAll(async () => {
  service = await startSimulated({
    projects: [{ name: 'shop', activity: [Date.now() - 5000] }],
    since: Date.now() - 10_000,
    behaviour: { interfaceOnly: true, lastActiveLag: 0 },
  })
})

afterAll(() => service.stop())

type Answer = { readonly status: number; readonly body: Readonly<Record<string, unknown>> }

async function ask(route: string, sent?: unknown): Promise<Answer> {
  const [method = 'GET', path = ''] = route.split(' ')
  const answer = await fetch(`${service.baseUrl}${path}`, {
    method,
    headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' },
    ...(sent !== undefined && { body: JSON.stringify(sent) }),
  })
  return { status: answer.status, body: (await answer.json()) as Answer['body'] }
}

const compute = '/projects/local-000000/endpoints/ep-000000'

/** Checks that the record, or the first of a list, has several fields, all of them in the text. */
function subset(part: unknown, heading: string): void {
  const [record] = [part].flat()
  expect(Object.keys(record ?? {}).length).toBeGreaterThan(3)
  expect(Object.keys(record ?? {}).filter((field) => !fieldsOf(heading).includes(field))).toEqual([])
}

describe('Q-33 interfaceOnly true: records have the fields of the text', () => {
  test('projects', async () => {
    const { body } = await ask('GET /projects')
    subset(body['projects'], 'Project (as returned by the project list)')
    expect(Object.keys(body)).toEqual(['projects', 'pagination'])
  })

  test('computes', async () => {
    const { body } = await ask('GET /projects/local-000000/endpoints')
    subset(body['endpoints'], 'Compute (endpoint)')
    expect(Object.keys(body)).toEqual(['endpoints'])
  })

  test('a changed compute and its operations', async () => {
    const { status, body } = await ask(`PATCH ${compute}`, { endpoint: { suspend_timeout_seconds: 600 } })
    expect([status, Object.keys(body)]).toEqual([200, ['endpoint', 'operations']])
    subset(body['endpoint'], 'Compute (endpoint)')
    subset(body['operations'], 'Operation')
  })

  test('keys', async () => {
    const made = await ask('POST /api_keys', { key_name: 'second' })
    expect(Object.keys(made.body).filter((field) => !fieldsOf('API key').includes(field))).toEqual([])
    subset((await ask('GET /api_keys')).body, 'API key')
    expect((await ask(`DELETE /api_keys/${String(made.body['id'])}`)).body).toMatchObject({ revoked: true })
  })
})

test.each([
  'GET /projects/local-000000',
  'GET /projects/local-000000/operations',
  `GET ${compute}`,
  `POST ${compute}/start`,
  'GET /projects/local-000000/branches',
  'GET /users/me',
])('%s is not in the text, and not there', async (route) => {
  expect((await ask(route)).status).toBe(404)
})

test('refused requests get the usual error body', async () => {
  const { status, body } = await ask(`PATCH ${compute}`, { endpoint: { suspend_timeout_seconds: 5 } })
  expect([status, body]).toEqual([400, expect.objectContaining({ message: expect.any(String) })])
})
