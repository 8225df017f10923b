import type { Hono } from 'hono'
import { z } from 'zod'
import { KEY_LENGTH } from '../../setup/default-catalogue.ts'
import type { KeyRecord } from '../../state/keys.ts'
import type { Api, Env } from '../context.ts'
import { ApiError } from '../errors.ts'
import { parseBody } from '../input.ts'
import { timestamp } from '../wire/records.ts'

const createBody = z.object({ key_name: z.string().min(1).max(64) })

const lastUseWire = ({ lastUsedAt, lastUsedFrom }: KeyRecord): Record<string, unknown> => ({
  last_used_at: lastUsedAt === undefined ? null : timestamp(lastUsedAt),
  last_used_from_addr: lastUsedFrom,
})

export function keyRoutes(app: Hono<Env>, api: Api): void {
  const { keys, account, clock, random, settings } = api
  const accountId = account.id

  app.post('/api_keys', async (call) => {
    const body = await parseBody(call, createBody, api)
    const value = random.text(KEY_LENGTH)
    const { id, name, createdAt } = keys.create(body.key_name, value, clock.now())
    return call.json({ id, key: value, name, created_at: timestamp(createdAt), created_by: accountId })
  })

  app.get('/api_keys', (call) =>
    call.json(
      [...keys.list(), ...(settings().listRevokedKeys ? keys.revoked() : [])].map((record) => ({
        id: record.id,
        name: record.name,
        created_at: timestamp(record.createdAt),
        created_by: { id: accountId, name: 'local', image: '' },
        ...lastUseWire(record),
      })),
    ),
  )

  app.delete('/api_keys/:key_id', (call) => {
    const text = call.req.param('key_id')
    if (!/^\d{1,15}$/.test(text)) throw new ApiError(400, `key_id: expected an integer, got ${text}`)
    const record = keys.revoke(Number(text))
    if (!record) throw new ApiError(404, `API key not found: ${text}`)
    const { id, name, createdAt } = record
    return call.json({
      id,
      name,
      created_at: timestamp(createdAt),
      created_by: accountId,
      ...lastUseWire(record),
      revoked: true,
    })
  })
}
