// Connection strings that the service gives: how long one is used.
import { expect, test } from 'vitest'
import { createConnectionAddresses } from '../../../src/observe/reading/address.ts'
import type { Compute } from '../../../src/model/service/compute.ts'
import { ok } from '../../../src/std/result.ts'
import { compute } from '../../support/build.ts'

const never = new AbortController().signal

function startAsking() {
  const asked: string[] = []
  const addresses = createConnectionAddresses({
    dsn: undefined,
    password: () => undefined,
    hosts: ['example.com'],
    tls: { sslmode: 'verify-full', sslrootcert: undefined },
    ask: ({ host }) => {
      asked.push(host)
      return Promise.resolve(ok({ reveal: () => `postgresql://reader:word@${host}/app` }))
    },
  })
  const hostOf = async (target: Compute): Promise<unknown> => {
    await addresses.prepare(target, never)
    const found = addresses.of(target, 'app')
    return found.ok ? found.value.host : found.error
  }
  return { addresses, asked, hostOf }
}

const before = compute({ host: 'ep-one.a.example.com' })
const moved = compute({ host: 'ep-one.b.example.com' })

test('the service is asked once for a compute, and again once its host is another one', async () => {
  const { asked, hostOf } = startAsking()
  expect([await hostOf(before), await hostOf(before)]).toEqual([before.host, before.host])
  expect(asked).toEqual([before.host])
  expect([await hostOf(moved), await hostOf(moved)]).toEqual([moved.host, moved.host])
  expect(asked).toEqual([before.host, moved.host])
})

test('what was forgotten is asked for again', async () => {
  const { addresses, asked, hostOf } = startAsking()
  await hostOf(before)
  addresses.evict(() => true)
  await hostOf(before)
  addresses.forget(before)
  await hostOf(before)
  addresses.evict(() => false)
  await hostOf(before)
  expect(asked).toHaveLength(3)
})
