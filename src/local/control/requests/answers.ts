// Answers to requests: the project as of now, and the operations that follow.
import { type Draft, type PlannedActions, type Subject, computeOf, enqueue } from '../draft.ts'
import type { Answer, Refusal } from '../events.ts'

export type Answered = { readonly draft: Draft; readonly answer: Answer }

export const refuseRequest = (draft: Draft, refusal: Refusal): Answered => ({
  draft,
  answer: { ok: false, refusal },
})

export const notFound = (draft: Draft, what: string): Answered =>
  refuseRequest(draft, { status: 404, message: `${what} not found` })

/** Queues operations and answers with exactly these. */
export function schedule(draft: Draft, subject: Subject, steps: PlannedActions): Answered {
  const queued = enqueue(draft, subject, steps)
  const operations = queued.project.queue.slice(draft.project.queue.length).map(({ operation }) => operation)
  const compute = computeOf(draft.project, subject.endpointId ?? '')
  return { draft: queued, answer: { ok: true, project: queued.project, compute, operations } }
}

/** Answers a request that needs no operation. */
export const answerDone = (draft: Draft): Answered => ({
  draft,
  answer: { ok: true, project: draft.project, compute: undefined, operations: [] },
})
