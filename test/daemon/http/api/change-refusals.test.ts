// What is asked for in a wrong way, over a real listener: nothing is written.
import { request as requestPlainly } from 'node:http'
import { afterAll, describe, expect, test } from 'vitest'
import {
  asked,
  daemonOf,
  SIZE,
  TOKENS,
  changesDaemon,
  type AskInit,
  type ChangesDaemon,
} from '../../../support/changes-daemon.ts'

const TIME =
  'expected a day such as 2026-11-20, which begins in UTC, or an instant such as 2026-11-20T08:00:00Z'
const SIZES = 'expected one of the sizes 0.25, 0.5, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 CU, got'
const NO_SIZE = 'expected a size in CU, such as 0.5'
const NO_DELAY = 'delay_seconds: expected seconds, never or default'
const WIDE = 'expected 60 to 604800 s, default, or never, got'
const NO_REASON = 'reason: expected why, in at most 500 characters'
const NEVER =
  'when: expected now: autosuspend is off, so that no suspension comes by itself; now interrupts the sessions of the compute'

let whole: Promise<ChangesDaemon> | undefined
afterAll(async () => (await whole)?.[Symbol.asyncDispose]())
/** Nothing is written, so that one serves all. */
const shared = (): Promise<ChangesDaemon> => (whole ??= changesDaemon())

describe('nothing is written where', () => {
  test.each<[string, unknown, number, string]>([
    ['the compute is unknown', { ...SIZE, compute: 'nobody' }, 404, 'compute: no compute is called nobody'],
    [
      'the compute is ambiguous',
      { ...SIZE, compute: 'twin' },
      400,
      'compute: twin has several computes: ep-3, ep-4; name one of them',
    ],
    ['no compute is named', { max_cu: 2 }, 400, 'compute: expected an id or a name'],
    ['the compute has no name', { ...SIZE, compute: '' }, 400, 'compute: expected an id or a name'],
    [
      'the account is unknown',
      { ...SIZE, account: 'other' },
      400,
      'account: expected one of main, got other',
    ],
    [
      'the provisioner is unknown',
      { ...SIZE, compute: 'ep-2' },
      409,
      'compute: its provisioner mainframe is not known, so it is never changed',
    ],
    ['the size is off the table', { compute: 'shop', cu: 0.3 }, 400, `cu: ${SIZES} 0.3`],
    ['the size is above the plan', { compute: 'shop', max_cu: 11 }, 400, `max_cu: ${SIZES} 11`],
    ['the size is negative', { compute: 'shop', cu: -1 }, 400, `cu: ${NO_SIZE}`],
    ['the size is text', { compute: 'shop', cu: '1' }, 400, `cu: ${NO_SIZE}`],
    [
      'the size is fixed and a range',
      { compute: 'shop', cu: 1, max_cu: 2 },
      400,
      'cu: expected no minimum or maximum beside a fixed size',
    ],
    [
      'the minimum is over the maximum',
      { compute: 'shop', min_cu: 4, max_cu: 2 },
      400,
      'min_cu: expected at most the maximum, 2 CU, got 4',
    ],
    [
      'the maximum is under the minimum it has',
      { compute: 'shop', max_cu: 0.5 },
      400,
      'max_cu: expected at least the minimum, 1 CU, got 0.5',
    ],
    ['the delay is 1 s', { compute: 'shop', delay_seconds: 1 }, 400, `delay_seconds: ${WIDE} 1 s`],
    ['the delay is 59 s', { compute: 'shop', delay_seconds: 59 }, 400, `delay_seconds: ${WIDE} 59 s`],
    [
      'the delay is over a week',
      { compute: 'shop', delay_seconds: 604_801 },
      400,
      `delay_seconds: ${WIDE} 604801 s`,
    ],
    ['the delay is negative', { compute: 'shop', delay_seconds: -1 }, 400, NO_DELAY],
    ['the delay is no whole number', { compute: 'shop', delay_seconds: 60.5 }, 400, NO_DELAY],
    ['the delay is a word', { compute: 'shop', delay_seconds: 'soon' }, 400, NO_DELAY],
    [
      'the size is that of now',
      { compute: 'shop', cu: 1 },
      409,
      'nothing to change: the compute has this size already',
    ],
    [
      'the delay is that of now',
      { compute: 'shop', delay_seconds: 300 },
      409,
      'nothing to change: the compute has this delay already',
    ],
    ['nothing is asked for', { compute: 'shop' }, 400, 'expected a size, a delay or a restart'],
    [
      'no restart is asked for',
      { compute: 'shop', restart: false },
      400,
      'expected a size, a delay or a restart',
    ],
    [
      'a restart has a size',
      { ...SIZE, restart: true },
      400,
      'restart: expected no setting beside it: a change of size restarts the compute, too',
    ],
    ['a restart waits for a suspension that never comes', { compute: 'ep-1', restart: true }, 409, NEVER],
    [
      'the end is past',
      { ...SIZE, until: '2026-01-05T02:00:00Z' },
      400,
      'until: expected a time after now, got 2026-01-05T02:00:00Z',
    ],
    ['the end is no time', { ...SIZE, until: 'soon' }, 400, `until: ${TIME}, got soon`],
    ['the end is a number', { ...SIZE, until: 7 }, 400, `until: ${TIME}`],
    ['the moment is another', { ...SIZE, when: 'later' }, 400, 'when: expected idle or now'],
    ['the reason is too long', { ...SIZE, reason: 'x'.repeat(501) }, 400, NO_REASON],
    ['a key is unknown', { ...SIZE, size: 2 }, 400, 'size: unknown key'],
    ['two keys are unknown', { ...SIZE, size: 2, why: '' }, 400, 'size, why: unknown key'],
    ['the body is a list', [SIZE], 400, 'expected a JSON object'],
    ['the body is null', null, 400, 'expected a JSON object'],
  ])('%s', async (_, body, status, message) => {
    const daemon = await shared()
    const before = daemon.stored()
    expect(await daemon.post('/changes', body)).toEqual([status, { message }])
    expect([daemon.stored(), daemon.woken()]).toEqual([before, 0])
  })

  test.each<[string, string, AskInit, number, string]>([
    ['no token is sent', '', {}, 401, 'a token is needed'],
    ['the token is wrong', 'wrong', {}, 401, 'the token is wrong'],
    ['the token reads', TOKENS.bob, {}, 403, 'the token has no scope operate'],
    ['the token is for metrics', TOKENS.prom, {}, 401, 'the token is wrong'],
    ['the JSON is broken', TOKENS.ann, { body: '{"compute": "shop"' }, 400, 'expected a JSON object'],
    ['there is no body', TOKENS.ann, { body: '' }, 400, 'expected a JSON object'],
    [
      'the media type is a form',
      TOKENS.ann,
      { headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      415,
      'expected a body of type application/json',
    ],
    [
      'the media type is plain',
      TOKENS.ann,
      { headers: { 'content-type': 'text/plain' } },
      415,
      'expected a body of type application/json',
    ],
    [
      'the body has 64 KiB',
      TOKENS.ann,
      { body: JSON.stringify(SIZE).padEnd(65_536) },
      413,
      'the body is too large',
    ],
    [
      'the body has more',
      TOKENS.ann,
      { body: JSON.stringify({ ...SIZE, reason: 'x'.repeat(100_000) }) },
      413,
      'the body is too large',
    ],
  ])('%s', async (_, token, request, status, message) => {
    const daemon = await daemonOf()
    const id = await asked(daemon, { ...SIZE, propose: true })
    const before = daemon.stored()
    const paths = [
      '/changes',
      `/changes/${id}/approve`,
      `/changes/${id}/cancel`,
      '/recommendations/ep-0.delay.1/approve',
      '/kill-switch',
    ]
    for (const path of paths) {
      const headers = { 'content-type': 'application/json', ...request.headers }
      const body = JSON.stringify(SIZE)
      // oxlint-disable-next-line no-await-in-loop -- wrong tokens are counted
      const answer = await daemon.ask(path, { method: 'POST', body, ...request, headers }, token)
      expect([path, ...answer]).toEqual([path, status, { message }])
    }
    expect(daemon.stored()).toBe(before)
  })

  test('a body in pieces has 64 KiB', async () => {
    const daemon = await daemonOf()
    const before = daemon.stored()
    const status = await new Promise((resolve, reject) => {
      const request = requestPlainly(`${daemon.apiUrl}/api/v1/changes`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${TOKENS.ann}`,
          'content-type': 'application/json',
          'transfer-encoding': 'chunked',
        },
      })
      request.on('response', (response) => resolve(response.statusCode))
      request.on('error', reject)
      request.write(JSON.stringify(SIZE))
      request.end(' '.repeat(65_536))
    })
    expect([status, daemon.stored()]).toEqual([413, before])
  })

  test('an id is unknown', async () => {
    const daemon = await daemonOf()
    const before = daemon.stored()
    const hash = { plan_hash: 'x' }
    expect(await daemon.ask('/changes/ch-none')).toEqual([404, { message: 'no change has the id ch-none' }])
    for (const [path, body] of [
      ['approve', hash],
      ['reject', {}],
      ['cancel', {}],
    ] as const)
      expect(await daemon.post(`/changes/ch-none/${path}`, body)).toEqual([
        404,
        { message: 'no change has the id ch-none' },
      ])
    for (const id of ['ep-0.delay.7', 'ep-9.delay.1', 'nothing'])
      expect(await daemon.post(`/recommendations/${id}/approve`, hash)).toEqual([
        404,
        { message: `no recommendation has the id ${id}` },
      ])
    expect(daemon.stored()).toBe(before)
  })

  test.each(['off', 'observe'] as const)('the mode is %s', async (mode) => {
    const daemon = await daemonOf({ mode })
    const before = daemon.stored()
    const message = `mode: ${mode} of the configuration allows no changes`
    const hash = { plan_hash: 'x' }
    const paths: readonly (readonly [string, object])[] = [
      ['/changes', SIZE],
      ['/recommendations/ep-0.delay.1/approve', hash],
      ['/changes/ch-one/approve', hash],
      ['/changes/ch-one/reject', {}],
      ['/changes/ch-one/cancel', {}],
      ['/changes/ch-one/force', { until: '2026-01-06' }],
    ]
    for (const [path, body] of paths) expect(await daemon.post(path, body)).toEqual([409, { message }])
    expect(await daemon.ask('/plan')).toEqual([409, { message }])
    expect(await daemon.ask('/plan?name=ep-0')).toEqual([409, { message }])
    expect(daemon.stored()).toBe(before)
    // a request of before may still be on its way
    expect((await daemon.ask('/changes'))[0]).toBe(200)
    expect(await daemon.post('/kill-switch', { engaged: true })).toMatchObject([200, { engaged: true }])
  })

  test('the store is full, and the answer tells no more than that', async () => {
    const daemon = await daemonOf()
    const before = daemon.stored()
    daemon.fill()
    const internal = [500, { message: 'internal error; the log of the daemon has it' }]
    expect(await daemon.post('/changes', SIZE)).toEqual(internal)
    expect([daemon.stored(), daemon.woken()]).toEqual([before, 0])
    // what stops changes works all the same
    expect(await daemon.post('/kill-switch', { engaged: true })).toEqual(internal)
    expect(daemon.killSwitch.isEngaged()).toBe(true)
  })

  test('one of the same kind is open, which is named', async () => {
    const daemon = await daemonOf()
    const id = await asked(daemon)
    const before = daemon.stored()
    expect(await daemon.post('/changes', { compute: 'shop', cu: 4 })).toEqual([
      409,
      {
        message: `the compute has an open change of kind sizing already: ${id}, 1 CU → 1 to 2 CU; cancel it first`,
      },
    ])
    expect(daemon.stored()).toBe(before)
    // another kind may be open beside it
    expect((await daemon.post('/changes', { compute: 'shop', delay_seconds: 600 }))[0]).toBe(200)
  })
})

test('a policy that allows no changes refuses those of people', async () => {
  await using daemon = await changesDaemon({ policyHold: () => ({ because: 'mode', until: undefined }) })
  expect(await daemon.post('/changes', SIZE)).toMatchObject([
    409,
    { message: 'mode: that of the policy allows no changes' },
  ])
})
