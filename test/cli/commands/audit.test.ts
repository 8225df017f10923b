import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { startSimulated, type Simulated } from '../../support/simulated-service.ts'
import { dormouse, words } from '../local-cli.ts'
import { longTest } from '../../support/tiers.ts'

const PROJECTS = 25

/** CU-time of the last 3 to 27 hours, which the service has not counted yet, is estimated from the days before: up to 22 % off at the hours tried. */
const ESTIMATE_ERROR = 0.5

/** People and programs used these for twenty days; nothing happens from now on. */
let service: Simulated
let plain: Simulated
beforeAll(async () => {
  const past = { span: 20 * 86_400, projects: PROJECTS, seed: 11 }
  service = await startSimulated({ projects: [], past })
  plain = await startSimulated({ projects: [], past, plan: 'free', behaviour: { interfaceOnly: true } })
})
afterAll(async () => {
  await Promise.all([service.stop(), plain.stop()])
})

const audit = (of: Simulated, options = '') =>
  dormouse([...words(`audit --base-url ${of.baseUrl} --days 18${options}`)], {
    env: { DORMOUSE_API_KEY: of.apiKey },
  })

type Bounds = { readonly low: number; readonly likely: number; readonly high: number }
type Undecided = {
  readonly because: string
  readonly until: string | null
  readonly cost: string
  readonly spend_30_days: number
}
type Json = {
  readonly from: string
  readonly to: string
  readonly projects: number
  readonly counted_by_service: number
  readonly total: { readonly awake_seconds: Bounds; readonly cu_seconds: Bounds; readonly wakes: number }
  readonly weeks: readonly { readonly wakes: number }[]
  readonly recommendations: readonly { readonly to: { readonly delay_seconds?: number | 'never' } }[]
  readonly undecided: readonly Undecided[]
  readonly findings: readonly { readonly kind: string }[]
}

/** Between two instants, what was really awake, and the size of it. */
function truthOf(of: Simulated, from: string, to: string): { readonly awake: number; readonly cu: number } {
  const [begin, end] = [Date.parse(from), Date.parse(to)]
  let [awake, cu] = [0, 0]
  for (const { intervals } of of.truth(end).computes) {
    for (const one of intervals) {
      const until = one.to === null ? end : Date.parse(one.to)
      const length = Math.max(0, Math.min(until, end) - Math.max(Date.parse(one.from), begin)) / 1000
      awake += length
      cu += length * one.cu
    }
  }
  return { awake, cu }
}

describe('an audit', () => {
  test('of a service that keeps everything agrees with the truth where the service has counted, deleted computes included', async () => {
    const { code, out } = await audit(service, ' --json')
    expect(code).toBe(0)
    const found = JSON.parse(out) as Json
    const truth = truthOf(service, found.from, found.to)
    expect(found.projects).toBe(PROJECTS)
    expect(Math.abs(found.total.awake_seconds.likely / truth.awake - 1)).toBeLessThan(0.005)
    expect(found.counted_by_service).toBeGreaterThan(0.85)
    const estimated = ESTIMATE_ERROR * (1 - found.counted_by_service)
    expect(Math.abs(found.total.cu_seconds.likely / truth.cu - 1)).toBeLessThan(0.0005 + estimated)
    expect(found.total.awake_seconds.low).toBeLessThanOrEqual(truth.awake)
    expect(found.total.awake_seconds.high).toBeGreaterThanOrEqual(truth.awake)
    expect(found.weeks).toHaveLength(2)
    expect(found.undecided.length).toBeGreaterThan(0)
  })

  longTest('says in text what was spent, by week and compute, and what first to look at', async () => {
    const { code, out, err } = await audit(service, ' --top 3')
    expect(code).toBe(0)
    expect(out).toMatch(/^spend +[\d,]+\.\d\d USD/m)
    // fractions of a second are for programs
    expect(out).not.toMatch(/T\d\d:\d\d:\d\d\.\d/)
    expect(out).toMatch(/^\d{4}-\d\d-\d\d +\d+\.\d\d USD +[\d,]+\.\d h +\d+ +#+$/m)
    expect(out).toMatch(/^and \d+ more; --top \d+ lists all$/m)
    expect(out).toMatch(/^NOT DECIDED YET, with what it costs in 30 days/m)
    expect(out).toMatch(
      /^- checkout-22 \/ ep-\w+: autosuspend is off, \d+\.\d\d USD; .*; answer about \d{4}-\d\d-\d\d/m,
    )
    expect(err).toMatch(/25 of 25 projects read\n\d+ requests in \d+ s/)
  })

  longTest(
    'names what autosuspend off costs and when the answer comes, and offers only delays that the plan allows',
    async () => {
      const { out } = await audit(service, ' --plan launch --json')
      const { recommendations, undecided } = JSON.parse(out) as Json
      const off = undecided.filter(({ cost }) => cost === 'autosuspend-off')
      expect(off.length).toBeGreaterThan(0)
      for (const { because, until, spend_30_days: spend } of off) {
        expect(['history-short', 'not-followed']).toContain(because)
        expect(Date.parse(String(until))).toBeGreaterThan(Date.now())
        expect(spend).toBeGreaterThan(0)
      }
      const delays = recommendations.flatMap(({ to }) => to.delay_seconds ?? [])
      expect(delays.filter((delay) => delay !== 300)).toEqual([])
    },
  )

  longTest('of a plan of which nothing is known recommends no delay', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'dormouse-audit-test-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const config = join(folder, 'dormouse.yaml')
    writeFileSync(
      join(folder, 'prices.yaml'),
      'currency: USD\nplans: { negotiated: [{ from: 2026-01-01, cu_hour: 1 }] }',
    )
    writeFileSync(
      config,
      `accounts: [{ name: main, base_url: "${service.baseUrl}", api_key_env: KEY, plan: negotiated }]
prices: { file: prices.yaml }`,
    )
    const { out } = await dormouse(words(`audit --config ${config} --days 18 --json`), {
      env: { KEY: service.apiKey },
    })
    const { undecided } = JSON.parse(out) as Json
    expect(new Set(undecided.map(({ because }) => because))).toEqual(new Set(['plan-unknown']))
  })

  longTest('of a service with nothing but the interface text says what it can, in wide bounds', async () => {
    const { code, out } = await audit(plain, ' --json')
    expect(code).toBe(0)
    const found = JSON.parse(out) as Json
    const truth = truthOf(plain, found.from, found.to)
    expect(found.projects).toBe(PROJECTS)
    expect(found.total.awake_seconds.low).toBeLessThanOrEqual(truth.awake)
  })

  longTest('that was stopped goes on where it was, with a folder', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'dormouse-audit-test-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const before = Object.values((await tally(service))['GET /api/v2/projects/:id/endpoints'] ?? {})[0] ?? 0
    expect((await audit(service, ` --folder ${folder}`)).code).toBe(0)
    expect((await audit(service, ` --folder ${folder}`)).code).toBe(0)
    const after = Object.values((await tally(service))['GET /api/v2/projects/:id/endpoints'] ?? {})[0] ?? 0
    expect(after - before).toBeLessThan(2 * PROJECTS)
  })
})

async function tally({ baseUrl }: Simulated): Promise<Record<string, Record<string, number>>> {
  const answer = await fetch(new URL('/_requests', baseUrl))
  return (await answer.json()) as Record<string, Record<string, number>>
}

test.each([
  ['audit --base-url http://127.0.0.1:1/api/v2 --days 0', /Expected a whole number from 1 to 400/],
  ['audit --base-url http://127.0.0.1:1/api/v2 --plan gold', /plan: expected one of free, launch, scale/],
  ['audit --config missing.yaml', /missing\.yaml/],
])('%s is refused with what is allowed', async (line, expected) => {
  const { code, err } = await dormouse(words(line), { env: { DORMOUSE_API_KEY: 'key' } })
  expect(code).toBe(2)
  expect(err).toMatch(expected)
})

test('a key that the service refuses is one line', async () => {
  const { code, out, err } = await dormouse(words(`audit --base-url ${service.baseUrl}`), {
    env: { DORMOUSE_API_KEY: 'wrong' },
  })
  expect({ code, out }).toEqual({ code: 1, out: '' })
  expect(err).toMatch(
    /^\d+ requests in \d s\ndormouse: projects: the service refuses the API key \(401\)[^\n]*\n$/,
  )
})
