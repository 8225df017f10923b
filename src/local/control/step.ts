import type { Draft } from './draft.ts'
import type { Context, Event, Report, Request, StepResult } from './events.ts'
import type { Project } from './project.ts'
import { runQueue } from './queue.ts'
import { report, suspendAt } from './reports.ts'
import { request } from './requests.ts'

/**
 * Folds one event into a project: the next state, what the shell must do, and when to look again.
 *
 * One operation runs at a time. A request meanwhile is refused with 423; a client that connects waits.
 */
export function step(project: Project, event: Event, context: Context): StepResult {
  const draft: Draft = { project, effects: [], context }
  if (!isRequest(event)) return resultOf(report(draft, event), undefined)
  const { draft: asked, answer } = request(draft, event)
  return resultOf(answer.ok ? runQueue(asked) : asked, answer)
}

const resultOf = ({ project, effects }: Draft, answer: StepResult['answer']): StepResult => ({
  project,
  effects,
  answer,
  wakeAt: wakeAtOf(project),
})

/** When inactivity next suspends a compute; undefined while operations are open or nothing ever will. */
export function wakeAtOf({ queue, computes }: Project): number | undefined {
  if (queue.length > 0) return undefined
  const instants = computes.map(suspendAt).filter((at) => at !== undefined)
  return instants.length > 0 ? Math.min(...instants) : undefined
}

const REQUESTS: readonly Event['kind'][] = [
  'create',
  'update',
  'delete',
  'start',
  'suspend',
  'restart',
] satisfies Request['kind'][]

const isRequest = (event: Request | Report): event is Request => REQUESTS.includes(event.kind)
