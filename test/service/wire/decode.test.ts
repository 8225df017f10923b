import { describe, expect, test } from 'vitest'
import { compute, computeModel, operation, operationModel, project, projectModel } from '../records.ts'
import {
  decodeChanged,
  decodeCompute,
  decodeComputes,
  decodeOperations,
  decodeProject,
  decodeProjects,
} from '../../../src/service/wire/decode.ts'
import { failed, ok } from '../../../src/std/result.ts'

describe('a compute', () => {
  test.each([
    ['has the fields of the interface text alone', {}, {}],
    ['has fields nobody knows', { shape: 'round', settings: null }, {}],
    ['is a range', { autoscaling_limit_max_cu: 2 }, { sizing: { min: 0.25, max: 2 } }],
    [
      'has its own delay',
      { suspend_timeout_seconds: 600 },
      { autosuspendDelay: 600, isDelayListed: undefined },
    ],
    [
      'has a delay below the least',
      { suspend_timeout_seconds: 5 },
      { autosuspendDelay: 5, isDelayListed: undefined },
    ],
    [
      'has the default delay, written 0',
      { suspend_timeout_seconds: 0 },
      { autosuspendDelay: undefined, isDelayListed: undefined },
    ],
    [
      'never suspends, written -1',
      { suspend_timeout_seconds: -1 },
      { autosuspendDelay: 'never', isDelayListed: undefined },
    ],
    ['is a replica, whatever its word', { type: 'read_replica' }, { type: 'read_only' }],
    [
      'is on its way',
      { current_state: 'init', pending_state: 'active' },
      { state: 'init', pendingState: 'active' },
    ],
    [
      'has been active',
      {
        last_active: '2026-01-05T10:00:02Z',
        started_at: '2026-01-05T10:00:01.250Z',
        suspended_at: '2026-01-05T11:00:00+01:00',
      },
      {
        lastActive: Date.parse('2026-01-05T10:00:02Z'),
        startedAt: Date.parse('2026-01-05T10:00:01.250Z'),
        suspendedAt: Date.parse('2026-01-05T10:00:00Z'),
      },
    ],
    [
      'has null where nothing is to be said',
      {
        name: null,
        pending_state: null,
        last_active: null,
        started_at: null,
        suspended_at: null,
        suspend_timeout_seconds: null,
        pooler_enabled: null,
        disabled: null,
        region_id: null,
      },
      { regionId: '' },
    ],
    [
      'is disabled, pooled and named',
      { disabled: true, pooler_enabled: true, name: 'x' },
      { disabled: true, poolerEnabled: true, name: 'x' },
    ],
    ['is a plain pod', { provisioner: 'k8s-pod' }, {}],
    ['is of the later platform', { provisioner: 'serverless-platform' }, {}],
    ['is of an unknown provisioner', { provisioner: 'mainframe' }, { unknownProvisioner: 'mainframe' }],
    ['has a provisioner without a name', { provisioner: '' }, {}],
    ['has no provisioner', { provisioner: null }, {}],
  ])('that %s', (_, change, expected) => {
    expect(decodeCompute({ endpoint: { ...compute, ...change } })).toEqual(
      ok({ ...computeModel, ...expected }),
    )
  })

  test.each([
    [{ id: 'co-1' }, 'endpoint.id: expected an id that starts with ep-'],
    [{ id: 'ep-a/../b' }, 'endpoint.id: expected an id that starts with ep-'],
    [{ project_id: '..' }, 'endpoint.project_id: expected an id'],
    [{ branch_id: 'main' }, 'endpoint.branch_id: expected an id that starts with br-'],
    [{ created_at: '2026-01-05 10:00' }, 'endpoint.created_at: expected an ISO 8601 UTC timestamp'],
    [
      { current_state: 'asleep' },
      'endpoint.current_state: Invalid option: expected one of "init"|"active"|"idle"',
    ],
    [
      { autoscaling_limit_min_cu: '1' },
      'endpoint.autoscaling_limit_min_cu: Invalid input: expected number, received string',
    ],
    [
      { suspend_timeout_seconds: -7 },
      'endpoint.suspend_timeout_seconds: Too small: expected number to be >=-1',
    ],
  ])('with %j does not fit', (change, problem) => {
    expect(decodeCompute({ endpoint: { ...compute, ...change } })).toEqual(failed([problem]))
  })

  test.each([[undefined], [null], ['text'], [[]], [{}], [{ endpoint: null }]])('is not in %j', (body) => {
    expect(decodeCompute(body)).toMatchObject({ ok: false })
  })
})

describe('a list', () => {
  test('leaves out what does not fit and says where and why', () => {
    const { host: _, ...hostless } = compute
    const body = {
      endpoints: [compute, { ...compute, current_state: 'asleep' }, 7, { ...hostless, id: 'x' }],
    }
    expect(decodeComputes(body)).toEqual(
      ok({
        items: [computeModel],
        problems: [
          'endpoints[1].current_state: Invalid option: expected one of "init"|"active"|"idle"',
          'endpoints[2]: Invalid input: expected object, received number',
          'endpoints[3].id: expected an id that starts with ep-; endpoints[3].host: Invalid input: expected string, received undefined',
        ],
        unread: ['ep-cool-1'],
        hasUnidentified: true,
      }),
    )
  })

  test.each([
    [
      'for another project than was asked for',
      { ...compute, project_id: 'loud-2', id: 'ep-2' },
      { problems: ['ep-2: project_id: expected quiet-1, received loud-2'], unread: ['ep-2'] },
    ],
    [
      'with the id of one before it',
      { ...compute, current_state: 'active' },
      { problems: ['ep-cool-1: comes twice'], unread: ['ep-cool-1'] },
    ],
  ])('believes no record that speaks %s', (_, strange, told) => {
    expect(decodeComputes({ endpoints: [compute, strange] }, 'quiet-1')).toEqual(
      ok({ items: [computeModel], ...told }),
    )
  })

  test.each([
    [undefined, 'endpoints: Invalid input: expected array, received undefined'],
    [{}, 'endpoints: Invalid input: expected array, received undefined'],
    [{ endpoints: {} }, 'endpoints: Invalid input: expected array, received object'],
  ])('that is %j does not fit', (body, problem) => {
    expect(decodeComputes(body)).toEqual(failed([problem]))
  })
})

describe('a project', () => {
  test.each([
    ['has the fields of the interface text alone', {}, {}],
    [
      'tells of activity and of its default delay',
      {
        compute_last_active_at: '2026-01-05T10:00:01Z',
        default_endpoint_settings: { suspend_timeout_seconds: 60 },
      },
      { computeLastActiveAt: Date.parse('2026-01-05T10:00:01Z'), defaultAutosuspendDelay: 60 },
    ],
    [
      'never suspends by default',
      { default_endpoint_settings: { suspend_timeout_seconds: -1 } },
      { defaultAutosuspendDelay: 'never' },
    ],
    [
      'tells the size of new computes',
      {
        default_endpoint_settings: {
          suspend_timeout_seconds: 60,
          autoscaling_limit_min_cu: 0.25,
          autoscaling_limit_max_cu: 2,
        },
      },
      { defaultAutosuspendDelay: 60, defaultSizing: { min: 0.25, max: 2 } },
    ],
    [
      'gives new computes a fixed size',
      { default_endpoint_settings: { autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 1 } },
      { defaultSizing: { fixed: 1 } },
    ],
    ...[
      { autoscaling_limit_max_cu: 2 },
      { autoscaling_limit_min_cu: 2, autoscaling_limit_max_cu: 1 },
      { autoscaling_limit_min_cu: 0, autoscaling_limit_max_cu: 1 },
      { autoscaling_limit_min_cu: '1', autoscaling_limit_max_cu: null },
    ].map((size): [string, object, object] => [
      `tells no size by ${JSON.stringify(size)}`,
      { default_endpoint_settings: size },
      {},
    ]),
    ['leaves the default to the service', { default_endpoint_settings: { suspend_timeout_seconds: 0 } }, {}],
    [
      'has nulls',
      { compute_last_active_at: null, default_endpoint_settings: null, cpu_used_sec: null },
      { cpuUsedSeconds: 0 },
    ],
    ['tells how long its computes were awake', { active_time: 7 }, { activeSeconds: 7 }],
    ['tells a time awake that cannot be', { active_time: -1 }, {}],
  ])('that %s', (_, change, expected) => {
    const hasDefaults = 'default_endpoint_settings' in change && change.default_endpoint_settings !== null
    const value = { ...projectModel, ...(!hasDefaults && { hasDefaults: false }), ...expected }
    expect(decodeProject({ project: { ...project, ...change } })).toEqual(ok(value))
    expect(decodeProjects({ projects: [{ ...project, ...change }] })).toEqual(
      ok({ items: [value], problems: [], cursor: undefined, size: 1 }),
    )
  })

  test('on a page that says unreadably who is missing keeps the others', () => {
    const body = { projects: [project], pagination: { cursor: 'quiet-1' }, unavailable_project_ids: 7 }
    expect(decodeProjects(body)).toEqual(
      ok({
        items: [{ ...projectModel, hasDefaults: false }],
        problems: ['unavailable_project_ids: Invalid input: expected array, received number'],
        cursor: 'quiet-1',
        size: 2,
      }),
    )
  })

  test.each([
    [
      { projects: 'none', pagination: { cursor: 'quiet-1' } },
      'projects: Invalid input: expected array, received string',
    ],
    [
      { projects: [project], pagination: { cursor: 7 } },
      'pagination.cursor: Invalid input: expected string, received number',
    ],
  ])('on a page that does not fit is not read: %j', (body, problem) => {
    expect(decodeProjects(body)).toEqual(failed([problem]))
  })

  test('that the service cannot look at now is a problem, not absent', () => {
    const body = { projects: [], pagination: { cursor: 'quiet-1' }, unavailable_project_ids: ['far-2'] }
    expect(decodeProjects(body)).toEqual(
      ok({
        items: [],
        problems: ['unavailable_project_ids[0]: the service cannot say anything of far-2 now'],
        unread: ['far-2'],
        cursor: 'quiet-1',
        size: 1,
      }),
    )
  })
})

describe('an operation', () => {
  test.each([
    ['of the interface text', {}, {}],
    ['of a word nobody knows', { action: 'swap', status: 'paused' }, { action: 'swap', status: 'paused' }],
    ['of no compute', { endpoint_id: null }, { endpointId: undefined }],
    ['that leaves the compute empty', { endpoint_id: '' }, { endpointId: undefined }],
    ['that says what it took', { total_duration_ms: 1250 }, { duration: 1250 }],
    ['that took no time', { total_duration_ms: 0 }, { duration: 0 }],
    ['that says nothing of it', { total_duration_ms: null }, {}],
    ['that took a text', { total_duration_ms: '1250' }, {}],
    ['that took less than nothing', { total_duration_ms: -1 }, {}],
    ['that took a part of a millisecond', { total_duration_ms: 0.5 }, {}],
    ['that took more than a service can write', { total_duration_ms: 2 ** 31 }, {}],
  ])('%s', (_, change, expected) => {
    expect(decodeOperations({ operations: [{ ...operation, ...change }], pagination: null })).toEqual(
      ok({ items: [{ ...operationModel, ...expected }], problems: [], cursor: undefined, size: 1 }),
    )
  })

  test('of a compute whose id cannot be one does not fit', () => {
    const body = { operations: [{ ...operation, endpoint_id: 'ep-a/../b' }] }
    expect(decodeOperations(body)).toMatchObject({
      ok: true,
      value: { items: [], problems: ['operations[0].endpoint_id: expected an id that starts with ep-'] },
    })
  })

  test('that does not fit does not hide the change it came with', () => {
    expect(decodeChanged({ endpoint: compute, operations: [operation, {}] })).toEqual(
      ok({ compute: computeModel, operations: [operationModel] }),
    )
    expect(decodeChanged({ endpoint: compute })).toEqual(ok({ compute: computeModel, operations: [] }))
  })
})
