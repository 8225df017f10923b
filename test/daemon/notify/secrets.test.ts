// Addresses and passwords of receivers are in nothing that Dormouse shows or keeps, also when receivers repeat them.
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createNotifications } from '../../../src/daemon/notify/notifications.ts'
import { createSelfMetrics } from '../../../src/outputs/metrics/self.ts'
import { seconds } from '../../../src/model/units.ts'
import { openEmbeddedStore } from '../../../src/store/sqlite/embedded.ts'
import { GOOD, load } from '../../config/loading.ts'
import { receiver, SECRET_PATH, type Answer } from '../../outputs/notify/http-receiver.ts'
import { seeded } from '../../simulation/seeded.ts'
import { eachInItsFolder } from '../../store/folder.ts'
import { at } from '../../support/build.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { put } from '../../support/writes.ts'

const place = eachInItsFolder()

test.each<Answer>([200, 422, 500, [302, { location: `/elsewhere${SECRET_PATH}` }], 'cut'])(
  'a receiver that answers %j learns of an event, and nothing shows its address',
  async (answer) => {
    await using ears = await receiver(answer)
    const config = load(
      `${GOOD}notifications:
  - { name: hook, type: webhook, url_env: URL, secret_env: SECRET }
  - { name: chat, type: slack, url_env: URL }
  - { name: mail, type: smtp, host: 127.0.0.1, port: 1, user: me, password_env: SECRET, from: a@b, to: [c@d] }
`,
      { KEY: 'k', URL: ears.url, SECRET: 's3cr3t-word' },
    )
    if (!config.ok) throw new Error(config.error.join('\n'))
    const clock = fakeClock()
    const store = openEmbeddedStore(place.folder(), clock)
    const self = createSelfMetrics()
    const lines: string[] = []
    const log = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) })
    const told = createNotifications(
      () => config.value,
      { all: [], snapshot: () => undefined },
      { clock, random: seeded(1), store, self, log },
    )
    await told.begin()
    await put(store, { events: [{ account: 'main', at: at(0), kind: 'key-refused' }] })
    const stop = new AbortController()
    const done = told.run(stop.signal)
    while (Object.values(await totals(self)).reduce((sum, count) => sum + count, 0) < 3)
      // oxlint-disable-next-line no-await-in-loop -- until each receiver was tried
      await clock.advance(seconds(1))
    stop.abort()
    await done
    await store.close()
    expect(ears.heard.length).toBeGreaterThanOrEqual(2)
    const kept = readdirSync(place.folder()).map((name) => readFileSync(join(place.folder(), name), 'latin1'))
    const metrics = (await self.parts()).flatMap(({ blocks }) => blocks.map((block) => block.toString()))
    const shown = [...kept, ...lines, ...metrics].join('\n')
    expect(shown).toContain('hook')
    expect(shown).not.toContain('s3cr3t')
    expect(shown).not.toContain(SECRET_PATH)
  },
)

/** Series of attempts → how many. */
async function totals(self: ReturnType<typeof createSelfMetrics>): Promise<Record<string, number>> {
  const part = (await self.parts()).find(({ name }) => name === 'dormouse_notifications_total')
  const text = part?.blocks.map((block) => block.toString()).join('') ?? ''
  return Object.fromEntries(
    [...text.matchAll(/^(\S+) (\d+)$/gm)].map(([, name = '', count]) => [name, Number(count)]),
  )
}
