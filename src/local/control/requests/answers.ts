import { type Draft, type PlannedActions, type Subject, computeOf, enqueue } from '../draft.ts'
import type { Answer, Refusal, Request } from '../events.ts'
import type { Compute } from '../project.ts'

/** The answer, and the draft with operations queued but not started. */
export type Answered = Readonly<{ draft: Draft; answer: Answer & { readonly ok: true } }>

export type Outcome = Answered | Refusal

export type RequestHandlers = {
  readonly [Kind in Request['kind']]: (draft: Draft, request: Request<Kind>) => Outcome
}

/** `compute`: the one the request names. `operations` default to the queue: the request was alone in it. */
export const accept = (
  draft: Draft,
  compute?: Compute,
  operations = draft.project.queue.map(({ operation }) => operation),
): Answered => ({ draft, answer: { ok: true, project: draft.project, compute, operations } })

/** Answers with exactly these operations. */
export const schedule = (draft: Draft, subject: Subject, steps: PlannedActions): Answered =>
  accept(enqueue(draft, subject, steps), computeOf(draft.project, subject.endpointId ?? ''))
