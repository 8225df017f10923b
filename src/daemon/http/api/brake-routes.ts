// Brakes: list, release.
import type { Hono } from 'hono'
import { strictObject, string } from 'zod'
import { ok } from '../../../std/result.ts'
import { listBrakes, releaseBrake, type BrakeSources } from '../../changes/commands/brake-commands.ts'
import { refuse } from '../answers.ts'
import { tokenNameOf } from '../auth.ts'
import { bodyError, neededReasonSchema, NO_BODY, readBody } from './change-bodies.ts'
import { answer } from './change-routes.ts'

const releaseSchema = strictObject(
  { account: string().optional(), reason: neededReasonSchema },
  bodyError(NO_BODY),
)

export function brakeRoutes(app: Hono, sources: BrakeSources): void {
  app.get('/api/v1/brakes', (context) =>
    answer(context, sources, async (snapshot) => ok(listBrakes(sources, snapshot))),
  )
  app.post('/api/v1/brakes/:brake/release', async (context) => {
    const body = await readBody(context, releaseSchema)
    if (!body.ok) return refuse(context, body.error.status, body.error.message)
    const { account, reason } = body.value
    const release = { brake: context.req.param('brake'), account, reason, by: tokenNameOf(context) }
    return answer(context, sources, (snapshot) => releaseBrake(sources, snapshot, release))
  })
}
