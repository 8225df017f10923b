import { globSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { PAST_TEAMS } from '../../src/cli/demo/cast.ts'
import type { Summary } from '../../src/cli/demo/summary.ts'
import { makeFolder } from '../local/support.ts'
import { changeThat } from './change-support.ts'
import { dormouse, page, until } from './support.ts'

const PAST_PROJECTS = Object.values(PAST_TEAMS).flat()
/** Projects that are used all of each week. One that is younger than two weeks may have begun at the end of the last one. */
const USED = PAST_PROJECTS.filter(
  ({ kind, days = Infinity }) => kind !== 'idle' && kind !== 'rare' && days >= 14,
).map(({ name }) => name)
const TEAMS = Object.keys(PAST_TEAMS)

/** Interrupts a demo when its change is sent: how long that takes depends on the machine. */
async function interrupted(): Promise<Summary> {
  const folder = mkdtempSync(join(tmpdir(), 'dormouse-demo-report-'))
  const temporary = makeFolder()
  await using demo = dormouse(['demo', '--for', '10m', '--json', '--report', folder], { TMPDIR: temporary })
  const [made = ''] = await until('a configuration', () => {
    const found = globSync('*/dormouse.yaml', { cwd: temporary })
    return found.length > 0 ? found : undefined
  })
  // root runs Postgres as another user, who must read the certificate
  const isRoot = process.geteuid?.() === 0
  expect(openToOthers(join(temporary, dirname(made)))).toEqual(isRoot ? ['service/tls/certificate.pem'] : [])
  const api = /api: "(.*)"/.exec(readFileSync(join(temporary, made), 'utf8'))?.[1] ?? ''
  await changeThat('its change', `http://${api}`, ({ sent_at: sentAt }) => sentAt !== null)
  demo.child.kill('SIGINT')
  expect(await demo.ended).toBe(0)
  expect(demo.err()).toBe('')
  const summary = JSON.parse(demo.out()) as Summary
  expectTruth(summary)
  expectReport(summary, folder)
  const { page: status, metrics, service } = summary.urls
  expect(await Promise.all([status, metrics, service].map(async (url) => (await page(url)).status))).toEqual([
    0, 0, 0,
  ])
  expect(readdirSync(temporary)).toEqual([])
  for (const each of [folder, temporary]) rmSync(each, { recursive: true })
  return summary
}

function expectTruth({ computes, ledger, observer, whole }: Summary): void {
  const names = computes.map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(['bursty', 'busy', 'chatty', 'forgotten', 'oversized']))
  expect(names).toEqual(expect.arrayContaining(PAST_PROJECTS.map(({ name }) => name)))
  expect(ledger.boundsContainTruth).toBe(true)
  expect(ledger.errorRatio).toBeLessThanOrEqual(0.03)
  expect(observer.wakesCaused).toBe(0)
  expect(whole.spend).toMatchObject({ currency: 'USD' })
  expect(whole.spend.low).toBeLessThanOrEqual(whole.spend.likely)
  expect(whole.spend.likely).toBeLessThanOrEqual(whole.spend.high)
  expect(whole.deleted).toBeGreaterThan(20)
  expect(whole.computes).toBe(names.length + whole.deleted)
  expect(whole.awakeSeconds.truth).toBeGreaterThan(45 * 86_400)
}

function expectReport({ report }: Summary, folder: string): void {
  expect(report).toEqual({ markdown: join(folder, 'report.md'), html: join(folder, 'report.html') })
  const [markdown, html] = [report.markdown, report.html].map((file) => readFileSync(file, 'utf8'))
  for (const text of [markdown, html]) for (const name of [...USED, ...TEAMS]) expect(text).toContain(name)
  expect(html).toMatch(/^<!doctype html>/i)
}

test('a demo shows weeks of past and five computes that act, counts them truly, tells of a budget, wakes none, leaves a report and nothing else', async () => {
  expectActs(await interrupted())
})

function expectActs(summary: Summary): void {
  const names = summary.computes.map(({ name }) => name)
  expect(summary.wakes).toBeGreaterThanOrEqual(6)
  expect(summary.suspends).toBeGreaterThanOrEqual(3)
  const used = summary.computes.filter(({ name }) => name === 'busy' || name === 'chatty')
  expect(used.filter(({ hitRatio, connections }) => hitRatio === null || connections === null)).toEqual([])
  const told = { by: 'dormouse', to: 'screen', state: 'event', name: 'budget-rung', severity: 'info' }
  expect(summary.told).toContainEqual(expect.objectContaining(told))
  const expected = ['budget-rung', 'change-scheduled', 'change-applied']
  expect(summary.told.filter(({ name }) => !expected.includes(name))).toEqual([])
  expectOneChange(summary)
  const forgotten = summary.recommended.filter(
    ({ name, kind, state }) => name === 'forgotten' && kind === 'delay' && state !== 'withheld',
  )
  expect(forgotten).toMatchObject([{ state: 'implemented' }])
  const later = summary.recommended.filter(({ name, kind }) => name === 'indexer' && kind === 'delay')
  expect(later).toMatchObject([{ state: 'open', text: expect.stringContaining('300 s →') }])
  const answered = summary.recommended.filter(({ kind }) => kind === 'delay').map(({ name }) => name)
  expect(new Set(answered)).toEqual(new Set(names))
}

/** Requests and stops, at least and at most, by state: how far the change is at the end depends on when that is. */
const EFFECTS: Readonly<Record<string, readonly [readonly number[], readonly number[]]>> = {
  scheduled: [[0], [0]],
  applying: [
    [0, 1],
    [0, 1],
  ],
  verifying: [[1], [0, 1]],
  done: [[1], [1]],
}

function expectOneChange({ changed }: Summary) {
  expect(changed).toMatchObject([{ name: 'oversized', sessionsInterrupted: 0 }])
  for (const { state, requests, stops } of changed) {
    const [ofRequests = [], ofStops = []] = EFFECTS[state] ?? []
    expect({ requests, stops }).toEqual({
      requests: expect.toBeOneOf([...ofRequests]),
      stops: expect.toBeOneOf([...ofStops]),
    })
  }
}

/** Files that the group or others can reach and read, and whatever they can write to. The programs of Postgres are no secret. */
function openToOthers(folder: string, root = folder): readonly string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    const stats = lstatSync(path)
    const isOpen = (stats.mode & (stats.isDirectory() ? 0o022 : 0o066)) !== 0
    if (isOpen) return [relative(root, path)]
    const isEntered =
      stats.isDirectory() && (stats.mode & 0o011) !== 0 && relative(root, path) !== 'service/postgres'
    return isEntered ? openToOthers(path, root) : []
  })
}
