// What a change sends, and what is made of its answer.
import { describe, expect, test } from 'vitest'
import { running } from './client-of.ts'
import { answers, faultyServer } from './faulty-server.ts'
import { compute, computeModel } from './records.ts'
import { serviceOf } from './service-of.ts'
import { ok } from '../../src/std/result.ts'
import { cu, seconds } from '../../src/model/units.ts'

describe('an answer to a change', () => {
  test.each([
    [
      'that does not fit leaves an update uncertain',
      'updateCompute',
      { endpoint: {} },
      { ok: false, error: { kind: 'uncertain' } },
    ],
    [
      'without a body leaves an update uncertain',
      'updateCompute',
      '',
      { ok: false, error: { kind: 'uncertain' } },
    ],
    [
      'tells what an update made',
      'updateCompute',
      { endpoint: compute },
      ok({ compute: computeModel, operations: [] }),
    ],
  ] as const)('%s', async (_, method, body, expected) => {
    await using server = await faultyServer(answers(200, body))
    expect(await serviceOf(server.baseUrl)[method]('p', 'ep-x', {}, running)).toMatchObject(expected)
  })

  test.each([
    [
      { sizing: { min: cu(0.25), max: cu(2) } },
      { autoscaling_limit_min_cu: 0.25, autoscaling_limit_max_cu: 2 },
    ],
    [{ sizing: { fixed: cu(1) } }, { autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 1 }],
    [{ autosuspendDelay: 'never' }, { suspend_timeout_seconds: -1 }],
    [
      { autosuspendDelay: seconds(0), disabled: false },
      { suspend_timeout_seconds: 0, disabled: false },
    ],
    [{ branchId: 'br-x' }, { branch_id: 'br-x' }],
    [{}, {}],
  ] as const)('is preceded by the fields to change: %j', async (settings, endpoint) => {
    const sent: unknown[] = []
    await using server = await faultyServer((response, request) => {
      sent.push(JSON.parse(request.body))
      answers(200, { endpoint: compute })(response)
    })
    await serviceOf(server.baseUrl).updateCompute('p', 'ep-x', settings, running)
    await serviceOf(server.baseUrl).createCompute('p', 'br-y', settings, running)
    expect(sent).toEqual([{ endpoint }, { endpoint: { ...endpoint, branch_id: 'br-y', type: 'read_write' } }])
  })

  test.each([
    [200, { endpoint: compute, operations: [] }, computeModel, { compute: computeModel, operations: [] }],
    [200, 'OK, done', undefined, undefined],
    [200, {}, undefined, undefined],
    [204, '', undefined, undefined],
  ])(
    'of status %i and body %j is enough for a deletion and a restart',
    async (status, body, deleted, restarted) => {
      await using server = await faultyServer((response) => {
        if (status === 204) response.writeHead(204).end()
        else answers(status, body)(response)
      })
      const service = serviceOf(server.baseUrl)
      expect(await service.deleteCompute('p', 'ep-x', running)).toEqual(ok(deleted))
      expect(await service.restartCompute('p', 'ep-x', running)).toEqual(ok(restarted))
      expect(server.requests).toEqual([
        'DELETE /api/v2/projects/p/endpoints/ep-x',
        'POST /api/v2/projects/p/endpoints/ep-x/restart',
      ])
    },
  )
})
