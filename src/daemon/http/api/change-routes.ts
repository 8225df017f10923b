// Commands and lists of changes.
import type { Context, Hono } from 'hono'
import type { z } from 'zod'
import type { Snapshot } from '../../../model/output/snapshot.ts'
import type { Change } from '../../../model/policy/change.ts'
import {
  changesJsonSchema,
  type ChangeAnswerJson,
  type KillSwitchJson,
} from '../../../outputs/text/change-schema.ts'
import { ok, type Result } from '../../../std/result.ts'
import { recommends } from '../../accounts/ports.ts'
import { listPlans } from '../../changes/commands/list-plans.ts'
import { createChangeCommands, type ChangeCommands, type Commanded } from '../../changes/commands.ts'
import { forceChange } from '../../changes/commands/hold-commands.ts'
import { changeHistory, listChanges, oneChange, type ChangeSources } from '../../changes/list-changes.ts'
import { refuseCommand, type CommandProblem } from '../../changes/targets.ts'
import { parseAccount, parseFlag } from '../../reports/requests.ts'
import { NOT_READY, refuse } from '../answers.ts'
import { tokenNameOf } from '../auth.ts'
import {
  approvalSchema,
  readBody,
  endSchema,
  forceSchema,
  killSwitchBodySchema,
  momentSchema,
  newChangeOf,
  newChangeSchema,
  NO_MOMENT,
  type BodyProblem,
  parseUntil,
} from './change-bodies.ts'

export function changeRoutes(app: Hono, sources: ChangeSources): void {
  readRoutes(app, sources)
  const commands = createChangeCommands(sources)
  app.post('/api/v1/changes', (context) =>
    command(context, sources, {
      schema: newChangeSchema,
      find: findNothing,
      run: async (snapshot, body) => {
        const asked = newChangeOf(body, sources.clock.now())
        return asked.ok ? commands.create(snapshot, asked.value, tokenNameOf(context)) : asked
      },
    }),
  )
  app.post('/api/v1/recommendations/:id/approve', (context) =>
    command(context, sources, {
      schema: approvalSchema,
      find: async (snapshot) => {
        const found = await commands.findRecommendation(snapshot, idOf(context))
        return found ? ok(found.id) : refuseCommand(404, `no recommendation has the id ${idOf(context)}`)
      },
      run: (snapshot, { plan_hash: planHash, when }, id) =>
        commands.approveRecommendation(snapshot, id, { planHash, when, by: tokenNameOf(context) }),
    }),
  )
  app.post('/api/v1/changes/:id/approve', (context) =>
    command(context, sources, {
      schema: approvalSchema,
      find: (snapshot) => findChange(commands, snapshot, idOf(context)),
      run: (snapshot, { plan_hash: planHash, when }, change) =>
        commands.approve(snapshot, change, { planHash, when, by: tokenNameOf(context) }),
    }),
  )
  for (const [path, to] of [
    ['reject', 'rejected'],
    ['cancel', 'cancelled'],
  ] as const)
    app.post(`/api/v1/changes/:id/${path}`, (context) =>
      command(context, sources, {
        schema: endSchema,
        find: (snapshot) => findChange(commands, snapshot, idOf(context)),
        run: (_, { reason = '' }, change) => commands.end(change, to, { by: tokenNameOf(context), reason }),
      }),
    )
  app.post('/api/v1/changes/:id/force', (context) =>
    command(context, sources, {
      schema: forceSchema,
      find: (snapshot) => findChange(commands, snapshot, idOf(context)),
      run: async (_, { until: text, reason = '' }, change) => {
        const until = parseUntil(text)
        if (!until.ok) return until
        return forceChange(sources, change, { until: until.value, reason, by: tokenNameOf(context) })
      },
    }),
  )
  app.post('/api/v1/kill-switch', async (context) => {
    const body = await readBody(context, killSwitchBodySchema)
    if (!body.ok) return refuse(context, body.error.status, body.error.message)
    return throwKillSwitch(context, sources, body.value.engaged)
  })
}

const idOf = (context: Context) => context.req.param('id') ?? ''

function readRoutes(app: Hono, sources: ChangeSources) {
  app.get('/api/v1/schema/changes', (context) => context.json(changesJsonSchema()))
  app.get('/api/v1/kill-switch', (context) => context.json(killSwitchJson(sources)))
  app.get('/api/v1/changes', (context) =>
    answer(context, sources, async (snapshot) => {
      const { account: asked, compute, all } = context.req.query()
      const account = parseAccount(
        { account: asked },
        snapshot.accounts.map((one) => one.account),
      )
      if (!account.ok) return refuseCommand(400, account.error)
      const isAll = parseFlag('all', all)
      return isAll.ok
        ? listChanges(sources, snapshot, { account: account.value, compute, all: isAll.value })
        : refuseCommand(400, isAll.error)
    }),
  )
  app.get('/api/v1/changes/:id', (context) =>
    answer(context, sources, async (snapshot) => {
      const found = await findChange(createChangeCommands(sources), snapshot, idOf(context))
      return found.ok ? ok(await changeHistory(sources, snapshot, found.value)) : found
    }),
  )
  app.get('/api/v1/plan', (context) =>
    answer(context, sources, async (snapshot) => {
      const allowed = allowedByMode(sources)
      if (!allowed.ok) return allowed
      const { name, when } = context.req.query()
      const moment = momentSchema.optional().safeParse(when)
      return moment.success
        ? listPlans(sources, snapshot, { name, when: moment.data })
        : refuseCommand(400, `when: ${NO_MOMENT}, got ${when}`)
    }),
  )
}

export async function answer(
  context: Context,
  { snapshot }: Pick<ChangeSources, 'snapshot'>,
  read: (snapshot: Snapshot) => Promise<Result<object, CommandProblem | BodyProblem>>,
) {
  const current = snapshot()
  if (!current) return refuse(context, 503, NOT_READY)
  const result = await read(current)
  return result.ok ? context.json(result.value) : refuse(context, result.error.status, result.error.message)
}

type Command<Body, Target> = Readonly<{
  schema: z.ZodType<Body>
  /** What the path names, before the body is read: an unknown id is said whatever the body lacks. */
  find: (snapshot: Snapshot) => Promise<Result<Target, CommandProblem>>
  run: (snapshot: Snapshot, body: Body, target: Target) => Promise<Result<Commanded, CommandProblem>>
}>

/** Target of a path that names nothing. */
const findNothing = async () => ok(undefined)

/** Lists of changes and the kill switch answer in every mode: a request may still be on its way when the mode is changed. */
export function allowedByMode({ config }: ChangeSources): Result<undefined, CommandProblem> {
  const { mode } = config()
  return recommends({ mode })
    ? ok(undefined)
    : refuseCommand(409, `mode: ${mode} of the configuration allows no changes`)
}

/** Refuses what the mode does not allow, reads the body, and answers with the change. */
async function command<Body, Target>(
  context: Context,
  sources: ChangeSources,
  { schema, find, run }: Command<Body, Target>,
) {
  const allowed = allowedByMode(sources)
  if (!allowed.ok) return refuse(context, allowed.error.status, allowed.error.message)
  return answer(context, sources, async (snapshot) => {
    const target = await find(snapshot)
    if (!target.ok) return target
    const body = await readBody(context, schema)
    if (!body.ok) return body
    const commanded = await run(snapshot, body.value, target.value)
    if (!commanded.ok) return commanded
    const { change, note = null } = commanded.value
    return ok<ChangeAnswerJson>({
      schema_version: 2,
      change: await oneChange(sources, snapshot, change),
      note,
    })
  })
}

async function findChange(
  commands: Pick<ChangeCommands, 'find'>,
  snapshot: Snapshot,
  id: string,
): Promise<Result<Change, CommandProblem>> {
  const found = await commands.find(snapshot, id)
  return found ? ok(found) : refuseCommand(404, `no change has the id ${id}`)
}

const killSwitchJson = ({ killSwitch }: ChangeSources): KillSwitchJson => {
  const engagedBy = killSwitch.engagedBy()
  return { schema_version: 1, engaged: engagedBy.length > 0, engaged_by: engagedBy }
}

async function throwKillSwitch(context: Context, sources: ChangeSources, isOn: boolean) {
  const { killSwitch, clock, log, snapshot, runnerOf } = sources
  const by = tokenNameOf(context)
  const set = await killSwitch.set(isOn, by, clock.now())
  if (!set.ok) return refuse(context, 409, set.error)
  log.info({ by, engaged: isOn }, 'a person set the kill switch')
  for (const { account } of snapshot()?.accounts ?? []) {
    const { wake, store, send, now } = runnerOf(account)
    wake()
    // oxlint-disable-next-line no-await-in-loop -- few accounts
    await killSwitch.announce({ account, store, send, by, at: now() })
  }
  return context.json(killSwitchJson(sources))
}
