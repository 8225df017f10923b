import { type Draft, computeOf } from './draft.ts'
import { nextDueAt } from './queue/due.ts'
import type { Answer, Context, Event, Report, Request, StepResult } from './events.ts'
import type { Project } from './project.ts'
import { runQueue } from './queue/queue.ts'
import { startPeriod } from './usage/quota.ts'
import { applyReport } from './queue/reports.ts'
import { applyRequest } from './requests/requests.ts'

/**
 * Folds one event into a project: the next state, what the shell must do, and when to look again.
 *
 * One operation runs at a time. A request meanwhile is refused with 423; a client that connects waits.
 */
export function step(before: Project, event: Event, context: Context): StepResult {
  const draft: Draft = { project: startPeriod(before, context.now), effects: [], context }
  if (!isRequest(event)) return resultOf(applyReport(draft, event), undefined)
  const { draft: asked, answer } = applyRequest(draft, event)
  if (!answer.ok) return resultOf({ ...asked, project: before }, answer)
  const begun = runQueue(asked)
  return resultOf(begun, context.settings.stateLag ? answer : asOf(begun, answer))
}

/** The answer with the records as they are once the first operation has begun. */
const asOf = ({ project }: Draft, answer: Answer & { ok: true }): Answer => ({
  ...answer,
  project,
  compute: answer.compute && (computeOf(project, answer.compute.id) ?? answer.compute),
})

const resultOf = ({ project, effects, context }: Draft, answer: StepResult['answer']): StepResult => ({
  project,
  effects,
  answer,
  wakeAt: nextDueAt(project, context),
})

const REQUESTS = {
  create: true,
  update: true,
  delete: true,
  start: true,
  suspend: true,
  restart: true,
  'create-branch': true,
  'update-branch': true,
  'delete-branch': true,
  'create-role': true,
  'reset-password': true,
  'delete-role': true,
  'create-database': true,
  'delete-database': true,
  'update-project': true,
  'delete-project': true,
} as const satisfies Record<Request['kind'], true>

export const isRequest = (event: Request | Report): event is Request => event.kind in REQUESTS
