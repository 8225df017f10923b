import type { Hono } from 'hono'
import { z } from 'zod'
import { KEY_LENGTH } from '../../setup/default-catalogue.ts'
import type { KeyRecord } from '../../state/keys.ts'
import type { Api, Env } from '../context.ts'
import { ApiError, foundOr404 } from '../errors.ts'
import { parseBody } from '../input.ts'
import { type WireRecord, timestamp } from '../wire/records.ts'

const createBody = z.object({ key_name: z.string().min(1).max(64) })

const keyWire = ({ id, name, createdAt, lastUsedAt, lastUsedFrom }: KeyRecord): WireRecord => ({
  id,
  name,
  created_at: timestamp(createdAt),
  last_used_at: lastUsedAt === undefined ? null : timestamp(lastUsedAt),
  last_used_from_addr: lastUsedFrom,
})

export function keyRoutes(app: Hono<Env>, api: Api): void {
  const { keys, account, clock, random, settings } = api

  app.post('/api_keys', async (call) => {
    const body = await parseBody(call, createBody, api)
    const value = random.text(KEY_LENGTH)
    const { id, name, createdAt } = keys.create(body.key_name, value, clock.now())
    return call.json({ id, key: value, name, created_at: timestamp(createdAt), created_by: account.id })
  })

  app.get('/api_keys', (call) => {
    const records = [...keys.list(), ...(settings().listRevokedKeys ? keys.revoked() : [])]
    const creator = { id: account.id, name: 'local', image: '' }
    return call.json(records.map((record) => ({ ...keyWire(record), created_by: creator })))
  })

  app.delete('/api_keys/:key_id', (call) => {
    const text = call.req.param('key_id')
    if (!/^\d{1,15}$/.test(text)) throw new ApiError(400, `key_id: expected an integer, got ${text}`)
    const record = foundOr404(keys.revoke(Number(text)), 'API key', text)
    return call.json({ ...keyWire(record), created_by: account.id, revoked: true })
  })
}
