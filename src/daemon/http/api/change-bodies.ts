// Bodies of commands about changes.
import type { Context } from 'hono'
import { boolean, enum as oneOf, literal, number, strictObject, string, union, type z } from 'zod'
import { issueText } from '../../../config/issue-text.ts'
import { selectorShape } from '../../../config/parts.ts'
import { cu, seconds, type Instant } from '../../../model/units.ts'
import { failed, ok, type Result } from '../../../std/result.ts'
import type { NewChange } from '../../changes/commands.ts'
import { matchProblem } from '../../changes/commands/hold-commands.ts'
import { refuseCommand, type CommandProblem } from '../../changes/targets.ts'
import { EXPECTED_TIME, parseDayOrInstant } from '../../history/export.ts'

export const NO_BODY = 'expected a JSON object'

export type BodyProblem = Readonly<{ status: 400 | 415; message: string }>

/** The problem begins with the path of the field. A body without a media type counts as JSON. */
export async function readBody<Body>(
  context: Context,
  schema: z.ZodType<Body>,
): Promise<Result<Body, BodyProblem>> {
  const media = context.req.header('content-type') ?? JSON_TYPE
  if (media.split(';')[0]?.trim().toLowerCase() !== JSON_TYPE)
    return failed({ status: 415, message: `expected a body of type ${JSON_TYPE}` })
  const body = await context.req.json<unknown>().catch(() => undefined)
  const checked = checkBody(schema, body)
  return checked.ok ? checked : failed({ status: 400, message: checked.error })
}

/** As the daemon checks it. The problem begins with the path of the field. */
export function checkBody<Body>(schema: z.ZodType<Body>, body: unknown): Result<Body, string> {
  const parsed = schema.safeParse(body)
  return parsed.success
    ? ok(parsed.data)
    : failed(parsed.error.issues.map((issue) => [...issue.path, issueText(issue)].join(': ')).join('; '))
}

const JSON_TYPE = 'application/json'

export const NO_MOMENT = 'expected idle or now'
const NO_SIZE = 'expected a size in CU, such as 0.5'
const NO_DELAY = 'expected seconds, never or default'
const MAX_REASON = 500
const NO_REASON = `expected why, in at most ${MAX_REASON} characters`
const NO_COMPUTE = 'expected an id or a name'
const NO_HASH = 'expected the plan hash that dormouse plan prints'

export const momentSchema = oneOf(['idle', 'now'], NO_MOMENT)
const sizeSchema = number(NO_SIZE).positive(NO_SIZE).transform(cu).optional()
const NO_WHY = `expected why, in 1 to ${MAX_REASON} characters`
export const neededReasonSchema = string(NO_WHY).trim().min(1, NO_WHY).max(MAX_REASON, NO_WHY)
const reasonSchema = string(NO_REASON).trim().max(MAX_REASON, NO_REASON).optional()

export const bodyError = (expected: string) => ({
  error: ({ code, keys }: { readonly code?: string; readonly keys?: readonly string[] }) =>
    code === 'unrecognized_keys' ? `${(keys ?? []).join(', ')}: unknown key` : expected,
})

export const newChangeSchema = strictObject(
  {
    compute: string(NO_COMPUTE).min(1, NO_COMPUTE),
    account: string().optional(),
    cu: sizeSchema,
    min_cu: sizeSchema,
    max_cu: sizeSchema,
    delay_seconds: union(
      [number(NO_DELAY).int(NO_DELAY).min(0, NO_DELAY), literal(['never', 'default'])],
      NO_DELAY,
    ).optional(),
    restart: boolean('expected true or false').optional(),
    when: momentSchema.optional(),
    until: string(EXPECTED_TIME).optional(),
    reason: reasonSchema,
    propose: boolean('expected true or false').optional(),
  },
  bodyError(NO_BODY),
)

export const approvalSchema = strictObject(
  { plan_hash: string(NO_HASH).min(1, NO_HASH), when: momentSchema.optional() },
  bodyError(NO_BODY),
)
export const endSchema = strictObject({ reason: reasonSchema }, bodyError(NO_BODY))
export const forceSchema = strictObject(
  { until: string(EXPECTED_TIME), reason: reasonSchema },
  bodyError(NO_BODY),
)
export const newHoldSchema = strictObject(
  {
    account: string().optional(),
    match: strictObject(selectorShape, bodyError('expected a JSON object')).prefault({}),
    all: boolean('expected true or false').prefault(false),
    until: string(EXPECTED_TIME),
    reason: neededReasonSchema,
  },
  bodyError(NO_BODY),
)
export const releaseSchema = strictObject(
  { account: string().optional(), reason: neededReasonSchema },
  bodyError(NO_BODY),
)

/** Problem of a new hold whatever the computes are; undefined if it has none. */
export function holdProblem(body: unknown): string | undefined {
  const checked = checkBody(newHoldSchema, body)
  if (!checked.ok) return checked.error
  const until = parseUntil(checked.value.until)
  return until.ok ? matchProblem(checked.value) : until.error.message
}

/** Problem of a force whatever the change is; undefined if it has none. */
export function forceProblem(body: unknown): string | undefined {
  const checked = checkBody(forceSchema, body)
  if (!checked.ok) return checked.error
  const until = parseUntil(checked.value.until)
  return until.ok ? undefined : until.error.message
}

export const killSwitchBodySchema = strictObject(
  { engaged: boolean('expected true or false') },
  bodyError(NO_BODY),
)

type NewChangeBody = z.output<typeof newChangeSchema>

export function newChangeOf(body: NewChangeBody, now: Instant): Result<NewChange, CommandProblem> {
  const { compute, account, restart = false, when = 'idle', reason = '', propose = false } = body
  const until = untilOf(body, now)
  if (!until.ok) return until
  const [size, delay] = [sizeOf(body), delayOf(body)]
  return ok({ compute, account, size, delay, restart, when, until: until.value, reason, propose })
}

function untilOf({ until: text }: NewChangeBody, now: Instant): Result<Instant | undefined, CommandProblem> {
  if (text === undefined) return ok(undefined)
  const until = parseUntil(text)
  if (!until.ok) return until
  return until.value > now ? until : refuseCommand(400, `until: expected a time after now, got ${text}`)
}

function sizeOf({ cu: fixed, min_cu: min, max_cu: max }: NewChangeBody): NewChange['size'] {
  const size = { fixed, min, max }
  return Object.values(size).some((given) => given !== undefined) ? size : undefined
}

function delayOf({ delay_seconds: delay }: NewChangeBody): NewChange['delay'] {
  if (delay === 'default') return seconds(0)
  return delay === undefined || delay === 'never' ? delay : seconds(delay)
}

/** A day or an instant. */
export function parseUntil(text: string): Result<Instant, CommandProblem> {
  const until = parseDayOrInstant(text)
  return until === undefined ? refuseCommand(400, `until: ${EXPECTED_TIME}, got ${text}`) : ok(until)
}
