import type { Context, Hono } from 'hono'
import type { Logger } from 'pino'
import { strictObject, string } from 'zod'
import { issueText } from '../../../config/issue-text.ts'
import { dismiss, undoDismiss } from '../../../advise/dismiss.ts'
import type { Snapshot } from '../../../model/output/snapshot.ts'
import type { Recommendation } from '../../../model/policy/recommendation.ts'
import type { Clock } from '../../../model/ports/clock.ts'
import { toIsoSecond } from '../../../model/time.ts'
import type { Instant } from '../../../model/units.ts'
import { recommendationsJsonSchema } from '../../../outputs/text/recommendation-schema.ts'
import { failed, ok, type Result } from '../../../std/result.ts'
import type { Adviser } from '../../advice/adviser.ts'
import { EXPECTED_TIME, parseDayOrInstant } from '../../history/export.ts'
import {
  adviceContext,
  adviceRequestOf,
  streamRecommendations,
  type AdviceSources,
} from '../../history/recommendations.ts'
import { targetsOfId } from '../../history/named-projects.ts'
import { NOT_READY, refuse, streamText } from '../answers.ts'
import { tokenNameOf } from '../auth.ts'

export type AdviceRouteSources = AdviceSources &
  Readonly<{
    snapshot: () => Snapshot | undefined
    clock: Pick<Clock, 'now'>
    /** Absent where nothing is recommended. */
    dismissals?: Readonly<{ change: Adviser['change']; log: Pick<Logger, 'info'> }>
  }>

export function recommendationRoutes(app: Hono, sources: AdviceRouteSources): void {
  app.get('/api/v1/recommendations', (context) => {
    const snapshot = sources.snapshot()
    if (!snapshot) return refuse(context, 503, NOT_READY)
    const request = adviceRequestOf(context.req.query(), snapshot)
    if (!request.ok) return refuse(context, 400, request.error)
    return context.body(streamText(context, streamRecommendations(sources, snapshot, request.value)), 200, {
      'content-type': 'application/json',
    })
  })
  app.get('/api/v1/schema/recommendations', (context) => context.json(recommendationsJsonSchema()))
  const { dismissals } = sources
  if (dismissals) dismissRoutes(app, { ...sources, dismissals })
}

type DismissSources = AdviceRouteSources & Required<Pick<AdviceRouteSources, 'dismissals'>>

function dismissRoutes(app: Hono, sources: DismissSources) {
  app.post(DISMISS_PATH, async (context) => {
    const now = sources.clock.now()
    const body = await context.req.json<unknown>().catch(() => undefined)
    const asked = parseDismissal(body, now)
    if (!asked.ok) return refuse(context, 400, asked.error)
    const by = tokenNameOf(context)
    return answerChange(context, sources, ({ current, now: at }) =>
      dismiss(current, { ...asked.value, by, now: at }),
    )
  })
  app.delete(DISMISS_PATH, (context) =>
    answerChange(context, sources, ({ current, others }) => undoDismiss(current, others)),
  )
}

const DISMISS_PATH = '/api/v1/recommendations/:id/dismiss'

type Change = (
  input: Readonly<{ current: Recommendation; others: readonly Recommendation[]; now: Instant }>,
) => Result<Recommendation, string>

async function answerChange(context: Context, sources: DismissSources, change: Change) {
  const { dismissals } = sources
  const snapshot = sources.snapshot()
  if (!snapshot) return refuse(context, 503, NOT_READY)
  const id = context.req.param('id') ?? ''
  const others = await readOfSameTarget(sources, snapshot, id)
  const stored = others.find((one) => one.id === id)
  if (!stored) return refuse(context, 404, `no recommendation has the id ${id}`)
  const changed = await dismissals.change(stored, (current, now) => change({ current, others, now }))
  if (!changed.ok) return refuse(context, 409, changed.error)
  const { life, ref } = changed.value
  dismissals.log.info(
    { recommendation: id, ...ref, by: tokenNameOf(context), life },
    life.state === 'dismissed' ? 'a recommendation was dismissed' : 'a dismissal was taken back',
  )
  return context.json(adviceContext(snapshot, ref.account, sources).jsonOf(changed.value))
}

/** Empty without such a compute or project. */
async function readOfSameTarget({ history }: AdviceSources, snapshot: Snapshot, id: string) {
  const read = targetsOfId(snapshot, id).map((ref) =>
    Array.fromAsync(history.recommendations(ref.account, { targets: [ref] })),
  )
  return (await Promise.all(read)).flat()
}

/** Characters; people read it in reports. */
const MAX_REASON = 500
const NO_REASON = `expected why it is dismissed, in 1 to ${MAX_REASON} characters`
const NO_BODY = 'expected a JSON object with reason and, if it is to end, until'

const dismissalSchema = strictObject(
  {
    reason: string(NO_REASON).trim().min(1, NO_REASON).max(MAX_REASON, NO_REASON),
    until: string(EXPECTED_TIME).optional(),
  },
  { error: ({ code, keys }) => (code === 'unrecognized_keys' ? `${keys.join(', ')}: unknown key` : NO_BODY) },
)

/** The problem begins with the path of the field. */
export function parseDismissal(
  body: unknown,
  now: Instant,
): Result<Readonly<{ reason: string; until: Instant | undefined }>, string> {
  const parsed = dismissalSchema.safeParse(body)
  if (!parsed.success)
    return failed(parsed.error.issues.map((issue) => [...issue.path, issueText(issue)].join(': ')).join('; '))
  const { reason, until: text } = parsed.data
  if (text === undefined) return ok({ reason, until: undefined })
  const until = parseDayOrInstant(text)
  if (until === undefined) return failed(`until: ${EXPECTED_TIME}, got ${text}`)
  return until > now
    ? ok({ reason, until })
    : failed(`until: expected a time after now, ${toIsoSecond(now)}, got ${text}`)
}
