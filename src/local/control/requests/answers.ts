// Answers to requests: the project as of now, and the operations that follow.
import { type Draft, type PlannedActions, type Subject, computeOf, enqueue } from '../draft.ts'
import type { Answer, Refusal, Request } from '../events.ts'
import type { Compute, Operation } from '../project.ts'

/** An accepted request: its answer, and the draft with its operations queued but not started. */
export type Answered = { readonly draft: Draft; readonly answer: Answer & { readonly ok: true } }

/** Kind of a request → what it leads to. */
export type RequestHandlers = {
  readonly [Kind in Request['kind']]: (draft: Draft, request: Request<Kind>) => Answered | Refusal
}

/** Accepts a request. `compute` is the one the request names, `operations` are those it has queued. */
export const accept = (draft: Draft, compute?: Compute, operations: readonly Operation[] = []): Answered => ({
  draft,
  answer: { ok: true, project: draft.project, compute, operations },
})

/** Queues operations and answers with exactly these. */
export function schedule(draft: Draft, subject: Subject, steps: PlannedActions): Answered {
  const queued = enqueue(draft, subject, steps)
  const operations = queued.project.queue.slice(draft.project.queue.length).map(({ operation }) => operation)
  return accept(queued, computeOf(draft.project, subject.endpointId ?? ''), operations)
}
