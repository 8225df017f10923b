import { afterAll, describe, expect, test } from 'vitest'
import { holdAnswerSchema, holdsSchema } from '../../../../src/outputs/text/hold-schema.ts'
import {
  asked,
  changesDaemon,
  daemonOf,
  TOKENS,
  type ChangesDaemon,
} from '../../../support/changes-daemon.ts'

const HOLD = { match: { project: 'zero' }, until: '2026-01-06', reason: ' the release ' }

const placed = async (daemon: ChangesDaemon, body: object = HOLD) => {
  const [, answer] = await daemon.post('/holds', body)
  return holdAnswerSchema.parse(answer).hold
}
const listed = async (daemon: ChangesDaemon) => holdsSchema.parse((await daemon.ask('/holds'))[1])

describe('a hold', () => {
  test('is placed, listed, and ended by its id, each by a name', async () => {
    const daemon = await daemonOf()
    const hold = await placed(daemon)
    expect(hold).toEqual({
      id: 'hold-00000001',
      account: 'main',
      match: { project: ['zero'] },
      what: 'project=zero',
      computes: 1,
      by: 'ann',
      reason: 'the release',
      placed_at: '2026-01-05T02:00:00Z',
      until: '2026-01-06T00:00:00Z',
      ended: null,
    })
    expect(await listed(daemon)).toEqual({ schema_version: 1, freezes: [], holds: [hold], forces: [] })
    expect(daemon.woken()).toBe(1)
    const end = { method: 'DELETE' }
    expect(await daemon.ask(`/holds/${hold.id}`, end, TOKENS.cyd)).toEqual([
      200,
      { schema_version: 1, hold: { ...hold, ended: { at: '2026-01-05T02:00:00Z', by: 'cyd' } } },
    ])
    expect([(await listed(daemon)).holds, daemon.woken()]).toEqual([[], 2])
    expect(await daemon.ask(`/holds/${hold.id}`, end)).toEqual([
      409,
      { message: 'hold hold-00000001 has ended at 2026-01-05T02:00:00Z' },
    ])
  })

  test('may be for every compute where that is said', async () => {
    const daemon = await daemonOf()
    for (const match of [{}, { project: '*' }])
      // oxlint-disable-next-line no-await-in-loop -- one request after the other
      expect(await placed(daemon, { ...HOLD, match, all: true })).toMatchObject({ computes: 5 })
  })

  test.each(['off', 'observe'] as const)('is placed and ended in the mode %s', async (mode) => {
    const daemon = await daemonOf({ mode })
    const { id } = await placed(daemon)
    expect((await daemon.ask(`/holds/${id}`, { method: 'DELETE' }))[0]).toBe(200)
  })
})

let whole: Promise<ChangesDaemon> | undefined
afterAll(async () => (await whole)?.[Symbol.asyncDispose]())
/** Nothing is written, so that one serves all. */
const shared = (): Promise<ChangesDaemon> => (whole ??= changesDaemon())

const TIME =
  'expected a day such as 2026-11-20, which begins in UTC, or an instant such as 2026-11-20T08:00:00Z'
const WHY = 'reason: expected why, in 1 to 500 characters'

describe('nothing is stored where', () => {
  test.each<[string, object, number, string]>([
    [
      'a type is none',
      { match: { type: 'primary' } },
      400,
      'match: type: expected one of read_write, read_only',
    ],
    ['the account is no text', { account: 1 }, 400, 'account: expected a text'],
    ['there is no end', { until: undefined }, 400, `until: ${TIME}`],
    ['the end is no time', { until: 'soon' }, 400, `until: ${TIME}, got soon`],
    [
      'the end is past',
      { until: '2026-01-05T01:00:00Z' },
      400,
      'until: expected a time after now, got 2026-01-05T01:00:00Z',
    ],
    [
      'the end is now',
      { until: '2026-01-05T02:00:00Z' },
      400,
      'until: expected a time after now, got 2026-01-05T02:00:00Z',
    ],
    ['there is no reason', { reason: undefined }, 400, WHY],
    ['the reason is blank', { reason: '  ' }, 400, WHY],
    ['the reason is too long', { reason: 'x'.repeat(501) }, 400, WHY],
    [
      'it fits everything',
      { match: {} },
      400,
      'match: it fits everything: expected conditions, or all (--all)',
    ],
    [
      'it fits everything by a pattern',
      { match: { project: '*' } },
      400,
      'match: it fits everything: expected conditions, or all (--all)',
    ],
    ['all has conditions beside it', { all: true }, 400, 'all: expected no conditions beside it'],
    ['it fits no compute', { match: { project: 'ten' } }, 404, 'match: no compute fits it'],
    [
      'the branch is a name',
      { match: { branch: 'main' } },
      400,
      'match: branch: expected ids of branches, which begin with br-: the service tells no names',
    ],
    ['a condition is unknown', { match: { team: 'web' } }, 400, 'match: team: unknown key'],
    ['a key is unknown', { from: '2026-01-06' }, 400, 'from: unknown key'],
    ['the account is unknown', { account: 'other' }, 400, 'account: expected one of main, got other'],
  ])('%s', async (_, fields, status, message) => {
    const daemon = await shared()
    const before = daemon.stored()
    expect(await daemon.post('/holds', { ...HOLD, ...fields })).toEqual([status, { message }])
    expect([daemon.stored(), daemon.woken()]).toEqual([before, 0])
  })

  test.each<[string, string, number, string]>([
    ['the token reads', TOKENS.bob, 403, 'the token has no scope operate'],
    ['the token is wrong', 'wrong', 401, 'the token is wrong'],
    ['no token is sent', '', 401, 'a token is needed'],
  ])('%s', async (_, token, status, message) => {
    const daemon = await daemonOf()
    const { id } = await placed(daemon)
    const before = daemon.stored()
    expect(await daemon.post('/holds', HOLD, token)).toEqual([status, { message }])
    expect(await daemon.ask(`/holds/${id}`, { method: 'DELETE' }, token)).toEqual([status, { message }])
    expect(daemon.stored()).toBe(before)
  })

  test.each(['/holds', '/changes/ID/force'])(
    'the body of %s is no JSON, or of another media type',
    async (route) => {
      const daemon = await daemonOf()
      const path = route.replace('ID', await asked(daemon))
      const before = daemon.stored()
      const ask = (type: string, body: string) =>
        daemon.ask(path, { method: 'POST', body, headers: { 'content-type': type } })
      expect(await ask('application/json', '{"until"')).toEqual([400, { message: 'expected a JSON object' }])
      expect(await ask('application/x-www-form-urlencoded', JSON.stringify(HOLD))).toEqual([
        415,
        { message: 'expected a body of type application/json' },
      ])
      expect(daemon.stored()).toBe(before)
    },
  )

  test('an id is unknown, or the store is full', async () => {
    const daemon = await daemonOf()
    expect(await daemon.ask('/holds/hold-none', { method: 'DELETE' })).toEqual([
      404,
      { message: 'no hold has the id hold-none' },
    ])
    daemon.fill()
    expect((await daemon.post('/holds', HOLD))[0]).toBe(500)
    expect((await listed(daemon)).holds).toEqual([])
  })
})
