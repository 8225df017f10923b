// What the Dockerfile describes runs anywhere: as its user, in files that nobody can write to, with mounted secrets.
import { mkdirSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ownPort } from '../support/ports.ts'
import { page, until } from '../end-to-end/support.ts'
import { canaryOf, everyEncoding, hitsIn } from '../hostile/canaries.ts'
import { echoingService } from '../hostile/echoing-neighbours.ts'
import { memoryFolder } from '../support/folder.ts'
import { longTest } from '../support/tiers.ts'
import { installFromCheckout, installFromRegistry, layOut } from './layout.ts'

/** Seconds until the container's engine would kill the program. */
const GRACE = 10

/** Prints at the end whether compiled code is used. */
const TELLS_CACHE = `import { getCompileCacheDir } from 'node:module'
process.on('exit', () => console.log('compiled code', getCompileCacheDir()))`

test('runs as its user in a read-only tree, is healthy, and stops by SIGTERM', () =>
  life(installFromCheckout))
longTest('does so with the packages that its install command brings', () => life(installFromRegistry))

test('a package that links to files outside leaves their mode alone', () => {
  const outside = memoryFolder('dormouse-outside-')
  onTestFinished(() => rmSync(outside, { recursive: true }))
  const file = join(outside, 'shared.js')
  writeFileSync(file, '', { mode: 0o644 })
  using layout = layOut((folder, command) => {
    installFromCheckout(folder, command)
    mkdirSync(join(folder, 'node_modules/linked'))
    symlinkSync(file, join(folder, 'node_modules/linked/shared.js'))
    symlinkSync(outside, join(folder, 'node_modules/linked/folder'))
  })
  expect(layout.unwritable().some((line) => line.includes('linked'))).toBe(true)
  expect([file, outside].map((path) => (statSync(path).mode & 0o777).toString(8))).toEqual(['644', '700'])
})

async function life(install: typeof installFromCheckout): Promise<void> {
  using layout = layOut(install)
  const { image, at, mount, run } = layout
  // the build compiles nearly every module: a start that compiles takes twice as long
  const modules = readdirSync(join(at(image.folder), 'src')).filter((name) => name.endsWith('.mjs'))
  const compiled = readdirSync(at('/var/cache/dormouse'), { recursive: true })
  expect(compiled.length).toBeGreaterThan(0.9 * modules.length)
  const secrets = { mounted: canaryOf('mounted'), variable: canaryOf('variable') }
  await using service = await echoingService(Object.values(secrets).flatMap(everyEncoding))
  const port = await ownPort()
  const account = { base_url: `http://127.0.0.1:${service.port}/api/v2`, plan: 'launch' }
  const config = {
    accounts: [
      { name: 'mounted', ...account, api_key_file: at('/run/secrets/api-key') },
      { name: 'variable', ...account, api_key_env: 'DORMOUSE_API_KEY' },
    ],
    service: { requests_per_minute: 100_000 },
    store: { folder: at('/var/lib/dormouse/data') },
    server: { telemetry: `127.0.0.1:${port}`, api: '127.0.0.1:0' },
  }
  mount('/etc/dormouse/dormouse.yaml', JSON.stringify(config))
  mount('/run/secrets/api-key', `${secrets.mounted}\n`)
  const before = layout.unwritable()

  const words = image.command?.words ?? []
  const daemon = run(
    words.map((word) => (word.startsWith('/') ? at(word) : word)),
    { DORMOUSE_API_KEY: secrets.variable },
  )
  const url = `http://127.0.0.1:${port}`
  const check = (image.health?.words ?? []).toSpliced(
    1,
    0,
    '--import',
    `data:text/javascript,${encodeURIComponent(TELLS_CACHE)}`,
  )
  const health = async () => {
    const asked = run([...check, '--url', url])
    return { code: await asked.ended, out: asked.out() }
  }
  try {
    const metrics = await until('a scrape', async () => {
      const { status, text } = await page(`${url}/metrics`)
      return status === 200 && /^dormouse_account_computes|^dormouse_computes/m.test(text) ? text : undefined
    })
    const healthy = await health()
    expect(healthy).toEqual({
      code: 0,
      out: `healthy\ncompiled code ${at('/var/cache/dormouse')}/${readdirSync(at('/var/cache/dormouse'))[0]}\n`,
    })
    const stoppedAt = performance.now()
    daemon.stop()
    expect(await daemon.ended).toBe(0)
    expect(performance.now() - stoppedAt).toBeLessThan(GRACE * 1000)
    const stopped = await health()
    expect(stopped).toMatchObject({ code: 1 })
    const outputs = { log: daemon.out(), metrics, health: healthy.out + stopped.out }
    expect(outputs.log).toContain('[redacted]')
    expect(outputs.log).not.toContain('can read')
    expect(hitsIn(outputs, secrets)).toEqual([])
  } finally {
    daemon.stop()
    await daemon.ended
  }
  expect(readdirSync(at('/var/lib/dormouse/data'))).toContain('dormouse.sqlite')
  expect(layout.unwritable()).toEqual(before)
}
