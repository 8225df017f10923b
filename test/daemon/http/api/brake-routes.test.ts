import { describe, expect, test } from 'vitest'
import { brakeAnswerSchema, brakesJsonSchema } from '../../../../src/outputs/text/hold-schema.ts'
import { cliOf } from '../../../cli/daemon-cli.ts'
import { answers, faultyServer } from '../../../service/faulty-server.ts'
import { daemonOf, TOKENS, type ChangesDaemon } from '../../../support/changes-daemon.ts'

const CAUSE = { name: 'fleet', because: 'policies want to restart 7 of 9 computes', count: 7 } as const
const WHY = { reason: ' it is meant so ' }

async function engaged(): Promise<ChangesDaemon> {
  const daemon = await daemonOf()
  await daemon.storedBrakes.engage(CAUSE)
  return daemon
}

/** Runs `dormouse brakes words…`. */
const brakesCli =
  (daemon: Pick<ChangesDaemon, 'apiUrl'>) =>
  (...words: readonly string[]) =>
    cliOf(daemon)('brakes', ...words)

const listed = async (daemon: ChangesDaemon) =>
  brakesJsonSchema.parse((await daemon.ask('/brakes'))[1]).brakes

describe('a brake', () => {
  test('is listed, and released by a person with a reason', async () => {
    const daemon = await engaged()
    const fleet = {
      id: 'fleet',
      account: 'main',
      brake: 'fleet',
      subject: null,
      engaged: true,
      because: CAUSE.because,
      engaged_at: '2026-01-05T00:00:00Z',
      released: null,
    }
    expect(await listed(daemon)).toMatchObject([{ ...fleet, engaged_at: expect.any(String) }])
    const [status, answer] = await daemon.post('/brakes/fleet/release', WHY)
    const released = { at: '2026-01-05T02:00:00Z', by: 'ann', reason: 'it is meant so' }
    expect([status, brakeAnswerSchema.parse(answer).brake]).toMatchObject([200, { engaged: false, released }])
    expect([daemon.storedBrakes.engaged(), daemon.woken()]).toEqual([[], 2])
    expect(await listed(daemon)).toMatchObject([{ engaged: false, released }])
    await daemon.storedBrakes.end('fleet', 'fewer')
    expect(await listed(daemon)).toEqual([])
  })

  test('is listed where it is the kill switch', async () => {
    const daemon = await daemonOf()
    await daemon.post('/kill-switch', { engaged: true })
    expect(await listed(daemon)).toMatchObject([
      {
        id: 'kill_switch',
        account: null,
        engaged: true,
        because: 'a command of ann',
        engaged_at: null,
      },
    ])
  })

  test('of a compute is released by its name, too', async () => {
    const daemon = await daemonOf()
    await daemon.storedBrakes.engage({ ...CAUSE, subject: 'ep-0' })
    expect((await daemon.post('/brakes/ep-0/release', WHY))[0]).toBe(200)
  })

  test('of a kind of change is released by the name of the brake, too, while it is engaged for one kind alone', async () => {
    const daemon = await daemonOf()
    const demoted = { ...CAUSE, name: 'demoted' } as const
    await daemon.storedBrakes.engage({ ...demoted, subject: 'sizing' })
    expect(await daemon.post('/brakes/demoted/release', WHY)).toMatchObject([
      200,
      { brake: { id: 'demoted.sizing', engaged: false } },
    ])
    await daemon.storedBrakes.engage({ ...demoted, subject: 'sizing' })
    await daemon.storedBrakes.engage({ ...demoted, subject: 'delay' })
    expect(await daemon.post('/brakes/demoted/release', WHY)).toEqual([
      400,
      { message: 'brake: demoted is that of several: demoted.sizing, demoted.delay; name one of them' },
    ])
  })

  test('may be that of several: then one of them is named', async () => {
    const daemon = await daemonOf()
    for (const name of ['fleet', 'breaker'] as const)
      // oxlint-disable-next-line no-await-in-loop -- one commit after the other
      await daemon.storedBrakes.engage({ ...CAUSE, name, subject: 'ep-0' })
    expect(await daemon.post('/brakes/ep-0/release', WHY)).toEqual([
      400,
      { message: 'brake: ep-0 is that of several: fleet.ep-0, breaker.ep-0; name one of them' },
    ])
    expect((await daemon.post('/brakes/fleet.ep-0/release', WHY))[0]).toBe(200)
  })
})

const NO_REASON = 'reason: expected why, in 1 to 500 characters'

describe('nothing is released where', () => {
  test.each<[what: string, path: string, body: object, status: number, message: string]>([
    ['there is no reason', 'fleet', {}, 400, NO_REASON],
    ['the reason is blank', 'fleet', { reason: ' ' }, 400, NO_REASON],
    ['a key is unknown', 'fleet', { ...WHY, until: '2026-01-06' }, 400, 'until: unknown key'],
    [
      'the account is unknown',
      'fleet',
      { ...WHY, account: 'b' },
      400,
      'account: expected one of main, got b',
    ],
    ['it is not engaged', 'breaker', WHY, 409, 'brake: breaker is not engaged'],
    ['it is the kill switch', 'kill_switch', WHY, 409, 'brake: kill_switch is released by dormouse kill off'],
    ['it is a hold', 'hold', WHY, 409, 'brake: hold is ended by dormouse resume'],
    ['it is a freeze', 'freeze', WHY, 409, 'brake: freeze ends with its window'],
    ['it ends by itself', 'hold_off', WHY, 409, 'brake: hold_off ends by itself'],
    ['it is unknown', 'brick', WHY, 404, 'brake: expected one of those that are engaged, fleet, got brick'],
  ])('%s', async (_, path, body, status, message) => {
    const daemon = await engaged()
    const before = daemon.stored()
    expect(await daemon.post(`/brakes/${path}/release`, body)).toEqual([status, { message }])
    expect(daemon.stored()).toBe(before)
  })

  test('the token reads, or the store is full', async () => {
    const daemon = await engaged()
    expect(await daemon.post('/brakes/fleet/release', WHY, TOKENS.bob)).toEqual([
      403,
      { message: 'the token has no scope operate' },
    ])
    daemon.fill()
    expect((await daemon.post('/brakes/fleet/release', WHY))[0]).toBe(500)
    expect(daemon.storedBrakes.engaged()).toHaveLength(1)
  })
})

describe('the command line', () => {
  test('prints brakes, and releases one', async () => {
    const cli = brakesCli(await engaged())
    const before = await cli()
    expect([before.code, before.out]).toEqual([
      0,
      expect.stringMatching(
        /^fleet of main is engaged since \S+: policies want to restart 7 of 9 computes; dormouse brakes release fleet --reason "…"\n$/,
      ),
    ])
    expect(await cli('release', 'fleet', '--reason', 'it is meant so')).toEqual({
      code: 0,
      out: 'fleet of main was released by ann at 2026-01-05T02:00:00Z, it is meant so: policies want to restart 7 of 9 computes\n',
      err: '',
    })
  })

  test('prints that there are none, and JSON that fits its schema', async () => {
    expect((await brakesCli(await daemonOf())()).out).toBe('no brake is engaged\n')
    const cli = brakesCli(await engaged())
    expect(brakesJsonSchema.safeParse(JSON.parse((await cli('--json')).out)).error).toBeUndefined()
    const { out } = await cli('release', 'fleet', '--reason', 'x', '--json')
    expect(brakeAnswerSchema.safeParse(JSON.parse(out)).error).toBeUndefined()
  })

  test.each<[readonly string[], string]>([
    [['release'], 'expected a brake that dormouse brakes prints after release'],
    [['--reason', 'x'], 'expected neither --reason nor --account without release <brake>'],
    [['release', 'fleet'], `--${NO_REASON}`],
    [['release', 'breaker', '--reason', 'x'], 'brake: breaker is not engaged'],
  ])('ends with one line and exit code 2: %j', async (words, message) => {
    const daemon = await engaged()
    const before = daemon.stored()
    expect(await brakesCli(daemon)(...words)).toEqual({ code: 2, out: '', err: `dormouse: ${message}\n` })
    expect(daemon.stored()).toBe(before)
  })

  test('refuses another action, and another program', async () => {
    const { code, err } = await brakesCli(await engaged())('engage', 'fleet')
    expect([code, err]).toEqual([2, expect.stringContaining('release')])
    await using other = await faultyServer(answers(200, {}))
    const url = new URL(other.baseUrl).origin
    for (const words of [[], ['release', 'fleet', '--reason', 'x']])
      // oxlint-disable-next-line no-await-in-loop -- one command after the other
      expect(await brakesCli({ apiUrl: url })(...words)).toMatchObject({
        code: 1,
        err: `dormouse: ${url} is not the API of Dormouse\n`,
      })
  })
})
