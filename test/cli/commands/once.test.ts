import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startSimulated } from '../../support/simulated-service.ts'
import { createScaledClock } from '../../support/scaled-clock.ts'
import { dormouse, words } from '../local-cli.ts'

/** More than 20 requests and then those of one pass, 291, look at. */
const PROJECTS = 300

test('once says of which projects it prints nothing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'dormouse-once-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const begun = Date.now()
  const service = await startSimulated({
    projects: Array.from({ length: PROJECTS }, (_, index) => ({ name: `project ${index}`, cu: 1 })),
    scripts: [],
    clock: createScaledClock(1, begun),
    since: begun,
    behaviour: { rates: false },
  })
  onTestFinished(() => service.stop())
  writeFileSync(
    join(folder, 'dormouse.yaml'),
    `accounts: [{ name: main, base_url: '${service.baseUrl}', api_key_env: KEY, plan: launch }]
service: { requests_per_minute: 3500 }
poll: { interval: 5s }
store: { folder: '${folder}/data' }
`,
  )
  const { code, out, err } = await dormouse(words('once'), { cwd: folder, env: { KEY: service.apiKey } })
  const printed = out.trimEnd().split('\n').length - 1
  expect(code).toBe(0)
  expect(printed).toBeLessThan(PROJECTS)
  expect(err).toContain(
    `dormouse: account main: totals are partial: ${PROJECTS - printed} projects not looked at yet`,
  )
})
