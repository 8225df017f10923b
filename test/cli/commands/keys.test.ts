import { afterAll, beforeAll, expect, test } from 'vitest'
import { dormouse, localCli, words } from '../local-cli.ts'

let service: Awaited<ReturnType<typeof localCli>>
beforeAll(async () => {
  service = await localCli({})
})
afterAll(() => service[Symbol.asyncDispose]())

test('keys are made, shown once, used, and revoked', async () => {
  const made = await service.cli('keys create ci')
  expect(made).toMatchObject({ code: 0, err: expect.stringMatching(/shown only once/) })
  const [, keyId = '', key = ''] = /^id +(\d+)\nkey +(\S+)\n$/.exec(made.out) ?? []
  expect(key).not.toBe('')

  const mine = { env: { DORMOUSE_API_KEY: key } }
  const list = words(`keys list --base-url ${service.local.baseUrl}`)
  const listed = await dormouse(list, mine)
  expect(listed).toMatchObject({ code: 0, err: '' })
  expect(listed.out).toMatch(new RegExp(`^${keyId} +ci `, 'm'))
  expect(listed.out).not.toContain(key)

  expect(await service.cli(`keys revoke ${keyId}`)).toEqual({
    code: 0,
    out: `key ${keyId} (ci) is revoked\n`,
    err: '',
  })
  const refused = await dormouse(list, mine)
  expect(refused).toMatchObject({ code: 1, out: '' })
  expect(refused.err).not.toContain(key)
  expect(await service.cli(`keys revoke ${keyId}`)).toMatchObject({ code: 1 })
})

test('keys print JSON', async () => {
  const made = JSON.parse((await service.cli('keys create ci --json')).out)
  expect(made).toEqual({ key_id: expect.any(Number), key: expect.any(String) })
  const { keys, problems } = JSON.parse((await service.cli('keys list --json')).out)
  expect(problems).toEqual([])
  expect(keys).toContainEqual(expect.objectContaining({ key_id: made.key_id, name: 'ci', revoked: false }))
  const revoked = JSON.parse((await service.cli(`keys revoke ${made.key_id} --json`)).out)
  expect(revoked).toMatchObject({ key_id: made.key_id, revoked: true })
})
