import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findPrograms } from '../../src/cli/demo/monitoring/monitoring.ts'
import { testWith } from '../support/tiers.ts'
import { dormouse, page, until } from './support.ts'

let report: string
beforeAll(() => {
  report = mkdtempSync(join(tmpdir(), 'dormouse-interrupt-'))
})
afterAll(() => rmSync(report, { recursive: true }))

const demoWith = (...words: readonly string[]): readonly string[] => ['demo', '--report', report, ...words]

testWith('prometheus', 'prometheus-alertmanager')(
  'with Prometheus it shows an alert and its end; interrupted, it says what it came to, and leaves neither a program nor its folder',
  async () => {
    await using demo = dormouse(demoWith('--with-prometheus'))
    const shown = (text: RegExp) => until(String(text), () => text.exec(demo.out())?.[0])
    expect(await shown(/bursty +asleep/)).toContain('asleep')
    const configuration = /\S+dormouse\.yaml/.exec(demo.out())?.[0] ?? ''
    expect(existsSync(configuration)).toBe(true)
    await shown(
      /Alertmanager to nobody: info DormouseAutosuspendDisabled firing: Compute \S+ of forgotten never/,
    )
    const [alerts, alertmanager] = [await shown(/http\S+alerts(?= )/), await shown(/(?<=manager.url=)\S+/)]
    expect((await page(alerts)).text).toContain('Prometheus')
    const urls = [new URL(alerts).origin, alertmanager]
    expect(await Promise.all(urls.map(ready))).toEqual([200, 200])
    await shown(/Alertmanager to nobody: info DormouseAutosuspendDisabled resolved/)
    demo.child.kill('SIGINT')
    expect(await demo.ended).toBe(0)
    expect(demo.err()).toBe('')
    expect(demo.out()).toMatch(/wakes? and \d+ suspensions? of real Postgres processes/)
    expect(demo.out()).toMatch(/Alertmanager \d+ alerts? and \d+ resolved\./)
    expect(demo.out()).toContain(join(report, 'report.md'))
    expect(existsSync(configuration)).toBe(false)
    expect(await Promise.all(urls.map(ready))).toEqual([0, 0])
  },
)

/** The status that tells whether one listens, and is ready. */
const ready = async (url: string): Promise<number> => (await page(`${url}/-/ready`)).status

/** A folder with programs that do what a line of shell says. */
function programs(lines: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(report, 'bin-'))
  for (const [name, line] of Object.entries(lines)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${line}\n`)
    chmodSync(join(folder, name), 0o755)
  }
  return folder
}

test('where Prometheus or Alertmanager is missing, --with-prometheus says so before anything starts', async () => {
  for (const lines of [{}, { prometheus: 'true' }, { 'prometheus-alertmanager': 'true' }]) {
    await using demo = dormouse(demoWith('--with-prometheus'), { PATH: programs(lines) })
    expect(await demo.ended).toBe(1)
    expect(demo.err()).toMatch(/^dormouse: --with-prometheus needs Prometheus and Alertmanager.*apt install/)
    expect(demo.out()).toBe('')
  }
})

testWith('prometheus-alertmanager')(
  'a Prometheus that does not start ends all of it, with its words',
  async () => {
    const real = findPrograms(process.env['PATH'])?.alertmanager ?? 'prometheus-alertmanager'
    const pid = join(report, 'pid')
    const PATH = programs({
      prometheus: 'echo no space left >&2; exit 3',
      'prometheus-alertmanager': `echo $$ > ${pid}; exec ${real} "$@"`,
    })
    await using demo = dormouse(demoWith('--with-prometheus'), { PATH: `${PATH}:${process.env['PATH']}` })
    expect(await demo.ended).toBe(1)
    expect(demo.err()).toBe('dormouse: prometheus ended with 3: no space left\n')
    expect(() => process.kill(Number(readFileSync(pid, 'utf8')), 0)).toThrow('ESRCH')
  },
)
