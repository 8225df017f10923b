// Holds of people: list, place, end.
import type { Hono } from 'hono'
import { boolean, strictObject, string } from 'zod'
import { selectorShape } from '../../../config/parts.ts'
import { ok } from '../../../std/result.ts'
import { createHoldCommands, type HoldSources } from '../../changes/commands/hold-commands.ts'
import { EXPECTED_TIME } from '../../history/export.ts'
import { refuse } from '../answers.ts'
import { tokenNameOf } from '../auth.ts'
import { bodyError, neededReasonSchema, NO_BODY, parseUntil, readBody } from './change-bodies.ts'
import { answer } from './change-routes.ts'

const newHoldSchema = strictObject(
  {
    account: string().optional(),
    match: strictObject(selectorShape, bodyError('expected a JSON object')).prefault({}),
    all: boolean('expected true or false').prefault(false),
    until: string(EXPECTED_TIME),
    reason: neededReasonSchema,
  },
  bodyError(NO_BODY),
)

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
