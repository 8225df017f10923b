// Receivers, the report and prices that become others while the daemon runs.
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isoWeekIdOf } from '../../src/calendar/iso-week.ts'
import { createUtc } from '../../src/calendar/zone.ts'
import { instant } from '../../src/model/units.ts'
import type { Report } from '../../src/outputs/report/schema.ts'
import { receiver, type Receiver } from '../outputs/notify/http-receiver.ts'
import { dormouse, fleetAt, metricsAt, page, setting, until, type Setting } from './support.ts'

let world: Setting
beforeAll(async () => {
  world = await setting([{ name: 'one', suspendTimeoutSeconds: 600 }])
})
afterAll(() => world[Symbol.asyncDispose]())

const TOKEN = 'a-token-that-may-operate'
const sha256 = createHash('sha256').update(TOKEN).digest('hex')

async function post(path: string): Promise<{ readonly status: number; readonly body: unknown }> {
  const answer = await fetch(`${world.apiUrl}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}` },
  })
  return { status: answer.status, body: await answer.json() }
}

/** Puts what `rest` says of them in the file and has the daemon read it. */
async function reload(usual: string, rest: string): ReturnType<typeof post> {
  writeFileSync(world.configFile, usual + rest)
  return post('/-/reload')
}

/** What `dormouse report` says, asked of the running daemon. */
async function reported(...words: readonly string[]): Promise<string> {
  await using asked = dormouse(['report', '--url', world.apiUrl, ...words])
  expect(await asked.ended).toBe(0)
  return asked.out()
}

const kinds = ({ heard }: Receiver): readonly unknown[] =>
  heard.map(({ body }) => (JSON.parse(body) as { kind: unknown }).kind)

const hook = (name: string, address: string): string =>
  `{ name: ${name}, type: webhook, url_env: ${address}, events: [key-refused, key-accepted], min_severity: info, repeat_after: 1m }`

const sink = (name: string, address: string): string =>
  `report: { sinks: [{ name: ${name}, type: webhook, url_env: ${address} }] }\n`

test('a receiver that is new gets what comes next, the one before nothing more; reports and prices likewise', async () => {
  await using first = await receiver()
  await using second = await receiver()
  await using third = await receiver()
  await using boss = await receiver()
  await using board = await receiver()
  const env = {
    FIRST: first.url,
    SECOND: second.url,
    THIRD: third.url,
    BOSS: boss.url,
    BOARD: board.url,
  }
  const usual = readFileSync(world.configFile, 'utf8').replace(
    'server: {',
    `server: { tokens: { me: { sha256: "${sha256}", scope: operate } },`,
  )
  const key = readFileSync(world.keyFile, 'utf8')
  const happens = async (told: Receiver, isRefused: boolean): Promise<void> => {
    const before = told.heard.length
    writeFileSync(world.keyFile, isRefused ? 'wrong' : key)
    await until('the message', () => told.heard[before])
  }
  writeFileSync(
    world.configFile,
    `${usual}notifications: [${hook('first', 'FIRST')}]\n${sink('boss', 'BOSS')}`,
  )
  const run = dormouse(['run', '--config', world.configFile], env)
  await using _ = run
  await until('the first pass', () => fleetAt(world.apiUrl))
  await happens(first, true)

  const next = `notifications: [${hook('second', 'SECOND')}]\n${sink('board', 'BOARD')}`
  expect(await reload(usual, next)).toEqual({
    status: 200,
    body: {
      changed: [
        'notifications[0].name',
        'notifications[0].url_env',
        'report.sinks[0].name',
        'report.sinks[0].url_env',
      ],
    },
  })
  await happens(second, false)
  expect([kinds(first), kinds(second)]).toEqual([['key-refused'], ['key-accepted']])
  expect((await post('/api/v1/report/send')).status).toBe(202)
  const sent = await until('the report', () => board.heard[0])
  const { slot } = JSON.parse(sent.body) as Report
  expect(await reported('--list')).toMatch(new RegExp(`^${slot.id}  made .*Z\n$`))
  expect(JSON.parse(await reported('--kept', '--format', 'json'))).toEqual(JSON.parse(sent.body))
  expect(boss.heard).toEqual([])
  const series = [...(await metricsAt(world.telemetryUrl)).keys()]
  expect(series.filter((name) => name.startsWith('dormouse_report_last_success'))).toEqual([
    'dormouse_report_last_success_timestamp_seconds{account="main",sink="board"}',
  ])

  const wrong = next.replace('url_env: BOARD', 'url_env: BOARD, filter: { team: nobody }')
  expect(await reload(usual, wrong.replace('SECOND', 'THIRD'))).toMatchObject({ status: 400 })
  await happens(second, true)
  expect(await reload(usual, next.replace('SECOND', 'THIRD').replace(/report:.*\n/, ''))).toMatchObject({
    status: 200,
  })
  await happens(third, false)
  expect([kinds(second), kinds(third), kinds(first)]).toEqual([
    ['key-accepted', 'key-refused'],
    ['key-accepted'],
    ['key-refused'],
  ])
  expect(await post('/api/v1/report/send')).toMatchObject({ status: 409 })

  const running = isoWeekIdOf(instant(Date.now()), createUtc())
  const week = async (): Promise<Report> =>
    JSON.parse((await page(`${world.apiUrl}/api/v1/report?week=${running}`)).text) as Report
  const before = await week()
  expect(await reload(usual, 'prices: { cu_hour: 12 }\n')).toMatchObject({ status: 200 })
  const raised = [...before.prices.map((one) => one.cu_hour_micros), 12_000_000]
  const after = await until('the price', async () => {
    const report = await week()
    return report.prices.length === raised.length ? report : undefined
  })
  expect(after.prices.map((one) => one.cu_hour_micros)).toEqual(raised)
  run.child.kill('SIGTERM')
  expect(await run.ended).toBe(0)
  await using again = dormouse(['run', '--config', world.configFile], env)
  await until('the first pass', () => fleetAt(world.apiUrl))
  expect((await week()).prices).toEqual(after.prices)
  again.child.kill('SIGTERM')
  expect(await again.ended).toBe(0)
})
