// Brakes: list, release.
import type { Hono } from 'hono'
import { ok } from '../../../std/result.ts'
import { listBrakes, releaseBrake, type BrakeSources } from '../../changes/commands/brake-commands.ts'
import { refuse } from '../answers.ts'
import { tokenNameOf } from '../auth.ts'
import { readBody, releaseSchema } from './change-bodies.ts'
import { answer } from './change-routes.ts'

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
