import { DEFAULT_BRAKES } from '../../src/model/policy/brakes.ts'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadWithSource } from '../../src/config/load.ts'
import { ACCOUNT, GOOD, folder, load, makeConfigFolder, problemsOf } from './loading.ts'

describe('a configuration', () => {
  test('has each project once, however often it is listed: a page of the list begins with an id', () => {
    const loaded = load(`${GOOD}    projects: [a, b, a]`)
    expect(loaded).toMatchObject({ ok: true, value: { accounts: [{ projects: ['a', 'b'] }] } })
  })

  test('of one account has defaults for the rest', () => {
    expect(load(GOOD)).toEqual({
      ok: true,
      value: {
        mode: 'suggest',
        accounts: [
          {
            name: 'main',
            baseUrl: 'https://console.example.com/api/v2',
            key: { from: 'api_key_env', source: { variable: 'KEY' }, read: expect.any(Function) },
            orgId: undefined,
            projects: 'discover',
            plan: 'launch',
            prices: {
              currency: 'USD',
              periods: [
                { from: Date.parse('2025-08-01T00:00:00Z'), perCuHour: 140_000 },
                { from: Date.parse('2026-03-01T00:00:00Z'), perCuHour: 106_000 },
              ],
            },
            dsn: undefined,
            hosts: ['example.com'],
            dsnPassword: undefined,
            limits: expect.objectContaining({ delays: { from: 300, to: 300 } }),
          },
        ],
        poll: { interval: 60, maxAge: 900, history: 5_184_000 },
        reading: {
          mode: 'full',
          overhead: 0.01,
          minInterval: 300,
          activityLag: 60,
          role: 'dormouse',
          hosts: undefined,
          authentication: ['scram-sha-256'],
          sslmode: 'verify-full',
          sslrootcert: undefined,
          serviceUsers: ['cloud_admin'],
          deadline: 5,
          maxConcurrent: 16,
        },
        service: { preset: '2026-03', requestsPerMinute: 350, useConnectionUri: false, settle: 120 },
        server: {
          telemetry: { host: '0.0.0.0', port: 9477 },
          api: { host: '127.0.0.1', port: 9478 },
          names: [],
          tokens: {},
          tls: undefined,
          insecure: false,
          open: true,
          telemetryAuth: { token: false, tls: false },
        },
        store: { folder: join(folder, 'dormouse-data') },
        metrics: { detail: 'basic', perCompute: 'all', staleAfter: 3, maxSeries: 100_000 },
        verify: { warmUp: 3600 },
        changes: { freeze: [], isKilled: false, killSwitchFile: undefined },
        brakes: DEFAULT_BRAKES,
        log: { level: 'info' },
        report: {
          plan: { groupBy: undefined, onlyTeam: undefined, redact: [] },
          cron: expect.objectContaining({ text: '0 8 * * MON' }),
          catchUp: 172_800,
          minSaving: 1_000_000,
          sinks: [],
        },
        timezone: expect.objectContaining({ name: 'UTC' }),
        windows: new Map(),
        budgets: [],
        owners: {
          of: expect.any(Function),
          ofTeam: expect.any(Function),
          ofProject: expect.any(Function),
        },
        policies: {
          of: expect.any(Function),
          changesOf: expect.any(Function),
          warmUpsOf: expect.any(Function),
          warmsUp: false,
          floorsOf: expect.any(Function),
          scheduleOf: expect.any(Function),
          hasSchedules: false,
          unmatchedBy: expect.any(Function),
          decidesChanges: false,
          appliesChanges: false,
          alertsOfForeignChanges: false,
          managerOf: expect.any(Function),
        },
        advice: { minHistory: 259_200, minGaps: 30, minPeaks: 604_800, grid: 60 },
        notifications: [],
      },
    })
  })

  test('may have sections and keys with nothing in them', () => {
    expect(problemsOf(`${GOOD}    org_id:\nprices:\nlog: {}\n`)).toEqual([])
  })

  test('takes paths from its own folder and reads secrets each time', () => {
    makeConfigFolder()
    const path = join(folder, 'dormouse.yaml')
    const learned: string[] = []
    writeFileSync(
      path,
      `${ACCOUNT}    api_key_file: key\n    dsn: postgresql://dormouse@{host}/{database}\n    dsn_password_env: PASSWORD\n`,
    )
    const access = { env: { PASSWORD: 'secret-word' }, learn: (text: string) => void learned.push(text) }
    const loaded = loadWithSource(path, access)
    const account = loaded.ok ? loaded.value.config.accounts[0] : undefined
    expect(account?.key.read()).toEqual({ ok: true, value: 'file-key' })
    writeFileSync(join(folder, 'key'), 'rotated-key')
    expect(account?.key.read()).toEqual({ ok: true, value: 'rotated-key' })
    expect(account?.dsnPassword?.read()).toEqual({ ok: true, value: 'secret-word' })
    expect(JSON.stringify(loaded)).not.toMatch(/rotated-key|secret-word/)
    expect(learned).toEqual(expect.arrayContaining(['file-key', 'rotated-key', 'secret-word']))
  })

  test.each([
    ['nothing', '', [{ perCuHour: 140_000 }, { perCuHour: 106_000 }], 'USD'],
    [
      'the price for all',
      'prices: { cu_hour: 0.2, currency: EUR }',
      [{ from: 0, perCuHour: 200_000 }],
      'EUR',
    ],
    [
      'its own price',
      '    cu_hour: "0.15"\nprices: { cu_hour: 0.2 }',
      [{ from: 0, perCuHour: 150_000 }],
      'USD',
    ],
    ['its own currency', '    currency: CHF\nprices: { currency: EUR }', [{}, {}], 'CHF'],
  ])('that overrides %s', (_, more, periods, currency) => {
    const loaded = load(`${GOOD}${more}\n`)
    expect(loaded).toMatchObject({ ok: true, value: { accounts: [{ prices: { currency, periods } }] } })
  })

  test('takes its own price file', () => {
    makeConfigFolder()
    writeFileSync(
      join(folder, 'prices.yaml'),
      'currency: EUR\nplans: { launch: [{ from: 2026-01-01, cu_hour: 1 }] }',
    )
    expect(load(`${GOOD}prices: { file: prices.yaml }`)).toMatchObject({
      ok: true,
      value: { accounts: [{ prices: { currency: 'EUR', periods: [{ perCuHour: 1_000_000 }] } }] },
    })
    writeFileSync(
      join(folder, 'prices.yaml'),
      'currency: EUR\nplans: { free: [{ from: March, cu_hour: -1 }], pro: [] }',
    )
    expect(problemsOf(`${GOOD}prices: { file: prices.yaml }`)).toEqual([
      'prices.file: plans.free[0].from: expected a day such as 2026-03-01',
      'prices.file: plans.free[0].cu_hour: expected an amount of at least 0 with at most 6 decimals, such as 0.106',
      'prices.file: plans.pro: expected at least one period',
    ])
    const repeated =
      '[{ from: 2026-01-01, cu_hour: 1 }, { from: 2025-01-01, cu_hour: 3 }, { from: 2026-01-01, cu_hour: 2 }]'
    writeFileSync(join(folder, 'prices.yaml'), `currency: EUR\nplans: { launch: ${repeated} }`)
    expect(problemsOf(`${GOOD}prices: { file: prices.yaml }`)).toEqual([
      'prices.file: plans.launch[2].from: expected a day on which no other period begins, got that of [0]',
    ])
  })
})
