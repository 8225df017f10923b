// Whose consumption is asked for, and in how many requests.
import { expect, test } from 'vitest'
import { readConsumption, subscriberOf } from '../../../src/daemon/accounts/consumption.ts'
import type { Service } from '../../../src/model/ports/service.ts'
import type { Consumption } from '../../../src/model/service/consumption.ts'
import type { ServiceError } from '../../../src/model/service/service-error.ts'
import { failed, ok } from '../../../src/std/result.ts'
import { at, project } from '../../support/build.ts'
import { UNASKED } from '../../support/unasked.ts'

const never = new AbortController().signal

const entries = (deleted: Readonly<Record<string, boolean>>) =>
  new Map(
    Object.entries(deleted).map(([projectId, isDeleted]) => [
      projectId,
      {
        project: project({ projectId }),
        listed: undefined,
        ...(isDeleted && { deletedAt: at(0) }),
      },
    ]),
  )

const GONE: ServiceError = { kind: 'gone', message: 'project not found' }

const withDetail = (asked: string[]): Service => ({
  ...UNASKED,
  getProjectDetail: (projectId) => {
    asked.push(projectId)
    if (projectId === 'old') return Promise.resolve(failed(GONE))
    return Promise.resolve(
      ok({
        project: project({ projectId }),
        orgId: 'org-a',
        subscription: 'scale_v3',
        period: undefined,
        counters: {
          activeTime: undefined,
          computeTime: undefined,
          writtenBytes: undefined,
          transferredBytes: undefined,
        },
        quota: {
          activeTime: undefined,
          computeTime: undefined,
          writtenBytes: undefined,
          transferredBytes: undefined,
          logicalBytes: undefined,
        },
        maintenanceAt: undefined,
        maintenanceHours: undefined,
      }),
    )
  },
})

test('the subscriber is that of the first project that exists', async () => {
  const asked: string[] = []
  const found = await subscriberOf(withDetail(asked), entries({ old: true, shop: false, blog: false }), never)
  expect(found).toEqual({ orgId: 'org-a', plan: 'scale' })
  expect(asked).toEqual(['shop'])
})

test('an answer that failed is told, as the organisation is not known without it', async () => {
  const asked: string[] = []
  expect(await subscriberOf(withDetail(asked), entries({ old: false }), never)).toEqual({
    orgId: undefined,
    plan: undefined,
    failure: GONE,
  })
})

const day = (projectId: string): Consumption => ({
  projectId,
  subscription: 'scale_v3',
  from: at(0),
  to: at(86_400),
  amounts: { compute_unit_seconds: 60 },
})

test('pages that are shorter than asked are read to their end', async () => {
  const asked: unknown[] = []
  const pages = [
    { items: [day('a')], next: 'x' },
    { items: [day('b')], next: undefined },
  ]
  const service: Service = {
    ...UNASKED,
    listConsumption: (_, cursor) => {
      const page = pages[asked.push(cursor) - 1] ?? { items: [], next: undefined }
      return Promise.resolve(ok({ kind: 'page', problems: [], ...page }))
    },
  }
  const range = { projectIds: ['a', 'b'], orgId: 'org-a', from: at(0), to: at(86_400) }
  const { items } = await readConsumption(service, range, never)
  expect(items.map(({ projectId }) => projectId)).toEqual(['a', 'b'])
  expect(asked).toEqual([undefined, 'x'])
})
