import { describe, expect, test } from 'vitest'
import { lookAt } from '../../../src/daemon/changes/look-at.ts'
import type { Change } from '../../../src/model/policy/change.ts'
import type { Priority, Service } from '../../../src/model/ports/service.ts'
import type { ServiceError } from '../../../src/model/service/service-error.ts'
import type { ProjectDetail } from '../../../src/model/service/consumption.ts'
import { cu, seconds } from '../../../src/model/units.ts'
import { failed, ok } from '../../../src/std/result.ts'
import { applyingOf } from '../../apply/build.ts'
import { at, compute, operation, project } from '../../support/build.ts'
import { changeOf } from '../../support/changes.ts'
import { UNASKED } from '../../support/unasked.ts'

const OWN = compute()
const OTHER = compute({ endpointId: 'ep-two' })
const NOW = at(7200)
const verifying: Change['state'] = {
  at: 'verifying',
  since: at(1000),
  operationIds: [],
  sent: { at: at(990), sessions: 0 },
}

type Answers = Readonly<{
  computes?: Awaited<ReturnType<Service['listComputes']>>
  operations?: Awaited<ReturnType<Service['listOperations']>>
}>

/** The look, with the requests in their order: priority, list, and since when. */
async function looked(fields: Partial<Change>, answers: Answers = {}, known = project()) {
  const asked: unknown[] = []
  const { computes = ok({ items: [OTHER, OWN], problems: [] }) } = answers
  const { operations = ok({ items: [], problems: [] }) } = answers
  const serviceAt = (priority: Priority): Service => ({
    ...UNASKED,
    at: serviceAt,
    listComputes: async () => {
      asked.push([priority, 'computes'])
      return computes
    },
    listOperations: async (_, since) => {
      asked.push([priority, 'operations', (since - at(0)) / 1000])
      return operations
    },
  })
  const result = await lookAt(
    { service: serviceAt('poll'), now: () => NOW },
    { change: changeOf(fields), project: known },
    new AbortController().signal,
  )
  return { asked, result }
}

describe('a look', () => {
  test('before the request takes one request: the computes of the project', async () => {
    const { asked, result } = await looked({})
    expect(asked).toEqual([['apply', 'computes']])
    expect(result).toEqual({
      ok: true,
      value: {
        compute: OWN,
        defaultDelay: 300,
        others: [OTHER],
        openOperations: 0,
        operations: [],
        askedAt: NOW,
      },
    })
  })

  test.each<[string, Change['state'], number]>([
    ['when the request may be on its way', applyingOf({ sentAt: at(900) }), 900],
    ['while it is verified', verifying, 3600],
  ])('%s reads operations first, more urgently', async (_, state, since) => {
    const mine = operation('apply_config', 905)
    const items = [
      mine,
      operation('start_compute', 906, { endpointId: 'ep-two', status: 'running' }),
      operation('apply_config', 907, { status: 'scheduling' }),
    ]
    const { asked, result } = await looked({ state }, { operations: ok({ items, problems: [] }) })
    expect(asked).toEqual([
      ['verify', 'operations', since],
      ['verify', 'computes'],
    ])
    expect(result).toMatchObject({
      ok: true,
      value: { openOperations: 2, operations: [{ operationId: mine.operationId }, { status: 'scheduling' }] },
    })
  })

  test('has the default delay of the project', async () => {
    const { result } = await looked({}, {}, project({ defaultAutosuspendDelay: seconds(60) }))
    expect(result).toMatchObject({ ok: true, value: { defaultDelay: 60 } })
  })
})

test('a look at a project has the defaults of its record', async () => {
  const sizing = { min: cu(0.25), max: cu(2) }
  const detail = { project: project({ defaultAutosuspendDelay: seconds(60), defaultSizing: sizing }) }
  const service: Service = {
    ...UNASKED,
    at: () => ({ ...service, getProjectDetail: async () => ok(detail as ProjectDetail) }),
  }
  const change = changeOf({ ref: { account: 'main', projectId: 'project-one' }, kind: 'defaults' })
  const asked = { change, project: undefined }
  const seen = await lookAt({ service, now: () => NOW }, asked, new AbortController().signal)
  expect(seen).toMatchObject({ ok: true, value: { defaultDelay: 60, defaultSizing: sizing } })
})

describe('a compute that is not in the list', () => {
  const missing = { items: [OTHER], problems: ['endpoints[1].type: is missing'] }
  const malformed = { kind: 'malformed', problems: missing.problems }
  test.each<[string, Answers['computes'], unknown]>([
    ['is gone', ok({ items: [OTHER], problems: [] }), { kind: 'gone', message: 'compute ep-one' }],
    ['may be an unreadable record', ok({ ...missing, unread: ['ep-one'] }), malformed],
    ['may be a record without an id', ok({ ...missing, hasUnidentified: true }), malformed],
    [
      'is not another unreadable record',
      ok({ ...missing, unread: ['ep-three'] }),
      { kind: 'gone', message: 'compute ep-one' },
    ],
  ])('%s', async (_, computes, error) => {
    expect((await looked({}, { ...(computes && { computes }) })).result).toEqual({ ok: false, error })
  })
})

test.each<[string, Answers]>([
  ['operations', { operations: failed(unavailable()) }],
  ['computes', { computes: failed(unavailable()) }],
])('where the %s cannot be listed there is no look', async (_, answers) => {
  const { result } = await looked({ state: applyingOf() }, answers)
  expect(result).toEqual({ ok: false, error: unavailable() })
})

function unavailable(): ServiceError {
  return { kind: 'unavailable', message: 'the service cannot be reached' }
}
