// Commands and lists of changes.
import type { Context, Hono } from 'hono'
import { boolean, enum as oneOf, literal, number, strictObject, string, union, type z } from 'zod'
import type { Snapshot } from '../../../model/output/snapshot.ts'
import type { Change } from '../../../model/policy/change.ts'
import { cu, seconds, type Instant } from '../../../model/units.ts'
import {
  changesJsonSchema,
  type ChangeAnswerJson,
  type KillSwitchJson,
} from '../../../outputs/text/change-schema.ts'
import { failed, ok, type Result } from '../../../std/result.ts'
import { recommends } from '../../accounts/ports.ts'
import {
  createChangeCommands,
  type ChangeCommands,
  type Commanded,
  type NewChange,
} from '../../changes/commands.ts'
import {
  changeHistory,
  listChanges,
  listPlans,
  oneChange,
  type ChangeSources,
} from '../../changes/list-changes.ts'
import { refuseCommand, type CommandProblem } from '../../changes/targets.ts'
import { EXPECTED_TIME, parseDayOrInstant } from '../../history/export.ts'
import { parseAccount } from '../../reports/requests.ts'
import { NOT_READY, refuse } from '../answers.ts'
import { tokenNameOf } from '../auth.ts'

export function changeRoutes(app: Hono, sources: ChangeSources): void {
  readRoutes(app, sources)
  const commands = createChangeCommands(sources)
  app.post('/api/v1/changes', (context) =>
    command(context, sources, newChangeSchema, async (snapshot, body) => {
      const asked = newChangeOf(body, sources.clock.now())
      return asked.ok ? commands.create(snapshot, asked.value, tokenNameOf(context)) : asked
    }),
  )
  app.post('/api/v1/recommendations/:id/approve', (context) =>
    command(context, sources, approvalSchema, (snapshot, { plan_hash: planHash, when }) => {
      const by = tokenNameOf(context)
      return commands.approveRecommendation(snapshot, idOf(context), { planHash, when, by })
    }),
  )
  app.post('/api/v1/changes/:id/approve', (context) =>
    command(context, sources, approvalSchema, async (snapshot, { plan_hash: planHash, when }) => {
      const found = await findChange(commands, snapshot, idOf(context))
      return found.ok
        ? commands.approve(snapshot, found.value, { planHash, when, by: tokenNameOf(context) })
        : found
    }),
  )
  for (const [path, to] of [
    ['reject', 'rejected'],
    ['cancel', 'cancelled'],
  ] as const)
    app.post(`/api/v1/changes/:id/${path}`, (context) =>
      command(context, sources, endSchema, async (snapshot, { reason = '' }) => {
        const found = await findChange(commands, snapshot, idOf(context))
        return found.ok ? commands.end(found.value, to, { by: tokenNameOf(context), reason }) : found
      }),
    )
  app.post('/api/v1/kill-switch', async (context) => {
    const body = await bodyOf(context, killSwitchBody)
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
      return account.ok
        ? listChanges(sources, snapshot, { account: account.value, compute, all: all !== undefined })
        : refuseCommand(400, account.error)
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
      const { name, when } = context.req.query()
      const moment = momentSchema.optional().safeParse(when)
      return moment.success
        ? listPlans(sources, snapshot, { name, when: moment.data })
        : refuseCommand(400, `when: ${NO_MOMENT}, got ${when}`)
    }),
  )
}

async function answer(
  context: Context,
  { snapshot }: ChangeSources,
  read: (snapshot: Snapshot) => Promise<Result<object, CommandProblem>>,
) {
  const current = snapshot()
  if (!current) return refuse(context, 503, NOT_READY)
  const result = await read(current)
  return result.ok ? context.json(result.value) : refuse(context, result.error.status, result.error.message)
}

/** Reads the body, refuses what the mode does not allow, and answers with the change. */
async function command<Body>(
  context: Context,
  sources: ChangeSources,
  schema: z.ZodType<Body>,
  run: (snapshot: Snapshot, body: Body) => Promise<Result<Commanded, CommandProblem>>,
) {
  const { mode } = sources.config()
  if (!recommends({ mode }))
    return refuse(context, 409, `mode: ${mode} of the configuration allows no changes`)
  const body = await bodyOf(context, schema)
  if (!body.ok) return refuse(context, body.error.status, body.error.message)
  return answer(context, sources, async (snapshot) => {
    const commanded = await run(snapshot, body.value)
    if (!commanded.ok) return commanded
    const { change, note = null } = commanded.value
    return ok<ChangeAnswerJson>({ schema_version: 1, change: oneChange(sources, snapshot, change), note })
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
  for (const { account } of snapshot()?.accounts ?? []) runnerOf(account).wake()
  return context.json(killSwitchJson(sources))
}

const NO_BODY = 'expected a JSON object'

type BodyProblem = Readonly<{ status: 400 | 415; message: string }>

/** The problem begins with the path of the field. A body without a media type counts as JSON. */
async function bodyOf<Body>(context: Context, schema: z.ZodType<Body>): Promise<Result<Body, BodyProblem>> {
  const media = context.req.header('content-type') ?? JSON_TYPE
  if (media.split(';')[0]?.trim().toLowerCase() !== JSON_TYPE)
    return failed({ status: 415, message: `expected a body of type ${JSON_TYPE}` })
  const body = await context.req.json<unknown>().catch(() => undefined)
  const parsed = schema.safeParse(body)
  if (parsed.success) return ok(parsed.data)
  const message = parsed.error.issues.map((issue) => [...issue.path, issue.message].join(': ')).join('; ')
  return failed({ status: 400, message })
}

const JSON_TYPE = 'application/json'

const NO_MOMENT = 'expected idle or now'
const NO_SIZE = 'expected a size in CU, such as 0.5'
const NO_DELAY = 'expected seconds, never or default'
const MAX_REASON = 500
const NO_REASON = `expected why, in at most ${MAX_REASON} characters`
const NO_COMPUTE = 'expected an id or a name'
const NO_HASH = 'expected the plan hash that dormouse plan prints'

const momentSchema = oneOf(['idle', 'now'], NO_MOMENT)
const sizeSchema = number(NO_SIZE).positive(NO_SIZE).transform(cu).optional()
const reasonSchema = string(NO_REASON).trim().max(MAX_REASON, NO_REASON).optional()

const bodyError = (expected: string) => ({
  error: ({ code, keys }: { readonly code?: string; readonly keys?: readonly string[] }) =>
    code === 'unrecognized_keys' ? `${(keys ?? []).join(', ')}: unknown key` : expected,
})

const newChangeSchema = strictObject(
  {
    compute: string(NO_COMPUTE).min(1, NO_COMPUTE),
    account: string().optional(),
    cu: sizeSchema,
    min_cu: sizeSchema,
    max_cu: sizeSchema,
    delay_seconds: union([number().int().min(0), literal(['never', 'default'])], NO_DELAY).optional(),
    restart: boolean('expected true or false').optional(),
    when: momentSchema.optional(),
    until: string(EXPECTED_TIME).optional(),
    reason: reasonSchema,
    propose: boolean('expected true or false').optional(),
  },
  bodyError(NO_BODY),
)

const approvalSchema = strictObject(
  { plan_hash: string(NO_HASH).min(1, NO_HASH), when: momentSchema.optional() },
  bodyError(NO_BODY),
)
const endSchema = strictObject({ reason: reasonSchema }, bodyError(NO_BODY))
const killSwitchBody = strictObject({ engaged: boolean('expected true or false') }, bodyError(NO_BODY))

type NewChangeBody = z.output<typeof newChangeSchema>

function newChangeOf(body: NewChangeBody, now: Instant): Result<NewChange, CommandProblem> {
  const { cu: fixed, min_cu: min, max_cu: max, delay_seconds: delay, until: text } = body
  const until = text === undefined ? undefined : parseDayOrInstant(text)
  if (text !== undefined && until === undefined)
    return refuseCommand(400, `until: ${EXPECTED_TIME}, got ${text}`)
  if (until !== undefined && until <= now)
    return refuseCommand(400, `until: expected a time after now, got ${text}`)
  const hasSize = fixed !== undefined || min !== undefined || max !== undefined
  return ok({
    compute: body.compute,
    account: body.account,
    size: hasSize ? { fixed, min, max } : undefined,
    delay: delay === undefined || delay === 'never' ? delay : seconds(delay === 'default' ? 0 : delay),
    restart: body.restart ?? false,
    when: body.when ?? 'idle',
    until,
    reason: body.reason ?? '',
    propose: body.propose ?? false,
  })
}
