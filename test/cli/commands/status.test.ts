import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { fleetTable } from '../../../src/cli/terminal/fleet-table.ts'
import { fleetJson } from '../../../src/daemon/http/api/status-json.ts'
import { DAY, instant } from '../../../src/model/units.ts'
import { createApiApp } from '../../../src/daemon/http/app.ts'
import { listenHttp, urlOf } from '../../../src/daemon/http/listen.ts'
import type { AccountView } from '../../../src/model/output/snapshot.ts'
import { toIso } from '../../../src/model/time.ts'
import { NO_HISTORY } from '../../support/no-history.ts'
import { NO_PAGES } from '../../support/no-pages.ts'
import { NO_REPORTS } from '../../support/no-reports.ts'
import { at, project } from '../../support/build.ts'
import { snapshotOf } from '../../support/fleet-snapshot.ts'
import { computeOf } from '../../store/build.ts'
import { keptBy } from '../kept.ts'
import { dormouse, words } from '../local-cli.ts'

/** What `status` prints of an account between its first line and its computes. */
async function statusOf(changed: Partial<AccountView>) {
  const taken = snapshotOf(1)
  const snapshot = { ...taken, accounts: taken.accounts.map((view) => ({ ...view, ...changed })) }
  const sources = { history: NO_HISTORY, accounts: () => [], ...NO_REPORTS, ...NO_PAGES }
  const app = createApiApp({ snapshot: () => snapshot, ...sources })
  await using listener = await listenHttp(app, { host: '127.0.0.1', port: 0 }, { setting: 'server.api' })
  const url = urlOf(listener.address)
  const { out } = await dormouse(words(`status --url ${url}`))
  const json = await dormouse(words(`status --json --url ${url}`))
  const { accounts } = JSON.parse(json.out) as { accounts: readonly object[] }
  return { lines: out.split('\n\n')[0]?.split('\n').slice(1), account: accounts[0] }
}

const WELL = { service: 'ok', stored: true, lastSweepAt: at(600), storedAt: at(600) } as const

test.each([
  ['all is well', {}, []],
  [
    'the store takes no writes',
    { stored: false, storedAt: at(60) },
    ['the ledger cannot be stored: the data is as of 2026-01-05T00:01:00Z'],
  ],
  [
    'the store has taken none',
    { stored: false, storedAt: undefined },
    ['the ledger cannot be stored: the data is from before Dormouse started'],
  ],
  ['the service does not answer', { service: 'unavailable' }, ['the data is as of 2026-01-05T00:10:00Z']],
  [
    'nothing was seen yet',
    { service: 'unavailable', stored: false, lastSweepAt: undefined, storedAt: undefined },
    [],
  ],
] as const)('status says as of when the data is: %s', async (_, changed, lines) => {
  const view = { ...WELL, ...changed }
  const { lines: printed, account } = await statusOf({ ...view, listedAt: at(0) })
  expect(printed).toEqual(lines.map((line) => `  ${line}`))
  const { stored, storedAt } = view
  expect(account).toMatchObject({ stored, stored_at: storedAt === undefined ? null : toIso(storedAt) })
})

const UNREAD = 'the project list is not read to its end'

test.each([
  [undefined, 0, 0, UNREAD],
  [undefined, 2, 0, `2 projects not looked at yet, and ${UNREAD}`],
  [at(0), 1, 0, '1 project not looked at yet'],
  [at(0), 0, 3, 'the past of 3 projects not read yet'],
])(
  'status says what the totals lack: list read at %s, %s unseen, %s without their past',
  async (listedAt, unseen, withoutPast, lacks) => {
    const { backlog } = snapshotOf(1).accounts[0] ?? {}
    const { lines, account } = await statusOf({
      ...WELL,
      listedAt,
      withoutPast,
      ...(backlog && { backlog: { ...backlog, unseen } }),
    })
    expect(lines).toEqual([`  totals are partial: ${lacks}`])
    expect(account).toMatchObject({ projects_unseen: unseen, projects_without_past: withoutPast })
  },
)

test('without a daemon nobody asked the service, and what is stored is not partial', async () => {
  await using kept = await keptBy([
    { computes: [computeOf('ep-one')], projects: [{ project: project(), listed: undefined }] },
  ])
  const { code, out } = await kept.cli('status')
  const [account, ...lines] = out.split('\n\n')[0]?.split('\n') ?? []
  expect([code, lines]).toEqual([0, []])
  expect(account).toMatch(/^account main: service not asked; awake 60 s, spend /)
})

test.each([
  ['today', 0, /asleep since 00:01:40Z$/],
  ['two days ago', 2, /asleep since 2026-01-05T00:01:40Z$/],
])('the table says since when a compute sleeps: %s', (_, days, row) => {
  const taken = snapshotOf(1)
  const takenAt = instant(taken.takenAt + days * DAY)
  expect(fleetTable(fleetJson({ ...taken, takenAt })).split('\n')[1]).toMatch(row)
})

test('the time that the table takes grows with its rows, not with their square', () => {
  const fleet = fleetJson(snapshotOf(1000))
  let reads = 0
  const computes = fleet.computes.map((compute) => ({
    ...compute,
    get project_id() {
      reads += 1
      return compute.project_id
    },
  }))
  expect(fleetTable({ ...fleet, computes }).split('\n')).toHaveLength(1001)
  expect(reads).toBeLessThanOrEqual(5 * computes.length)
})

test('a compute is told by its id where its project has several', () => {
  const fleet = fleetJson(snapshotOf(3))
  const [first, second, third] = fleet.computes
  const computes = [first, second, third].flatMap((compute, index) =>
    compute ? [{ ...compute, ...(index < 2 && { project_id: 'project-x', project_name: 'shop' }) }] : [],
  )
  const names = fleetTable({ ...fleet, computes })
    .split('\n')
    .slice(1)
    .map((row) => row.split(' ')[0])
  expect(new Set(names)).toEqual(
    new Set([`shop/${first?.endpoint_id}`, `shop/${second?.endpoint_id}`, third?.project_name]),
  )
})

test('an answer that breaks off is told as such', async () => {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': 100 })
    response.write('{"half":', () => response.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const { code, err } = await dormouse(words(`status --url http://127.0.0.1:${port}`))
  expect({ code, err }).toEqual({
    code: 1,
    err: expect.stringMatching(/^dormouse: the answer broke off \(.+\)\n$/),
  })
  server.close()
})

test('a configuration beside the address of the API is refused', async () => {
  const { code, err } = await dormouse(words('status --url http://127.0.0.1:9 --config dormouse.yaml'))
  const expected = "error: option '--url <url>' cannot be used with option '--config <file>'\n"
  expect({ code, err }).toEqual({ code: 2, err: expected })
})
