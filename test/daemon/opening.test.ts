import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { loadWithSource } from '../../src/config/load.ts'
import { startDaemon } from '../../src/daemon/daemon.ts'
import { environmentOf, noRedactor } from '../support/secrets.ts'
import { createScaledClock } from '../support/scaled-clock.ts'
import { startSimulated } from '../support/simulated-service.ts'

/** More than the opening pass looks at; the turn after it takes some 2 s. */
const PROJECTS = 100

test('a fresh start shows the first states at once, and says that the totals are partial', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'dormouse-opening-'))
  const stop = new AbortController()
  const begun = Date.now()
  const service = await startSimulated({
    projects: Array.from({ length: PROJECTS }, (_, index) => ({ name: `project ${index}`, cu: 1 })),
    scripts: [],
    clock: createScaledClock(1, begun),
    since: begun,
    behaviour: { rates: false },
  })
  try {
    const file = join(folder, 'dormouse.yaml')
    writeFileSync(
      file,
      [
        `accounts: [{ name: main, base_url: '${service.baseUrl}', api_key_env: KEY, plan: launch }]`,
        'service: { requests_per_minute: 3500 }',
        "server: { telemetry: '127.0.0.1:0', api: '127.0.0.1:0' }",
        `store: { folder: '${folder}/data' }`,
      ].join('\n'),
    )
    const read = () => loadWithSource(file, environmentOf({ KEY: service.apiKey }))
    const loaded = read()
    if (!loaded.ok) throw new Error(loaded.error.join('\n'))
    const log = pino({ level: 'silent' })
    const options = { loaded: loaded.value, read, version: '1', log, redactor: noRedactor }
    const daemon = await startDaemon(options, stop.signal)
    const seen = daemon.snapshot()?.computes.length ?? 0
    const page = await fetch(daemon.apiUrl, { headers: { accept: 'text/html' } })
    const status = await fetch(`${daemon.apiUrl}/api/v1/status`)
    const [account] = ((await status.json()) as { accounts: unknown[] }).accounts
    expect(seen).toBeGreaterThan(0)
    expect(account).toMatchObject({ list_complete: true, projects_unseen: PROJECTS - seen })
    expect(await page.text()).toContain('totals are those of the others')
    await daemon.firstPass
    const running = daemon.run(stop.signal)
    // a busy machine leaves some to the next passes
    await expect.poll(() => daemon.snapshot()?.computes.length, { timeout: 200_000 }).toBe(PROJECTS)
    stop.abort()
    await running
  } finally {
    stop.abort()
    await service.stop()
    rmSync(folder, { recursive: true, force: true })
  }
})
