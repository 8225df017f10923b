// Holds of people: list, place, end.
import type { Hono } from 'hono'
import { ok } from '../../../std/result.ts'
import { createHoldCommands, type HoldSources } from '../../changes/commands/hold-commands.ts'
import { refuse } from '../answers.ts'
import { tokenNameOf } from '../auth.ts'
import { newHoldSchema, parseUntil, readBody } from './change-bodies.ts'
import { answer } from './change-routes.ts'

export function holdRoutes(app: Hono, sources: HoldSources): void {
  const commands = createHoldCommands(sources)
  app.get('/api/v1/holds', (context) =>
    answer(context, sources, async (snapshot) => ok(await commands.list(snapshot))),
  )
  app.post('/api/v1/holds', async (context) => {
    const body = await readBody(context, newHoldSchema)
    if (!body.ok) return refuse(context, body.error.status, body.error.message)
    const { account, until: text, ...asked } = body.value
    return answer(context, sources, async (snapshot) => {
      const until = parseUntil(text)
      return until.ok
        ? commands.place(snapshot, { ...asked, account, until: until.value }, tokenNameOf(context))
        : until
    })
  })
  app.delete('/api/v1/holds/:id', (context) =>
    answer(context, sources, (snapshot) =>
      commands.resume(snapshot, context.req.param('id'), tokenNameOf(context)),
    ),
  )
}
