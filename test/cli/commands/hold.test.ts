import { describe, expect, test } from 'vitest'
import type { ZodType } from 'zod'
import { holdAnswerSchema, holdsSchema } from '../../../src/outputs/text/hold-schema.ts'
import { answers, faultyServer } from '../../service/faulty-server.ts'
import { asked, daemonOf, TOKENS } from '../../support/changes-daemon.ts'
import { cliOf } from '../daemon-cli.ts'
import { dormouse } from '../local-cli.ts'

const UNTIL = ['--until', '2026-01-06']
const WHY = ['--reason', 'the release']
const HOLD = ['hold', 'project=zero', ...UNTIL, ...WHY]
const STANDS =
  'hold-00000001 of ann stops changes of project=zero (1 compute) until 2026-01-06T00:00:00Z: the release\n'

test('a hold is placed, listed, explained, and ended before its time', async () => {
  const cli = cliOf(await daemonOf())
  expect(await cli('holds')).toEqual({ code: 0, out: 'no hold stops changes\n', err: '' })
  expect(await cli(...HOLD)).toEqual({ code: 0, out: STANDS, err: '' })
  expect(await cli('holds')).toEqual({ code: 0, out: STANDS, err: '' })
  expect((await cli('explain', 'shop')).out.split('\n')).toContain(STANDS.trim())
  expect((await cli('explain', 'ep-1')).out).not.toContain('hold-00000001')
  expect(await cli('resume', 'hold-00000001')).toEqual({
    code: 0,
    out: 'hold-00000001 of ann on project=zero ended at 2026-01-05T02:00:00Z by ann: the release\n',
    err: '',
  })
  expect((await cli('holds')).out).toBe('no hold stops changes\n')
})

test.each([
  ['always', '"00:00-24:00"', ', without an end'],
  [
    'for years',
    '{ from: 2026-01-01T00:00, to: 2030-01-01T00:00 }',
    ' from 2026-01-01T00:00:00Z to 2030-01-01T00:00:00Z',
  ],
  ['at night', '"00:00-06:00"', ' from 2026-01-05T00:00:00Z to 2026-01-05T06:00:00Z'],
])('a freeze is listed with the ends that it has: %s', async (_, window, ends) => {
  const yaml = `windows: { release: ${window} }\nchanges: { freeze: [release] }`
  const cli = cliOf(await daemonOf({ yaml }))
  expect((await cli('holds')).out).toBe(`the freeze release stops all changes${ends}\n`)
  expect(holdsSchema.safeParse(JSON.parse((await cli('holds', '--json')).out)).error).toBeUndefined()
})

test.each<[what: string, words: readonly string[], expected: string]>([
  ['the id of a compute', ['ep-0'], 'compute=ep-0 (1 compute)'],
  ['several of a kind', ['compute=ep-0', 'compute=ep-1'], 'compute=ep-0 compute=ep-1 (2 computes)'],
  ['all of several conditions', ['compute=ep-*', 'project=one'], 'project=one compute=ep-* (1 compute)'],
  ['a type', ['type=read_write'], 'type=read_write (5 computes)'],
  // of one account: others may be changed
  ['everything', ['--all'], 'everything of account main (5 computes)'],
])('a selector may be %s', async (_, words, expected) => {
  const cli = cliOf(await daemonOf())
  expect((await cli('hold', ...words, ...UNTIL, ...WHY)).out).toContain(`stops changes of ${expected} until`)
})

test.each<[string, readonly string[], ZodType]>([
  ['hold', ['hold', '--all', ...UNTIL, ...WHY], holdAnswerSchema],
  ['holds', ['holds'], holdsSchema],
  ['resume', ['resume', 'hold-00000001'], holdAnswerSchema],
])('the JSON of %s fits its schema', async (_, words, schema) => {
  const cli = cliOf(await daemonOf())
  await cli(...HOLD)
  const { code, out, err } = await cli(...words, '--json')
  expect([code, err, schema.safeParse(JSON.parse(out)).error]).toEqual([0, '', undefined])
})

const TIME =
  'expected a day such as 2026-11-20, which begins in UTC, or an instant such as 2026-11-20T08:00:00Z'
const SELECTOR = 'expected project=…, compute=…, branch=… or type=…, or an id such as ep-cool-name-a1b2c3'

describe('with one line and exit code 2 ends', () => {
  test.each<[readonly string[], string]>([
    [['hold', 'ep-0', ...WHY], `--until: ${TIME}`],
    [
      ['hold', 'ep-0', '--until', '2026-01-04', ...WHY],
      '--until: expected a time after now, got 2026-01-04T00:00:00Z',
    ],
    [['hold', 'ep-0', '--until', 'soon', ...WHY], `--until: ${TIME}, got soon`],
    [['hold', 'ep-0', ...UNTIL], '--reason: expected why, in 1 to 500 characters'],
    [['hold', ...UNTIL, ...WHY], 'selector: it fits everything: expected conditions, or all (--all)'],
    [
      ['hold', 'project=*', ...UNTIL, ...WHY],
      'selector: it fits everything: expected conditions, or all (--all)',
    ],
    [['hold', 'ep-*', ...UNTIL, ...WHY], 'selector: it fits everything: expected conditions, or all (--all)'],
    [['hold', 'ep-0', '--all', ...UNTIL, ...WHY], '--all: expected no conditions beside it'],
    [['hold', 'shop', ...UNTIL, ...WHY], `${SELECTOR}, got shop`],
    [['hold', 'team=web', ...UNTIL, ...WHY], `${SELECTOR}, got team=web`],
    [['hold', 'type=read_write', 'type=read_only', ...UNTIL, ...WHY], 'type: expected one'],
    [['hold', 'project=ten', ...UNTIL, ...WHY], 'selector: no compute fits it'],
    [['hold', 'ep-0', '--account', 'other', ...UNTIL, ...WHY], '--account: expected one of main, got other'],
    [['resume', 'hold-none'], 'no hold has the id hold-none'],
  ])('%j', async (words, message) => {
    const daemon = await daemonOf()
    await asked(daemon)
    const before = daemon.stored()
    expect(await cliOf(daemon)(...words)).toEqual({ code: 2, out: '', err: `dormouse: ${message}\n` })
    expect(daemon.stored()).toBe(before)
  })

  test('a token that reads', async () => {
    const daemon = await daemonOf()
    expect(await cliOf(daemon, { token: TOKENS.bob })(...HOLD)).toEqual({
      code: 2,
      out: '',
      err: 'dormouse: the token has no scope operate\n',
    })
  })
})

test.each<[string, readonly string[]]>([
  ['hold', HOLD],
  ['resume', ['resume', 'hold-one']],
  ['holds', ['holds']],
])('%s where another program answers ends with one line and exit code 1', async (_, words) => {
  await using other = await faultyServer(answers(200, {}))
  const url = new URL(other.baseUrl).origin
  expect(await cliOf({ apiUrl: url })(...words)).toEqual({
    code: 1,
    out: '',
    err: `dormouse: ${url} is not the API of Dormouse\n`,
  })
})

test.each<[readonly string[], string]>([
  [['hold', 'ep-0', ...WHY], `--until: ${TIME}`],
  [['hold', 'ep-0', '--until', 'soon', ...WHY], `--until: ${TIME}, got soon`],
  [['hold', 'ep-0', ...UNTIL], '--reason: expected why, in 1 to 500 characters'],
  [['hold', ...UNTIL, ...WHY], 'selector: it fits everything: expected conditions, or all (--all)'],
  [['hold', 'ep-0', '--all', ...UNTIL, ...WHY], '--all: expected no conditions beside it'],
  [['force', 'ch-one'], `--until: ${TIME}`],
  [['hold', 'ep-0'], `--until: ${TIME}; --reason: expected why, in 1 to 500 characters`],
  [
    ['dismiss', 'ep-0.delay.1', '--until', 'soon'],
    '--reason: expected why it is dismissed, in 1 to 500 characters',
  ],
  [['brakes', 'release', 'fleet'], '--reason: expected why, in 1 to 500 characters'],
  [['brakes', 'release'], 'expected a brake that dormouse brakes prints after release'],
])('without a daemon, %j is refused in the same words', async (words, message) => {
  expect(await dormouse([...words, '--url', 'http://127.0.0.1:1'])).toEqual({
    code: 2,
    out: '',
    err: `dormouse: ${message}\n`,
  })
})
