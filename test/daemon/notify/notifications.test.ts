// Who is told: by the owner of the compute, the project or the budget that an event is about.
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createNotifications } from '../../../src/daemon/notify/notifications.ts'
import type { AccountRunners } from '../../../src/daemon/accounts/account-runners.ts'
import { createSelfMetrics } from '../../../src/outputs/metrics/self.ts'
import { computeKey } from '../../../src/model/service/compute.ts'
import type { Event } from '../../../src/model/output/event-kinds.ts'
import { micros, seconds } from '../../../src/model/units.ts'
import { GOOD, load } from '../../config/loading.ts'
import { receiver, type Receiver } from '../../outputs/notify/http-receiver.ts'
import { seeded } from '../../simulation/seeded.ts'
import { computeOf, refOf } from '../../store/build.ts'
import { at, ledger, project } from '../../support/build.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { memoryStore } from '../../support/memory-store.ts'
import { put } from '../../support/writes.ts'

const account = computeOf('ep-one')
const known = ledger({
  computes: new Map([[computeKey(account.ref), account]]),
  projects: new Map([['project-one', { project: project({ name: 'shop' }), listed: undefined }]]),
})
const lanes = {
  all: [{ state: () => ({ ledger: known }) }],
  snapshot: () => ({ accounts: [{ account: 'main', budgets: [{ name: 'all', team: 'payments' }] }] }),
} as unknown as AccountRunners

const about = { account: 'main', at: at(0) }
const rung: Event = {
  ...about,
  kind: 'budget-rung',
  budget: 'all',
  rung: 100,
  spent: { low: 1, likely: 1, high: 1 },
  limit: { unit: 'money', amount: micros(1_000_000), currency: 'USD' },
  period: { from: at(0), to: at(86_400) },
}
const woken: Event = { ...about, kind: 'wake-caused', ref: refOf('ep-one') }
const stranger: Event = { ...about, kind: 'wake-caused', ref: refOf('ep-gone') }
const refused: Event = { ...about, kind: 'key-refused' }

const kindsOf = ({ heard }: Receiver): readonly string[] =>
  heard.map(({ body }) => (JSON.parse(body) as { kind: string }).kind)

test('a team is notified of its computes and budgets, a channel of those of its owners, others of all', async () => {
  await using payments = await receiver()
  await using channel = await receiver()
  await using web = await receiver()
  await using all = await receiver()
  const config = load(
    `${GOOD}owners: [{ match: { project: shop }, team: payments, channel: "#pay" }, { match: { project: blog }, team: web }]
notifications:
  - { name: payments, type: webhook, url_env: PAYMENTS, team: payments }
  - { name: channel, type: webhook, url_env: CHANNEL, channel: "#pay" }
  - { name: web, type: webhook, url_env: WEB, team: web }
  - { name: all, type: webhook, url_env: ALL }
`,
    { KEY: 'k', PAYMENTS: payments.url, CHANNEL: channel.url, WEB: web.url, ALL: all.url },
  )
  if (!config.ok) throw new Error(config.error.join('\n'))
  const [store, clock] = [memoryStore(), fakeClock()]
  const machine = {
    clock,
    random: seeded(1),
    store,
    self: createSelfMetrics(),
    log: pino({ level: 'silent' }),
  }
  const told = createNotifications(() => config.value, lanes, machine)
  await told.begin()
  await put(store, { events: [rung, woken, stranger, refused] })
  const stop = new AbortController()
  const done = told.run(stop.signal)
  while (all.heard.length < 4 || payments.heard.length < 2 || channel.heard.length < 2)
    // oxlint-disable-next-line no-await-in-loop -- until all that is to come has come
    await clock.advance(seconds(1))
  stop.abort()
  await done
  const both = ['budget-rung', 'wake-caused']
  expect([payments, channel, web].map((one) => kindsOf(one).toSorted())).toEqual([both, both, []])
  expect(kindsOf(all).toSorted()).toEqual(['budget-rung', 'key-refused', 'wake-caused', 'wake-caused'])
})
