// Injected faults: each switch on a running service.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { DEFAULT_BEHAVIOUR } from '../../../src/local/control/behaviour.ts'
import { ended, serviceFor, set } from '../conformance/service.ts'
import { type Subject, call, query, subject } from '../support.ts'
import { longTest } from '../../support/tiers.ts'

const local = serviceFor()
let shop: Subject

beforeAll(async () => {
  shop = await subject(local())
})

/** Each test starts with default switches, an active compute and no operation in progress. */
beforeEach(async () => {
  await set(local(), { ...DEFAULT_BEHAVIOUR, wakeLatency: { min: 0, max: 0 }, lastActiveLag: 0 })
  await ended(local(), shop.projectId)
  await call(local(), `POST ${shop.path}/start`)
  await ended(local(), shop.projectId)
})

const patch = (endpoint: Record<string, unknown>): ReturnType<typeof call> =>
  call(local(), `PATCH ${shop.path}`, { body: { endpoint } })

const idle = async (): Promise<void> => {
  await call(local(), `POST ${shop.path}/suspend`)
  await ended(local(), shop.projectId)
}

const newest = async (): Promise<string> => {
  const { operations } = (await call(local(), `GET /projects/${shop.projectId}/operations?limit=1`)).body
  return `${operations[0]?.action} ${operations[0]?.status}`
}

describe('failures on request', () => {
  longTest('lockTime: an operation holds its project, and another change is a 423', async () => {
    await set(local(), { faults: { lockTime: 0.2 } })
    const before = Date.now()
    await patch({ name: 'locked' })
    const conflict = await patch({ name: 'refused' })
    expect([conflict.status, conflict.body.message]).toEqual([
      423,
      expect.stringContaining('running conflicting operations'),
    ])
    await ended(local(), shop.projectId)
    expect(Date.now() - before).toBeGreaterThanOrEqual(200)
  })

  test('slowAnswers', async () => {
    await set(local(), { faults: { slowAnswers: 0.1 } })
    const before = Date.now()
    await call(local(), 'GET /projects')
    expect(Date.now() - before).toBeGreaterThanOrEqual(99)
  })

  test.each([
    [7, '7'],
    [0, null],
  ])('tooManyRequests with Retry-After %i', async (retryAfter, header) => {
    await set(local(), { faults: { tooManyRequests: { next: 2, retryAfter } } })
    const answers = [
      await patch({ name: 'a' }),
      await call(local(), 'GET /projects'),
      await call(local(), 'GET /projects'),
    ]
    expect(answers.map(({ status }) => status)).toEqual([429, 429, 200])
    expect(answers[0]?.headers.get('retry-after')).toBe(header)
    expect((await shop.record()).name).not.toBe('a')
  })

  test.each([
    [500, true],
    [500, false],
    [502, false],
    [503, true],
    [503, false],
    [504, true],
    [524, true],
  ] as const)('serverErrors %i, with effect: %o', async (status, takesEffect) => {
    const name = `${status} ${takesEffect}`
    await set(local(), { faults: { serverErrors: { next: 1, status, takesEffect } } })
    expect((await patch({ name })).status).toBe(status)
    expect((await shop.record()).name === name).toBe(takesEffect)
  })

  test('stuckOperations: work waits until it is off', async () => {
    await set(local(), { faults: { stuckOperations: true } })
    await patch({ autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 1 })
    expect(await newest()).toBe('suspend_compute scheduling')
    expect((await patch({ name: 'stuck' })).status).toBe(423)
    await set(local(), { faults: { stuckOperations: false } })
    await ended(local(), shop.projectId)
    expect(await newest()).toBe('start_compute finished')
  })

  longTest('failingOperations: failed, then tried again and finished', async () => {
    await idle()
    await set(local(), { faults: { failingOperations: { next: 2, retryIn: 0.05 } } })
    expect(await query(shop.uri, 'select 1 as patient')).toEqual([{ patient: 1 }])
    const { operations } = (await call(local(), `GET /projects/${shop.projectId}/operations?limit=1`)).body
    expect(operations).toMatchObject([{ action: 'start_compute', status: 'finished', failures_count: 2 }])
  })
})
