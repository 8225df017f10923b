import { z } from 'zod'
import { largestInRange } from '../../control/sizing/plans.ts'
import { KEY_LENGTH } from '../../setup/default-catalogue.ts'
import type { KeyRecord } from '../../state/keys.ts'
import type { AddRoutes, Api, Call } from '../context.ts'
import { ApiError, foundOr404 } from '../errors.ts'
import { parseBody } from '../input.ts'
import { requireOrganization } from '../plane-access.ts'
import { ORGANIZATION, subscriptionOf } from '../wire/project-wire.ts'
import { type WireRecord, timestamp } from '../wire/records.ts'

const createBody = z.object({ key_name: z.string().min(1).max(64) })

const keyWire = ({ id, name, createdAt, lastUsedAt, lastUsedFrom }: KeyRecord): WireRecord => ({
  id,
  name,
  created_at: timestamp(createdAt),
  last_used_at: lastUsedAt === undefined ? null : timestamp(lastUsedAt),
  last_used_from_addr: lastUsedFrom,
})

export const keyRoutes: AddRoutes = (app, api) => {
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

/** Setting with the spending limit, which has no effect (service-facts 6). */
const SPENDING_LIMIT = 'spending-limit-cents'
const limitBody = z.object({ spending_limit_cents: z.number().int().min(1).max(Number.MAX_SAFE_INTEGER) })

const ORGANIZATION_PATH = '/organizations/:org_id'
const LIMIT = `${ORGANIZATION_PATH}/billing/spending_limit`

/** A limit of 0 means none. */
export const userRoutes: AddRoutes = (app, api) => {
  const { account, store, settings } = api
  const requirePathOrganization = (call: Call) => requireOrganization(call.req.param('org_id'), api)

  app.get('/users/me', (call) =>
    call.json({
      id: account.id,
      login: 'local',
      email: 'local@localhost.localdomain',
      name: 'local',
      last_name: '',
      image: '',
      plan: subscriptionOf(api),
      active_seconds_limit: 0,
      projects_limit: 0,
      branches_limit: 0,
      max_autoscaling_limit: largestInRange(settings()),
      auth_accounts: [],
    }),
  )

  app.get('/auth', (call) => call.json({ account_id: account.id, auth_method: 'api_key_user' }))

  app.get('/users/me/organizations', (call) => call.json({ organizations: [organizationWire(api)] }))

  app.get(ORGANIZATION_PATH, (call) => {
    requirePathOrganization(call)
    return call.json(organizationWire(api))
  })

  app.get(LIMIT, (call) => {
    requirePathOrganization(call)
    const text = store.setting(SPENDING_LIMIT)
    return call.json({ spending_limit_cents: text ? Number(text) : null })
  })

  app.put(LIMIT, async (call) => {
    requirePathOrganization(call)
    const body = await parseBody(call, limitBody, api)
    store.setSetting(SPENDING_LIMIT, String(body.spending_limit_cents))
    return call.json(body)
  })

  app.delete(LIMIT, (call) => {
    requirePathOrganization(call)
    store.setSetting(SPENDING_LIMIT, '')
    return call.json({})
  })
}

const organizationWire = (api: Api): WireRecord => ({
  id: api.account.organizationId,
  name: ORGANIZATION,
  handle: ORGANIZATION,
  plan: subscriptionOf(api),
  created_at: timestamp(api.account.createdAt),
  updated_at: timestamp(api.account.createdAt),
  managed_by: 'console',
})
