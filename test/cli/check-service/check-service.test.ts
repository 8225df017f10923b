import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dormouse, localCli, words } from '../local-cli.ts'
import { checkOf, verdicts, type Report } from './check-report.ts'
import { createClock } from '../../../src/daemon/clock.ts'
import { createRandom } from '../../../src/daemon/random.ts'
import type { Compute } from '../../../src/model/service/compute.ts'
import { ok } from '../../../src/std/result.ts'
import { seconds } from '../../../src/model/units.ts'
import { createService } from '../../../src/service/service.ts'
import { longTest } from '../../support/tiers.ts'

const running = new AbortController().signal
const clock = createClock()
let local: Awaited<ReturnType<typeof localCli>>
const projects: string[] = []

const serviceHere = () =>
  createService({
    baseUrl: local.local.baseUrl,
    readKey: () => ok(local.local.apiKey),
    clock,
    random: createRandom(),
    requestsPerMinute: 60_000,
    projects: 'discover',
  })

async function computes(): Promise<Compute[]> {
  const lists = await Promise.all(projects.map((id) => serviceHere().listComputes(id, running)))
  return lists.flatMap((list) => (list.ok ? list.value.items : []))
}

/** Waits until every compute is as `wanted`. */
async function all(wanted: (compute: Compute) => boolean): Promise<void> {
  while (!(await computes()).every((one) => one.pendingState === undefined && wanted(one)))
    await clock.sleep(seconds(0.02), running)
}

const control = (change: object): Promise<Response> =>
  fetch(`${local.local.baseUrl.replace('/api/v2', '')}/_control`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(change),
  })

beforeAll(async () => {
  local = await localCli({
    projects: [{ name: 'shop' }, { name: 'blog' }, { name: 'wiki' }],
    lastActiveLag: 0,
  })
  const listed = await fetch(`${local.local.baseUrl}/projects?limit=400`, {
    headers: { authorization: `Bearer ${local.local.apiKey}` },
  })
  const body = (await listed.json()) as { projects: { id: string }[] }
  projects.push(...body.projects.map(({ id }) => id).toSorted())
  await all(({ state }) => state === 'active')
  await Promise.all(
    (await computes())
      .slice(1)
      .map((one) => serviceHere().suspendCompute(one.projectId, one.endpointId, running)),
  )
  await clock.sleep(seconds(0.02), running)
  while ((await computes()).filter(({ state }) => state === 'idle').length < 2)
    await clock.sleep(seconds(0.02), running)
})
afterAll(() => local[Symbol.asyncDispose]())

const tally = async (): Promise<Record<string, Record<string, number>>> =>
  (await fetch(`${local.local.baseUrl.replace('/api/v2', '')}/_requests`)).json() as Promise<
    Record<string, Record<string, number>>
  >

const states = (list: readonly Compute[]) => list.map(({ endpointId, state }) => `${endpointId} ${state}`)

/** Checks the service while a switch is on. */
async function checkWith(name: string) {
  await control({ [name]: true })
  try {
    return await local.cli('check-service --json')
  } finally {
    await control({ [name]: false })
  }
}

describe('check-service', () => {
  test('finds nothing amiss with a whole service, asks by GET alone and wakes nothing', async () => {
    const before = await computes()
    const asked = await tally()
    const { code, out, err } = await local.cli('check-service --json')
    expect(err).toBe('')
    const report: Report = JSON.parse(out)
    expect(verdicts(report)).toEqual({
      speed: 'full',
      'rate limit': 'full',
      clock: 'full',
      key: 'full',
      'project list': 'full',
      pages: 'full',
      'project activity': 'full',
      computes: 'full',
      hosts: 'full',
      looking: 'full',
      'awake intervals': 'full',
      activity: 'full',
      delays: 'full',
      'one compute': 'full',
      operations: 'full',
      counters: 'full',
      plan: 'full',
      consumption: 'full',
      'connection strings': 'unknown',
    })
    expect({ code, findings: report.findings }).toEqual({ code: 0, findings: 0 })
    const changed = Object.entries(await tally()).filter(
      ([route, counts]) =>
        !route.startsWith('GET ') && JSON.stringify(counts) !== JSON.stringify(asked[route]),
    )
    expect(changed).toEqual([])
    expect(states(await computes())).toEqual(states(before))
  })

  longTest('says for people what it saw and what follows', async () => {
    const { code, out } = await local.cli('check-service')
    expect(code).toBe(0)
    expect(out).toMatch(
      /^http:\/\/127\.0\.0\.1:\d+\/api\/v2: \d+ requests, all of them GET\n\nok {4}speed {15}median/,
    )
    expect(out).toContain('\nok    computes            3 computes in 3 projects, 1 awake\n')
    expect(out.trimEnd().split('\n').at(-1)).toBe('Dormouse can do everything with this service and key.')
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(110)
  })

  longTest('says what a service of the interface text alone takes from Dormouse', async () => {
    const { code, out } = await checkWith('interfaceOnly')
    const report: Report = JSON.parse(out)
    expect(verdicts(report)).toEqual({
      speed: 'full',
      'rate limit': 'full',
      clock: 'full',
      key: 'full',
      'project list': 'full',
      pages: 'full',
      'project activity': 'less',
      computes: 'full',
      hosts: 'full',
      looking: 'full',
      'awake intervals': 'less',
      activity: 'full',
      delays: 'less',
      'one compute': 'less',
      operations: 'less',
      counters: 'less',
      consumption: 'less',
      'connection strings': 'unknown',
    })
    expect({ code, findings: report.findings }).toEqual({ code: 3, findings: 7 })
    const told = Object.fromEntries(report.checks.map(({ topic, seen, follows }) => [topic, [seen, follows]]))
    expect(told['awake intervals']).toEqual([
      'started_at in 0 of 3 records, suspended_at in 0 of 3',
      'both ends are only known to lie between two looks: spend has wide bounds, and a shorter poll.interval narrows them',
    ])
  })

  longTest('says that a plan has no history', async () => {
    await using free = await localCli({ plan: 'free', projects: [{ name: 'small' }] })
    const { code, out } = await free.cli('check-service --json')
    const report: Report = JSON.parse(out)
    expect(code).toBe(3)
    expect(checkOf(report, 'consumption')).toMatchObject({
      verdict: 'less',
      seen: expect.stringMatching(/^no history \(not on this plan: /),
    })
  })

  test('stops looking where looking wakes', async () => {
    const { code, out } = await checkWith('apiReadsWake')
    const report: Report = JSON.parse(out)
    expect({ code, looking: verdicts(report)['looking'] }).toEqual({ code: 3, looking: 'less' })
    expect(checkOf(report, 'looking')?.seen).toMatch(/^ep-\w+ woke while the records were read$/)
  })
})

type Configured = { readonly account?: string; readonly rest?: string }

/** Checks the service with a configuration of one account on plan scale. */
async function configured({ account = 'plan: scale', rest = '' }: Configured) {
  const path = join(local.folder, 'dormouse.yaml')
  const fields = `name: main, base_url: "${local.local.baseUrl}", api_key_env: KEY, ${account}`
  writeFileSync(path, `accounts: [{ ${fields} }]\n${rest}\n`)
  const { code, out } = await dormouse(words(`check-service --json --config ${path}`), {
    env: { KEY: local.local.apiKey },
  })
  const report: Report = JSON.parse(out)
  return { code, out, report }
}

describe('with a configuration', () => {
  longTest('the projects that it names are looked at', async () => {
    const { report } = await configured({ account: `plan: scale, projects: [${projects[0]}]` })
    expect(checkOf(report, 'computes')?.seen).toMatch(/^1 compute in 1 project/)
  })

  longTest('its plan is held against that of the service', async () => {
    const same = await configured({})
    expect({ code: same.code, plan: verdicts(same.report)['plan'] }).toEqual({ code: 0, plan: 'full' })
    const { code, report } = await configured({ account: 'plan: free' })
    expect(code).toBe(3)
    expect(checkOf(report, 'plan')).toMatchObject({
      verdict: 'less',
      seen: 'the service calls it scale_v3, the configuration free',
    })
  })

  test.each([
    ['role: app_owner, database: app', 'full', 'given for role app_owner and database app'],
    [
      'role: nobody, database: app',
      'less',
      'the service does not give them (not there: role not found: nobody)',
    ],
  ])(
    'connection strings are asked for as for readings, and shown nowhere: %s',
    async (reading, verdict, seen) => {
      const rest = `service: { use_connection_uri: true }\nreading: { ${reading} }`
      const { out, report } = await configured({ rest })
      expect(checkOf(report, 'connection strings')).toMatchObject({ verdict, seen })
      expect(out).not.toContain('postgresql://')
    },
  )

  longTest('connection strings are not asked for where there is a dsn', async () => {
    const { report } = await configured({
      account: 'plan: scale, dsn: "postgresql://dormouse@{host}/app"',
      rest: 'service: { use_connection_uri: true }',
    })
    expect(checkOf(report, 'connection strings')?.seen).toMatch(/^not asked: the account has a dsn/)
  })
})
