// API keys and authentication.
import { expect, test } from 'vitest'
import { type Answered, call } from '../support.ts'
import { serviceFor } from './service.ts'

const local = serviceFor({ projects: [{ name: 'shop' }, { name: 'other' }] })

type Key = { readonly id: number; readonly key: string }
type Listed = Readonly<Record<string, unknown>> & { readonly id: number }

async function created(name: string): Promise<Key> {
  return (await call(local(), 'POST /api_keys', { body: { key_name: name } })).body
}

async function listed(): Promise<readonly Listed[]> {
  const { body } = await call(local(), 'GET /api_keys')
  return body as unknown as readonly Listed[]
}

const withKey = (key: string, route = 'GET /projects'): Promise<Answered> =>
  call({ ...local(), apiKey: key }, route)

const STAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/

test('S-12 the id of a key is an integer, the same in create, list and revoke, and its path', async () => {
  const { id } = await created('twelve')
  expect(Number.isInteger(id)).toBe(true)
  expect((await listed()).map((key) => key.id)).toContain(id)
  expect((await call(local(), `DELETE /api_keys/${id}`)).body.id).toBe(id)
})

test('S-13 the value of a key is a string and in the create response only', async () => {
  const { id, key } = await created('thirteen')
  expect(key).toEqual(expect.any(String))
  const revoked = await call(local(), `DELETE /api_keys/${id}`)
  expect(JSON.stringify(revoked.body)).not.toContain(key)
  expect(revoked.body).not.toHaveProperty('key')
})

test('S-14 the name of a key is its key_name, in list and revoke', async () => {
  const { id } = await created('fourteen')
  expect((await listed()).find((record) => record.id === id)).toMatchObject({ name: 'fourteen' })
  expect((await call(local(), `DELETE /api_keys/${id}`)).body).toMatchObject({ name: 'fourteen' })
})

test('S-15 the list has created_at', async () => {
  for (const key of await listed()) expect(key['created_at']).toMatch(STAMP)
})

test('S-16 last_used_at is in list and revoke', async () => {
  const { id, key } = await created('sixteen')
  await withKey(key)
  expect((await listed()).find((record) => record.id === id)?.['last_used_at']).toMatch(STAMP)
  expect((await call(local(), `DELETE /api_keys/${id}`)).body).toMatchObject({
    last_used_at: expect.stringMatching(STAMP),
  })
})

test('S-17 last_used_from_addr is the address of the last use, in list and revoke', async () => {
  const { id, key } = await created('seventeen')
  await withKey(key)
  expect((await listed()).find((record) => record.id === id)).toMatchObject({
    last_used_from_addr: '127.0.0.1',
  })
  expect((await call(local(), `DELETE /api_keys/${id}`)).body).toMatchObject({
    last_used_from_addr: '127.0.0.1',
  })
})

test('S-18 revoked is true in the revoke response', async () => {
  const { id } = await created('eighteen')
  expect((await call(local(), `DELETE /api_keys/${id}`)).body).toMatchObject({ revoked: true })
})

test('S-19 a key works with every project of the account', async () => {
  const { key } = await created('nineteen')
  const { projects } = (await withKey(key)).body
  expect(projects).toHaveLength(2)
  for (const { id } of projects)
    expect((await withKey(key, `GET /projects/${id}/endpoints`)).body.endpoints).toHaveLength(1)
})

test('S-71 revocation is immediate and irreversible', async () => {
  const { id, key } = await created('seventy-one')
  await call(local(), `DELETE /api_keys/${id}`)
  expect((await withKey(key)).status).toBe(401)
  expect((await call(local(), `DELETE /api_keys/${id}`)).status).toBe(404)
  expect((await withKey(key)).status).toBe(401)
})

test('S-72 a key is valid from its creation until it is revoked and says nothing of an end', async () => {
  const { id, key } = await created('seventy-two')
  expect((await withKey(key)).status).toBe(200)
  const record = (await listed()).find((candidate) => candidate.id === id) ?? {}
  expect(Object.keys(record).filter((field) => /expire|until|ttl/.test(field))).toEqual([])
})

test('S-73 every call needs Authorization: Bearer and the key', async () => {
  const routes = ['GET /projects', 'GET /api_keys', 'POST /api_keys', 'DELETE /api_keys/1', 'GET /users/me']
  for (const route of routes)
    expect(
      (await call(local(), route, { headers: { authorization: `Basic ${local().apiKey}` } })).status,
    ).toBe(401)
})

test('S-75 creation takes key_name, required, and answers id and key', async () => {
  expect(await created('seventy-five')).toMatchObject({ id: expect.any(Number), key: expect.any(String) })
  expect((await call(local(), 'POST /api_keys', { body: {} })).status).toBe(400)
})

test('S-76 the list takes no parameters and is an array of keys', async () => {
  const keys = await listed()
  expect(Array.isArray(keys)).toBe(true)
  expect(Object.keys(keys[0] ?? {})).toEqual(
    expect.arrayContaining(['id', 'name', 'created_at', 'last_used_at', 'last_used_from_addr']),
  )
})

test('S-77 revoking answers id, name, revoked and the last use', async () => {
  const { id } = await created('seventy-seven')
  expect((await call(local(), `DELETE /api_keys/${id}`)).body).toMatchObject({
    id,
    name: 'seventy-seven',
    revoked: true,
    last_used_at: null,
    last_used_from_addr: '',
  })
})

test('S-90 no value of a key is in the list', async () => {
  const { key } = await created('ninety')
  const text = JSON.stringify(await listed())
  expect(text).not.toContain(key)
  expect(text).not.toContain(local().apiKey)
})

test('S-91 creating a key needs a valid one', async () => {
  const body = { key_name: 'ninety-one' }
  const other = { ...local(), apiKey: 'nobody' }
  expect((await call(other, 'POST /api_keys', { body })).status).toBe(401)
  expect((await call(local(), 'POST /api_keys', { body })).status).toBe(200)
})

test('S-92 a lost key is revoked and replaced: no route shows its value again', async () => {
  const lost = await created('ninety-two')
  expect((await call(local(), `GET /api_keys/${lost.id}`)).status).toBe(404)
  await call(local(), `DELETE /api_keys/${lost.id}`)
  const next = await created('ninety-two')
  expect((await withKey(next.key)).status).toBe(200)
})

test('S-93 a revoked key fails from the next request on, whatever is asked', async () => {
  const { id, key } = await created('ninety-three')
  const before = await withKey(key)
  await call(local(), `DELETE /api_keys/${id}`)
  for (const route of ['GET /projects', 'GET /api_keys', 'GET /users/me'])
    expect([before.status, (await withKey(key, route)).status]).toEqual([200, 401])
})

test('S-94 no Authorization header: 401', async () => {
  expect((await fetch(`${local().baseUrl}/projects`)).status).toBe(401)
})

test('S-95 an invalid key: 401', async () => {
  expect((await withKey('wrong')).status).toBe(401)
})

test('S-96 a revoked key: 401', async () => {
  const { id, key } = await created('ninety-six')
  await call(local(), `DELETE /api_keys/${id}`)
  expect((await withKey(key)).status).toBe(401)
})

test('S-98 the number of keys has no strict limit', async () => {
  for (let made = 0; made < 200; made += 1) await created(`many ${made}`)
  expect((await listed()).length).toBeGreaterThan(200)
})

test('S-114 two keys never share a value', async () => {
  const keys = await Promise.all(Array.from({ length: 50 }, (_, n) => created(`random ${n}`)))
  expect(new Set(keys.map(({ key }) => key)).size).toBe(50)
})
