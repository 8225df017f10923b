import { afterAll, describe, expect, test } from 'vitest'
import type { ZodType } from 'zod'
import {
  changeAnswerSchema,
  changeHistorySchema,
  changesSchema,
  killSwitchSchema,
  plansSchema,
} from '../../../src/outputs/text/change-schema.ts'
import { answers, faultyServer, resets } from '../../service/faulty-server.ts'
import { applyingOf } from '../../apply/build.ts'
import { changesDaemon, daemonOf, TOKENS, type ChangesDaemon } from '../../support/changes-daemon.ts'
import { cliOf } from '../daemon-cli.ts'

const ASK = ['change', 'shop', '--max-cu', '2']

const TEXT = `ch-00000001 of ep-0: 1 CU → 1–2 CU, scheduled
  asked for by ann at 2026-01-05T02:00:00Z: the batch is gone
  while nobody is connected, until 2026-01-19T02:00:00Z
  request: PATCH /projects/project-0/endpoints/ep-0 {"endpoint":{"autoscaling_limit_min_cu":1,"autoscaling_limit_max_cu":2}}
`

test('a change is asked for, planned, listed and cancelled', async () => {
  const daemon = await daemonOf()
  const cli = cliOf(daemon)
  expect(await cli(...ASK, '--reason', 'the batch is gone')).toEqual({ code: 0, out: TEXT, err: '' })
  const plan = await cli('plan', 'ch-00000001')
  expect(plan).toMatchObject({ code: 0, err: '' })
  expect(plan.out).toMatch(
    /^ep-0 shop of zero: 1 CU → 1–2 CU\n {2}restarts the compute; while nobody is connected, until 2026-01-19T02:00:00Z\n {2}request: PATCH .*\n {2}plan hash: \w+, change ch-00000001\n$/,
  )
  expect((await cli('changes')).out).toBe(
    `CHANGE       COMPUTE  WHAT           ASKED BY  SENT  SESSIONS  STATE
ch-00000001  shop     1 CU → 1–2 CU  ann       -     -         scheduled
`,
  )
  const cancelled = await cli('cancel', 'ch-00000001', '--reason', 'not now')
  expect([cancelled.code, cancelled.out.split('\n')[0]]).toEqual([
    0,
    'ch-00000001 of ep-0: 1 CU → 1–2 CU, cancelled: by ann: not now',
  ])
  const history = await cli('changes', 'ch-00000001')
  expect(history.out.split('\n').slice(-3)).toEqual([
    '  2026-01-05T02:00:00Z scheduled',
    '  2026-01-05T02:00:00Z cancelled: by ann: not now',
    '',
  ])
})

test.each<[string, readonly string[], ZodType]>([
  ['change', ['change', 'ep-3', '--delay', '10m'], changeAnswerSchema],
  ['plan', ['plan'], plansSchema],
  ['plan of a recommendation', ['plan', 'ep-0.delay.1'], plansSchema],
  ['changes', ['changes'], changesSchema],
  ['changes of one', ['changes', 'ch-00000001'], changeHistorySchema],
  ['reject', ['reject', 'ch-00000001'], changeAnswerSchema],
  ['cancel', ['cancel', 'ch-00000001'], changeAnswerSchema],
  ['kill on', ['kill', 'on'], killSwitchSchema],
  ['kill off', ['kill', 'off'], killSwitchSchema],
])('the JSON of %s fits its schema', async (_, words, schema) => {
  const daemon = await daemonOf()
  const cli = cliOf(daemon)
  await cli(...ASK, '--propose')
  const { code, out, err } = await cli(...words, '--json')
  expect([code, err, schema.safeParse(JSON.parse(out)).error]).toEqual([0, '', undefined])
})

const wrong = (text: string) => `dormouse: ${text}\n`

let whole: Promise<ChangesDaemon> | undefined
afterAll(async () => (await whole)?.[Symbol.asyncDispose]())
/** Nothing is written, so that one serves all. */
const shared = (): Promise<ChangesDaemon> => (whole ??= changesDaemon())

describe('with one line and exit code 2 ends', () => {
  test.each<[readonly string[], string]>([
    [['change', 'nobody', '--cu', '2'], 'compute: no compute is called nobody'],
    [['change', 'twin', '--cu', '2'], 'compute: twin has several computes: ep-3, ep-4; name one of them'],
    [
      ['change', 'ep-2', '--cu', '2'],
      'compute: its provisioner mainframe is not known, so it is never changed',
    ],
    [['change', 'shop'], 'give a size (--cu, or --min-cu and --max-cu), --delay or --restart'],
    [
      ['change', 'shop', '--cu', '0.3'],
      '--cu: expected one of the sizes 0.25, 0.5, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 CU, got 0.3',
    ],
    [
      ['change', 'shop', '--min-cu', '4', '--max-cu', '2'],
      '--min-cu: expected at most the maximum, 2 CU, got 4',
    ],
    [
      ['change', 'shop', '--cu', '2', '--max-cu', '2'],
      '--cu: expected no minimum or maximum beside a fixed size',
    ],
    [['change', 'shop', '--delay', '59s'], '--delay: expected 60 to 604800 s, default, or never, got 59 s'],
    [['change', 'shop', '--cu', '1'], 'nothing to change: the compute has this size already'],
    [['change', 'shop', '--delay', '300s'], 'nothing to change: the compute has this delay already'],
    [
      ['change', 'shop', '--cu', '2', '--until', '2026-01-04'],
      '--until: expected a time after now, got 2026-01-04',
    ],
    [['change', 'shop', '--cu', '2', '--account', 'other'], '--account: expected one of main, got other'],
    [
      ['change', 'shop', '--cu', '2', '--restart'],
      '--restart: expected no setting beside it: a change of size restarts the compute, too',
    ],
    [
      ['change', 'shop', '--cu', '2', '--reason', 'x'.repeat(501)],
      '--reason: expected why, in at most 500 characters',
    ],
    [
      ['approve', 'ep-0.delay.1'],
      '--plan-hash: expected the hash that dormouse plan prints, as nobody can be asked',
    ],
    [['approve', 'nope'], 'no compute, project, recommendation or open change is called nope'],
    [['approve', 'ep-0.delay.7', '--plan-hash', 'x'], 'no recommendation has the id ep-0.delay.7'],
    [['approve', 'ch-none', '--plan-hash', 'x'], 'no change has the id ch-none'],
    [
      ['approve', 'ep-3.delay.1', '--plan-hash', 'x'],
      'recommendation ep-3.delay.1 is dismissed: only an open one is approved',
    ],
    [['reject', 'ch-none'], 'no change has the id ch-none'],
    [['cancel', 'ch-none'], 'no change has the id ch-none'],
    [['plan', 'nobody'], 'no compute, project, recommendation or open change is called nobody'],
  ])('%j', async (words, message) => {
    const daemon = await shared()
    const before = daemon.stored()
    expect(await cliOf(daemon)(...words)).toEqual({ code: 2, out: '', err: wrong(message) })
    expect(daemon.stored()).toBe(before)
  })

  test.each<[string, readonly string[], string]>([
    ['no number', ['change', 'shop', '--cu', 'big'], '--cu'],
    ['a name beside a budget', ['plan', 'shop', '--budget', 'preview'], '--budget'],
    ['a negative size', ['change', 'shop', '--cu', '-1'], '--cu'],
    ['no length', ['change', 'shop', '--delay', 'soon'], '--delay'],
    ['a delay over a week', ['change', 'shop', '--delay', '8d'], '--delay'],
    ['another moment', ['change', 'shop', '--cu', '2', '--when', 'later'], '--when'],
    ['no state of the kill switch', ['kill', 'maybe'], 'maybe'],
    ['no compute', ['change', '--cu', '2'], 'compute'],
  ])('%s, which the command line names', async (_, words, name) => {
    const daemon = await shared()
    const { code, out, err } = await cliOf(daemon)(...words)
    expect([code, out, err.trim().split('\n').length]).toEqual([2, '', 1])
    expect(err).toContain(name)
  })

  test.each<[string, string, string]>([
    ['a token that reads', TOKENS.bob, 'the token has no scope operate'],
    ['a wrong token', 'wrong', 'the token is wrong'],
  ])('%s', async (_, token, message) => {
    const daemon = await daemonOf()
    const before = daemon.stored()
    expect(await cliOf(daemon, { token })(...ASK)).toEqual({ code: 2, out: '', err: wrong(message) })
    expect(daemon.stored()).toBe(before)
  })

  test('a second change of the kind, a cancel that is too late, a mode, and a file that stands', async () => {
    const daemon = await daemonOf()
    const cli = cliOf(daemon)
    await cli(...ASK)
    expect(await cli('change', 'shop', '--cu', '4')).toEqual({
      code: 2,
      out: '',
      err: wrong(
        'the compute has an open change of kind sizing already: ch-00000001, 1 CU → 1 to 2 CU; cancel it first',
      ),
    })
    await daemon.move('ch-00000001', applyingOf())
    expect(await cli('cancel', 'ch-00000001')).toEqual({
      code: 2,
      out: '',
      err: wrong('the request of change ch-00000001 was written: nobody can call it back'),
    })
    expect(await cliOf(await daemonOf({ mode: 'observe' }))(...ASK)).toMatchObject({
      code: 2,
      err: wrong('mode: observe of the configuration allows no changes'),
    })
    expect(await cliOf(await daemonOf({ isKilled: true }))('kill', 'off')).toEqual({
      code: 2,
      out: '',
      err: wrong('the variable DORMOUSE_KILL_SWITCH engages the kill switch: remove that first'),
    })
  })
})

describe('with one line and exit code 1 ends', () => {
  test('a command where no daemon answers, or its store is full', async () => {
    const nobody = await cliOf({ apiUrl: 'http://127.0.0.1:1' })(...ASK)
    expect(nobody).toMatchObject({ code: 1, out: '' })
    expect(nobody.err).toMatch(/^dormouse: no daemon answers at http:\/\/127\.0\.0\.1:1 \(.*\)\n$/)
    const daemon = await daemonOf()
    daemon.fill()
    expect(await cliOf(daemon)(...ASK)).toEqual({
      code: 1,
      out: '',
      err: 'dormouse: internal error; the log of the daemon has it\n',
    })
  })

  test('a command whose answer is lost, which may have been carried out', async () => {
    await using daemon = await faultyServer(resets)
    const url = new URL(daemon.baseUrl).origin
    const lost = await cliOf({ apiUrl: url })(...ASK)
    expect([lost.code, lost.out, daemon.requests]).toEqual([1, '', ['POST /api/v1/changes']])
    expect(lost.err).toBe(
      `dormouse: ${url} took the request and gave no answer (read ECONNRESET): it may have been carried out, so look before you repeat it\n`,
    )
    const listed = await cliOf({ apiUrl: url })('plan')
    expect(listed.err).toMatch(/^dormouse: no daemon answers at/)
  })

  test.each<[string, readonly string[]]>([
    ['change', ASK],
    ['approve', ['approve', 'ch-one', '--plan-hash', 'x']],
    ['cancel', ['cancel', 'ch-one']],
    ['kill', ['kill', 'on']],
    ['plan', ['plan']],
    ['changes', ['changes']],
    ['dismiss', ['dismiss', 'ep-0.delay.1', '--reason', 'x']],
  ])('%s where another program answers', async (_, words) => {
    await using other = await faultyServer(answers(200, {}))
    const url = new URL(other.baseUrl).origin
    expect(await cliOf({ apiUrl: url })(...words)).toEqual({
      code: 1,
      out: '',
      err: `dormouse: ${url} is not the API of Dormouse\n`,
    })
  })
})

test('the kill switch says what engages it, and a plan that nothing is sent', async () => {
  const cli = cliOf(await daemonOf())
  expect(await cli('kill', 'on')).toEqual({
    code: 0,
    out: 'the kill switch is engaged by a command of ann: nothing is changed\n',
    err: '',
  })
  expect((await cli('plan')).out).toBe(
    'nothing is sent: the kill switch is engaged by a command of ann\nno change is planned\n',
  )
  expect((await cli('brakes')).out).toBe('kill_switch is engaged: a command of ann\n')
  expect(await cli('kill', 'off')).toEqual({ code: 0, out: 'the kill switch is off\n', err: '' })
  expect(await cliOf(await daemonOf({ mode: 'off' }))('plan')).toEqual({
    code: 2,
    out: '',
    err: wrong('mode: off of the configuration allows no changes'),
  })
})
