// Each team is sent its part of the report, out of one reading of the history.
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createNotifications } from '../../../src/daemon/notify/notifications.ts'
import type { AccountRunners } from '../../../src/daemon/accounts/account-runners.ts'
import { sendReportNow } from '../../../src/daemon/reports/schedule.ts'
import { createReportJob } from '../../../src/daemon/reports/job.ts'
import { createSelfMetrics } from '../../../src/outputs/metrics/self.ts'
import type { History } from '../../../src/model/ports/history.ts'
import { seconds } from '../../../src/model/units.ts'
import type { Report } from '../../../src/outputs/report/schema.ts'
import { GOOD, load } from '../../config/loading.ts'
import { receiver, type Receiver } from '../../outputs/notify/http-receiver.ts'
import { seeded } from '../../simulation/seeded.ts'
import { dayAt, refOf } from '../../store/build.ts'
import { ledger, prices } from '../../support/build.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { NO_HISTORY } from '../../support/no-history.ts'
import { memoryStore } from '../../support/memory-store.ts'

const REFS = [
  refOf('ep-shop', 'p-shop'),
  refOf('ep-cart', 'p-shop'),
  refOf('ep-blog', 'p-blog'),
  refOf('ep-else', 'p-else'),
]

/** A week of days of each, and how often it was read. */
function history() {
  let reads = 0
  const days: History['days'] = async function* read() {
    reads += 1
    for (const ref of REFS) for (let day = 0; day < 7; day += 1) yield dayAt(ref, day)
  }
  return { history: { ...NO_HISTORY, days }, reads: () => reads }
}

const lanes = {
  all: [{ state: () => ({ ledger: ledger() }), prices: () => prices, unreadable: undefined }],
  snapshot: () => undefined,
} as unknown as AccountRunners

const bodyOf = ({ heard }: Receiver): unknown => JSON.parse(heard[0]?.body ?? '')

test('each team gets its report, a receiver without team the one about all, and Slack no channel: its address has one', async () => {
  await using payments = await receiver()
  await using web = await receiver()
  await using all = await receiver()
  await using chat = await receiver()
  const config = load(
    `${GOOD}owners:
  - { match: { project: p-shop }, team: payments, channel: "#pay" }
  - { match: { project: p-blog }, team: web }
report:
  sinks:
    - { name: payments, type: webhook, url_env: PAYMENTS, filter: { team: payments } }
    - { name: web, type: webhook, url_env: WEB, filter: { team: web } }
    - { name: all, type: webhook, url_env: ALL }
    - { name: chat, type: slack, url_env: CHAT, filter: { team: payments } }
`,
    { KEY: 'k', PAYMENTS: payments.url, WEB: web.url, ALL: all.url, CHAT: chat.url },
  )
  if (!config.ok) throw new Error(config.error.join('\n'))
  const [clock, past] = [fakeClock('2026-01-13T09:00:00Z'), history()]
  const store = {
    ...memoryStore(),
    ...past.history,
  }
  const log = pino({ level: 'silent' })
  const machine = { clock, random: seeded(1), store, self: createSelfMetrics(), log }
  const job = createReportJob(() => config.value, lanes, machine)
  const told = createNotifications(() => config.value, lanes, machine)
  await told.begin()
  expect(await sendReportNow(job, 'main')).toBe('2026-W02-manual-1')
  expect(past.reads()).toBe(1)
  // all teams and two of them: built, then rendered
  expect(clock.yields()).toBe(2 * 3)
  expect(await store.reportTeams('main', '2026-W02-manual-1')).toEqual(['payments', 'web'])
  const stop = new AbortController()
  const done = told.run(stop.signal)
  while ([payments, web, all, chat].some(({ heard }) => heard.length === 0))
    // oxlint-disable-next-line no-await-in-loop -- until each was told
    await clock.advance(seconds(1))
  stop.abort()
  await done
  const [shop, blog, both] = [payments, web, all].map((one) => bodyOf(one) as Report)
  expect([shop, blog, both].map((one) => [one?.team, one?.computes.length])).toEqual([
    ['payments', 2],
    ['web', 1],
    [null, 4],
  ])
  expect([shop, blog].map((one) => one?.spend.week.likely)).toEqual(
    ['payments', 'web'].map((team) => both?.groups.rows.find(({ name }) => name === team)?.micros),
  )
  expect(shop?.computes.map((one) => one.project_id)).toEqual(['p-shop', 'p-shop'])
  expect(JSON.stringify(shop)).not.toMatch(/p-blog|p-else/)
  expect(payments.heard[0]?.headers['idempotency-key']).toBe('main/2026-W02-manual-1/payments')
  expect(bodyOf(chat)).toMatchObject({ text: expect.stringContaining('team payments') })
  expect(bodyOf(chat)).not.toHaveProperty('channel')
})
