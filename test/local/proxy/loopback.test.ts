import fc from 'fast-check'
import { expect, test } from 'vitest'
import { loopbackAddress } from '../../../src/local/proxy/loopback.ts'
import { check } from '../../support/property.ts'
import { call, query, quickLocal, subject } from '../support.ts'

test('the loopback address of a compute is constant and above the range that other programs use', () => {
  check(
    fc.property(fc.string(), (endpointId) => {
      const address = loopbackAddress(endpointId)
      const [first, second = 0, , last = 0] = address.split('.').map(Number)
      expect(first).toBe(127)
      expect(second).toBeGreaterThanOrEqual(64)
      expect(second).toBeLessThan(127)
      expect(last).toBeGreaterThan(0)
      expect(last).toBeLessThan(255)
      expect(loopbackAddress(endpointId)).toBe(address)
    }),
  )
})

test('with loopback hosts, a connection string without a port wakes the compute', async () => {
  const local = await quickLocal({ loopbackHosts: true })
  const shop = await subject(local)
  const { host } = await shop.record()
  expect(host).toBe(loopbackAddress(shop.endpointId))
  await shop.settled('active')
  await call(local, `POST ${shop.path}/suspend`)
  await shop.settled('idle')
  const { password } = new URL(shop.uri)
  expect(
    await query(`postgresql://app_owner:${password}@${host}/app?sslmode=no-verify`, 'select 1 as one'),
  ).toEqual([{ one: 1 }])
  expect(shop.truth().wakes.at(-1)).toMatchObject({ cause: 'client' })
})

test('the role for monitoring is not among the roles of a user', async () => {
  const local = await quickLocal()
  const shop = await subject(local)
  const { roles } = (await call(local, `GET /projects/${shop.projectId}/branches/${shop.branchId}/roles`))
    .body
  expect(roles.map(({ name }: { name: string }) => name)).toEqual(['app_owner'])
})
