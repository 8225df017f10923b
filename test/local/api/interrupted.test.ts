// kill -9 of the service while it works on the data of branches.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { childLocal, killed } from '../child.ts'
import { call, freshFolder, query, quickLocal, subject, until } from '../support.ts'

test('after a kill the next start finishes the copy of a branch and the deletion of another', async () => {
  const folder = freshFolder()
  const first = await childLocal(folder)
  const shop = await subject(first)
  await shop.settled('active')
  await query(shop.uri, 'create table kept as select 3 as n')
  const branches = `/projects/${shop.projectId}/branches`
  const deletedId = (await call(first, `POST ${branches}`)).body.branch.id
  await until(
    'it is ready',
    async () => (await call(first, `GET ${branches}/${deletedId}`)).body.branch.current_state === 'ready',
  )
  const removed = await until('it may be deleted', async () => {
    const answer = await call(first, `DELETE ${branches}/${deletedId}`)
    return answer.status === 200 && answer
  })
  expect(removed.body.operations).toMatchObject([{ action: 'delete_timeline' }])
  const made = await until('another may be made', async () => {
    const answer = await call(first, `POST ${branches}`, { body: { endpoints: [{ type: 'read_write' }] } })
    return answer.status === 201 && answer.body.branch.id
  })
  await killed(first)

  const second = await quickLocal({ folder })
  await until(
    'the copy is made',
    async () => (await call(second, `GET ${branches}/${made}`)).body.branch.current_state === 'ready',
  )
  const route = `/projects/${shop.projectId}/connection_uri?database_name=app&role_name=app_owner&branch_id=${made}`
  const { uri } = (await call(second, `GET ${route}`)).body
  expect(await query(uri, 'select n from kept')).toEqual([{ n: 3 }])
  expect((await call(second, `GET ${branches}/${deletedId}`)).status).toBe(404)
  expect(existsSync(join(folder, 'branches', deletedId))).toBe(false)
})
