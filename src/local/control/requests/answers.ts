// Answers to requests: the project as of now, and the operations that follow.
import { type Draft, type PlannedActions, type Subject, computeOf, enqueue } from '../draft.ts'
import type { Answer, Refusal, Request } from '../events.ts'
import type { Compute } from '../project.ts'

/** An accepted request: its answer, and the draft with its operations queued but not started. */
export type Answered = { readonly draft: Draft; readonly answer: Answer & { readonly ok: true } }

export type Outcome = Answered | Refusal

/** Kind of a request → what it leads to. */
export type RequestHandlers = {
  readonly [Kind in Request['kind']]: (draft: Draft, request: Request<Kind>) => Outcome
}

/**
 * Accepts a request; `compute` is the one the request names. Its operations are by default all in the queue, because a
 * request for operations is refused while there are others.
 */
export const accept = (
  draft: Draft,
  compute?: Compute,
  operations = draft.project.queue.map(({ operation }) => operation),
): Answered => ({ draft, answer: { ok: true, project: draft.project, compute, operations } })

/** Queues operations and answers with exactly these. */
export const schedule = (draft: Draft, subject: Subject, steps: PlannedActions): Answered =>
  accept(enqueue(draft, subject, steps), computeOf(draft.project, subject.endpointId ?? ''))
