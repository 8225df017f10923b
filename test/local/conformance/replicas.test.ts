// Read replicas.
import { EndpointType } from '@neondatabase/api-client'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { startSimulated } from '../../support/simulated-service.ts'
import { type Answered, type Subject, call, query, subject, subjectOf, until } from '../support.ts'
import { ended, serviceFor } from './service.ts'

const local = serviceFor()
let shop: Subject

beforeAll(async () => {
  shop = await subject(local())
})

beforeEach(() => ended(local(), shop.projectId))

const replica = { type: 'read_only', suspend_timeout_seconds: -1 }

async function made(): Promise<Answered> {
  const body = { endpoint: { ...replica, branch_id: shop.branchId } }
  const answer = await call(local(), `POST /projects/${shop.projectId}/endpoints`, { body })
  await ended(local(), shop.projectId)
  return answer
}

test('S-06 a branch may have several read replicas, and a write through one fails', async () => {
  await query(shop.uri, 'create table goods as select 1 as n')
  const answers = [await made(), await made()]
  expect(answers.map(({ status }) => status)).toEqual([201, 201])
  for (const { body } of answers) {
    const { uri } = await subjectOf(local(), body.endpoint)
    await until('the replica has the row', async () => {
      const rows = await query(uri, `select to_regclass('goods') is not null as there`)
      return rows[0].there
    })
    await expect(query(uri, 'insert into goods values (2)')).rejects.toThrow('read-only transaction')
  }
})

test('S-07 read replicas exist on paid plans only', async () => {
  const create = { endpoint: { ...replica, branch_id: 'br-000000' } }
  const statusOn = async (plan: 'free' | 'scale'): Promise<number> => {
    const service = await startSimulated({ projects: [{ name: 'shop' }], plan })
    const route = 'POST /projects/local-000000/endpoints'
    const { status } = await call({ ...service, truth: () => service.truth() }, route, { body: create })
    await service.stop()
    return status
  }
  expect([await statusOn('free'), await statusOn('scale')]).toEqual([403, 201])
})

async function replicas(): Promise<number> {
  const route = `GET /projects/${shop.projectId}/branches/${shop.branchId}/endpoints`
  const { endpoints } = (await call(local(), route)).body
  return endpoints.filter(({ type }) => type === EndpointType.ReadOnly).length
}

test('S-85 a further read replica on the same branch is made', async () => {
  const before = await replicas()
  expect((await made()).status).toBe(201)
  expect(await replicas()).toBe(before + 1)
})
