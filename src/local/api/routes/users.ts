import type { Hono } from 'hono'
import { z } from 'zod'
import { FREE_LIMIT_CU, LARGEST_CU } from '../../control/sizing/sizes.ts'
import type { Api, Call, Env } from '../context.ts'
import { errorAnswer } from '../errors.ts'
import { bodyOf } from '../input.ts'
import { ORGANIZATION, subscriptionOf } from '../wire/project-wire.ts'
import { timestamp } from '../wire/records.ts'

/** Stored, with no effect (service-facts 6). */
const SPENDING_LIMIT = 'spending-limit-cents'

const limitBody = z.object({ spending_limit_cents: z.number().int().min(1).max(Number.MAX_SAFE_INTEGER) })

const ONE = '/organizations/:org_id'
const LIMIT = `${ONE}/billing/spending_limit`

/** The account everything belongs to, and its one organisation. Limits of 0 mean none. */
export function userRoutes(app: Hono<Env>, api: Api): void {
  const { account, store, settings } = api

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
      max_autoscaling_limit: settings().plan === 'free' ? FREE_LIMIT_CU : LARGEST_CU,
      auth_accounts: [],
    }),
  )

  app.get('/auth', (call) => call.json({ account_id: account.id, auth_method: 'api_key_user' }))

  app.get('/users/me/organizations', (call) => call.json({ organizations: [organizationWire(api)] }))

  app.get(ONE, (call) => other(call, api) ?? call.json(organizationWire(api)))

  app.get(LIMIT, (call) => {
    const text = store.setting(SPENDING_LIMIT)
    return other(call, api) ?? call.json({ spending_limit_cents: text ? Number(text) : null })
  })

  app.put(LIMIT, async (call) => {
    const refused = other(call, api)
    if (refused) return refused
    const body = await bodyOf(call, limitBody, api)
    if (!body.ok) return body.answer
    store.setSetting(SPENDING_LIMIT, String(body.value.spending_limit_cents))
    return call.json(body.value)
  })

  app.delete(LIMIT, (call) => {
    const refused = other(call, api)
    if (refused) return refused
    store.setSetting(SPENDING_LIMIT, '')
    return call.json({})
  })
}

/** The answer when the path names an organisation that is not ours. */
function other(call: Call, { account }: Api): Response | undefined {
  const named = call.req.param('org_id') ?? ''
  return named === account.organizationId
    ? undefined
    : errorAnswer(call, 404, `organization not found: ${named}`)
}

const organizationWire = (api: Api): Record<string, unknown> => ({
  id: api.account.organizationId,
  name: ORGANIZATION,
  handle: ORGANIZATION,
  plan: subscriptionOf(api),
  created_at: timestamp(api.account.createdAt),
  updated_at: timestamp(api.account.createdAt),
  managed_by: 'console',
})
