// check-service against services on loopback that answer otherwise than the interface says.
import { describe, expect, test } from 'vitest'
import { checkOf, type Report } from './check-report.ts'
import { dormouse, words } from '../local-cli.ts'
import { answers, faultyServer } from '../../service/faulty-server.ts'
import { project } from '../../service/records.ts'

const named = (id: string) => ({ ...project, id })

describe('fails', () => {
  test.each([
    ['with a wrong key', answers(401), 1, /refuses the API key \(401\)/],
    ['where the service answers something else', answers(200, '<html>'), 1, /does not fit the interface/],
    ['where a list is none', answers(200, { projects: {} }), 1, /does not fit the interface: projects: /],
  ] as const)('%s', async (_, fault, code, err) => {
    await using server = await faultyServer(fault)
    const line = words(`check-service --base-url ${server.baseUrl}`)
    const ended = await dormouse(line, { env: { DORMOUSE_API_KEY: 'k' } })
    expect(ended).toEqual({ code, out: '', err: expect.stringMatching(err) })
  })

  test('without a key', async () => {
    expect(await dormouse(words('check-service --base-url http://127.0.0.1:1/api/v2'))).toMatchObject({
      code: 2,
      out: '',
    })
  })

  test.each([
    ['every project in one answer', [named('a'), named('b')], undefined, 'none: every project in one answer'],
    [
      'a cursor that leads nowhere',
      [named('a')],
      { cursor: 'a' },
      'the cursor is ignored: every page is the first',
    ],
  ])('not where there is %s', async (_, one, pagination, seen) => {
    await using server = await faultyServer((response, { url }) => {
      const asked = new URL(url, 'http://x')
      const isList = asked.pathname.endsWith('/projects')
      const records = asked.searchParams.get('limit') === '400' ? [named('a'), named('b')] : one
      answers(isList ? 200 : 404, { projects: records, pagination })(response)
    })
    const { out } = await dormouse(words(`check-service --json --base-url ${server.baseUrl}`), {
      env: { DORMOUSE_API_KEY: 'k' },
    })
    expect(checkOf(JSON.parse(out), 'pages')?.seen).toBe(seen)
  })

  test('not, but finds much, where the key may not list', async () => {
    await using server = await faultyServer(answers(403, { message: 'not yours' }))
    const line = words(`check-service --json --base-url ${server.baseUrl}`)
    const { code, out } = await dormouse(line, { env: { DORMOUSE_API_KEY: 'k' } })
    const report: Report = JSON.parse(out)
    expect(code).toBe(3)
    expect(checkOf(report, 'project list')).toMatchObject({
      verdict: 'less',
      seen: 'refused (403): not yours',
    })
  })
})
