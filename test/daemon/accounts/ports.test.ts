// The ports of an account count what goes through them.
import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { createClock } from '../../../src/daemon/clock.ts'
import { createRandom } from '../../../src/daemon/random.ts'
import { createPorts, passPlanOf } from '../../../src/daemon/accounts/ports.ts'
import { createSelfMetrics } from '../../../src/outputs/metrics/self.ts'
import { ACCOUNT, load } from '../../config/loading.ts'
import { memoryStore } from '../../support/memory-store.ts'
import { bodyText } from '../../support/exposed.ts'
import { compute } from '../../support/build.ts'
import { noRedactor } from '../../support/secrets.ts'

test('a reading is timed by its kind, also one that fails', async () => {
  const closing = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
  await once(closing, 'listening')
  const address = closing.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const loaded = load(`${ACCOUNT}    api_key_env: KEY
    dsn: postgresql://reader@127.0.0.1:${port}/{database}?options=endpoint%3D{endpoint_id}
`)
  const [account] = loaded.ok ? loaded.value.accounts : []
  if (!loaded.ok || !account) throw new Error(loaded.ok ? 'no account' : loaded.error.join('\n'))
  const self = createSelfMetrics()
  const machine = {
    clock: createClock(),
    random: createRandom(),
    store: memoryStore(),
    send: () => Promise.resolve([]),
    self,
    redactor: noRedactor,
  }
  const { readings } = createPorts(account, loaded.value, machine)
  const { signal } = new AbortController()
  expect(await readings.read(compute(), 'light', signal)).toMatchObject({ kind: 'failed' })
  closing.close()
  const shown = bodyText(await self.parts())
  expect(shown).toContain('dormouse_reading_duration_seconds_count{kind="light"} 1\n')
  expect(shown).not.toContain('dormouse_reading_duration_seconds_count{kind="full"}')
})

test.each([
  ['{database}', '', 'light'],
  ['{database}', 'database: app', 'full'],
  ['app', '', 'full'],
  ['app_{project_id}', '', 'full'],
  ['postgres', '', 'light'],
  ['', '', 'light'],
  ['app', 'mode: light', 'light'],
])('with the dsn …/%s and reading: { %s } readings are %s', (database, reading, mode) => {
  const loaded = load(
    `${ACCOUNT}    api_key_env: KEY\n    dsn: postgresql://reader@{host}/${database}\nreading: { ${reading} }\n`,
  )
  const [account] = loaded.ok ? loaded.value.accounts : []
  if (!loaded.ok || !account) throw new Error(loaded.ok ? 'no account' : loaded.error.join('\n'))
  expect(passPlanOf(account, loaded.value).sweep.readings.mode).toBe(mode)
})
