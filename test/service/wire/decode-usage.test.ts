import { inspect } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { check } from '../../support/property.ts'
import { project, projectModel } from '../records.ts'
import {
  decodeConnectionUri,
  decodeConsumption,
  decodeProjectDetail,
} from '../../../src/service/wire/decode-usage.ts'

const NOTHING = {
  activeTime: undefined,
  computeTime: undefined,
  writtenBytes: undefined,
  transferredBytes: undefined,
}
const detailModel = {
  project: { ...projectModel, hasDefaults: false },
  orgId: undefined,
  subscription: undefined,
  period: undefined,
  counters: NOTHING,
  quota: { ...NOTHING, logicalBytes: undefined },
  maintenanceAt: undefined,
  maintenanceHours: undefined,
}
const from = '2026-01-01T00:00:00Z'
const to = '2026-02-01T00:00:00Z'

describe('the detail of a project', () => {
  test.each([
    ['has the fields of the list alone', {}, {}],
    [
      'has nulls',
      {
        org_id: null,
        owner: null,
        settings: null,
        active_time_seconds: null,
        maintenance_scheduled_for: null,
      },
      {},
    ],
    [
      'counts',
      {
        active_time_seconds: 7,
        compute_time_seconds: 3.5,
        written_data_bytes: 0,
        data_transfer_bytes: 9,
        consumption_period_start: from,
        consumption_period_end: to,
      },
      {
        counters: { activeTime: 7, computeTime: 3500, writtenBytes: 0, transferredBytes: 9 },
        period: { from: Date.parse(from), to: Date.parse(to) },
      },
    ],
    ['names one end of its period', { consumption_period_start: from }, {}],
    [
      'has a plan, an organisation and a restart to come',
      { org_id: 'org-a', owner: { subscription_type: 'scale_v3' }, maintenance_scheduled_for: to },
      { orgId: 'org-a', subscription: 'scale_v3', maintenanceAt: Date.parse(to) },
    ],
    [
      'has a quota, of which 0 is none',
      { settings: { quota: { compute_time_seconds: 100, active_time_seconds: 0, logical_size_bytes: 5 } } },
      { quota: { ...NOTHING, computeTime: 100_000, logicalBytes: 5 } },
    ],
    [
      'has a maintenance window over midnight',
      { settings: { maintenance_window: { weekdays: [1, 7], start_time: '22:30', end_time: '01:00' } } },
      { maintenanceHours: { days: new Set([1, 0]), from: 81_000_000, to: 3_600_000 } },
    ],
    [
      'has a maintenance window until midnight',
      { settings: { maintenance_window: { weekdays: [6], start_time: '00:00', end_time: '24:00' } } },
      { maintenanceHours: { days: new Set([6]), from: 0, to: 86_400_000 } },
    ],
    ['has no maintenance window', { settings: { maintenance_window: null } }, {}],
  ])('that %s', (_, change, expected) => {
    expect(decodeProjectDetail({ project: { ...project, ...change } })).toEqual({
      ok: true,
      value: { ...detailModel, ...expected },
    })
  })

  const hours = { weekdays: [1], start_time: '01:00', end_time: '02:00' }
  test.each([
    ['Sun 02:00-05:00'],
    [{}],
    [{ ...hours, weekdays: [] }],
    [{ ...hours, weekdays: [0] }],
    [{ ...hours, weekdays: [8] }],
    [{ ...hours, weekdays: ['Mon'] }],
    [{ ...hours, weekdays: [1, 2, 3, 4, 5, 6, 7, 1] }],
    [{ ...hours, start_time: '24:00' }],
    [{ ...hours, start_time: '1:00' }],
    [{ ...hours, end_time: '24:01' }],
    [{ ...hours, end_time: '02:60' }],
    [{ ...hours, end_time: '02:00:00' }],
    [{ ...hours, end_time: '01:00' }],
    [{ ...hours, end_time: null }],
  ])('is read without a maintenance window that says %j', (maintenance_window) => {
    const quota = { compute_time_seconds: 100 }
    expect(
      decodeProjectDetail({ project: { ...project, settings: { maintenance_window, quota } } }),
    ).toMatchObject({ ok: true, value: { maintenanceHours: 'unreadable', quota: { computeTime: 100_000 } } })
  })

  test.each([
    [{ id: 7 }, 'project.id: Invalid input: expected string, received number'],
    [{ compute_time_seconds: -1 }, 'project.compute_time_seconds: Too small: expected number to be >=0'],
    [
      { settings: { quota: { written_data_bytes: 'all' } } },
      'project.settings.quota.written_data_bytes: Invalid input: expected number, received string',
    ],
    [
      { consumption_period_end: 'soon' },
      'project.consumption_period_end: expected an ISO 8601 UTC timestamp',
    ],
  ])('with %j does not fit', (change, problem) => {
    expect(decodeProjectDetail({ project: { ...project, ...change } })).toEqual({
      ok: false,
      error: [problem],
    })
  })

  test.each([[undefined], [null], ['text'], [{}], [{ project: [] }]])('is not in %j', (body) => {
    expect(decodeProjectDetail(body)).toMatchObject({ ok: false })
  })
})

const piece = (start: string, end: string, value: unknown = 1) => ({
  timeframe_start: start,
  timeframe_end: end,
  metrics: [{ metric_name: 'compute_unit_seconds', value }],
})
const period = (...consumption: unknown[]) => ({ period_id: 'x', period_plan: 'scale_v3', consumption })
const jan = (day: number) => `2026-01-0${day}T00:00:00Z`
const used = (projectId: string, day: number, amount = 1) => ({
  projectId,
  subscription: 'scale_v3',
  from: Date.parse(jan(day)),
  to: Date.parse(jan(day + 1)),
  amounts: { compute_unit_seconds: amount },
})

describe('consumption', () => {
  test('is told piece by piece, with the plan of its period', () => {
    const body = {
      projects: [
        { project_id: 'a', periods: [period(piece(jan(1), jan(2))), period(piece(jan(2), jan(3), 2.5))] },
        { project_id: 'b', periods: [{ period_plan: null, consumption: [] }] },
      ],
      pagination: { cursor: 'b' },
    }
    expect(decodeConsumption(body)).toEqual({
      ok: true,
      value: { items: [used('a', 1), used('a', 2, 2.5)], problems: [], cursor: 'b', projects: 2 },
    })
  })

  test('that does not fit is left out where it stands, and hides nothing beside it', () => {
    const body = {
      projects: [
        { project_id: 'a', periods: [period(piece(jan(1), 'later'), piece(jan(2), jan(3)))] },
        { project_id: 7, periods: [] },
        { project_id: 'c', periods: {} },
        { project_id: 'd', periods: [{ consumption: 'none' }, period(piece(jan(3), jan(4)))] },
        { project_id: 'e', periods: [period(piece(jan(4), jan(5), -1))] },
        { project_id: 'f', periods: [{ period_plan: 3 }] },
      ],
    }
    expect(decodeConsumption(body)).toEqual({
      ok: true,
      value: {
        items: [used('a', 2), used('d', 3)],
        problems: [
          'projects[0].periods[0].consumption[0].timeframe_end: expected an ISO 8601 UTC timestamp',
          'projects[1].project_id: Invalid input: expected string, received number',
          'projects[2].periods: Invalid input: expected array, received object',
          'projects[3].periods[0].consumption: Invalid input: expected array, received string',
          'projects[4].periods[0].consumption[0].metrics[0].value: Too small: expected number to be >=0',
          'projects[5].periods[0].period_plan: Invalid input: expected string, received number',
        ],
        cursor: undefined,
        projects: 6,
      },
    })
  })

  test.each([[undefined], [{}], [{ projects: {} }], [{ projects: [], pagination: { cursor: 7 } }]])(
    'is not in %j',
    (body) => {
      expect(decodeConsumption(body)).toMatchObject({ ok: false })
    },
  )
})

test('no body makes a decoder throw, and none hides what fits', () => {
  const good = { project_id: 'good', periods: [period(piece(jan(1), jan(2)))] }
  const anything = fc.anything({ withNullPrototype: true, maxDepth: 3 })
  check(
    fc.property(anything, fc.array(anything, { maxLength: 5 }), fc.nat(5), (body, others, place) => {
      for (const decode of [decodeProjectDetail, decodeConsumption, decodeConnectionUri])
        expect(typeof decode(body).ok).toBe('boolean')
      const decoded = decodeConsumption({ projects: others.toSpliced(place, 0, good) })
      expect(decoded.ok && decoded.value.items).toContainEqual({ ...used('good', 1) })
    }),
    300,
  )
})

describe('a connection string', () => {
  const uri = 'postgresql://app:s3cr3t@ep-x.example.test/app'

  test('is told to whom asks for it, and to no log', () => {
    const decoded = decodeConnectionUri({ uri })
    if (!decoded.ok) throw new Error(decoded.error.join())
    expect(decoded.value.reveal()).toBe(uri)
    const shown = [JSON.stringify(decoded), inspect(decoded, { depth: 9, showHidden: true })]
    for (const text of shown) expect(text).not.toContain('s3cr3t')
  })

  test.each([[undefined], [{ uri: 7 }], [{ uri: 'mysql://app:s3cr3t@x' }], [{ uri: 's3cr3t' }], [[uri]]])(
    'is not in %j, and the problem does not quote it',
    (body) => {
      expect(decodeConnectionUri(body)).toEqual({
        ok: false,
        error: ['uri: expected a connection string of PostgreSQL'],
      })
    },
  )
})
