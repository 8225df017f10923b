// The control plane of one project as one pure function. The shell (engine/) calls `step` for every event, makes the
// result durable and carries out its effects.
//
// 1. A request is answered at once; its work enters the queue as operations (requests/).
// 2. The queue runs one operation at a time: its effects go out, a report of the shell ends it (queue/).
// 3. `time` applies what is due: suspensions, quotas, availability checks, retries (queue/due.ts).
//
// While operations are open, other requests are refused with 423, and clients that connect wait.
import { type Draft, computeOf } from './draft.ts'
import type { Answer, Context, Event, Request, StepResult } from './events.ts'
import type { Project } from './project.ts'
import { nextDueAt } from './queue/due.ts'
import { runQueue } from './queue/queue.ts'
import { applyReport } from './queue/reports.ts'
import type { Answered, Outcome, RequestHandlers } from './requests/answers.ts'
import { BRANCH_REQUESTS } from './requests/branch-requests.ts'
import { CATALOGUE_REQUESTS } from './requests/catalogue-requests.ts'
import { COMPUTE_REQUESTS } from './requests/compute-requests.ts'
import { withMutations } from './requests/mutations.ts'
import { PROJECT_REQUESTS } from './requests/project-requests.ts'
import { startPeriod } from './usage/quota.ts'

/** A refused request changes nothing. */
export function step(project: Project, event: Event, context: Context): StepResult {
  const draft: Draft = { project: startPeriod(project, context.now), effects: [], context }
  if (!isRequest(event)) return resultOf(applyReport(draft, event), undefined)
  const outcome = handle(draft, event)
  if ('status' in outcome) return resultOf({ ...draft, project }, { ok: false, refusal: outcome })
  const running = runQueue(withMutations(outcome.draft, event, project))
  return resultOf(running, context.settings.stateLag ? outcome.answer : updateAnswer(outcome.answer, running))
}

const REQUESTS: RequestHandlers = {
  ...COMPUTE_REQUESTS,
  ...BRANCH_REQUESTS,
  ...CATALOGUE_REQUESTS,
  ...PROJECT_REQUESTS,
}

const isRequest = (event: Event): event is Request => event.kind in REQUESTS

const handle = <Kind extends Request['kind']>(draft: Draft, request: Request<Kind>): Outcome =>
  REQUESTS[request.kind](draft, request)

/** Records as they are after the first operation has started. */
const updateAnswer = (answer: Answered['answer'], { project }: Draft): Answer => ({
  ...answer,
  project,
  compute: answer.compute && (computeOf(project, answer.compute.id) ?? answer.compute),
})

const resultOf = ({ project, effects, context }: Draft, answer: Answer | undefined): StepResult => ({
  project,
  effects,
  answer,
  wakeAt: nextDueAt(project, context),
})
