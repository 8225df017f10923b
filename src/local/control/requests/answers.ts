// How requests are answered: with what the project looks like now and the operations that follow.
import { type Draft, type PlannedActions, type Subject, computeOf, enqueue } from '../draft.ts'
import type { Answer, Refusal } from '../events.ts'

export type Answered = { readonly draft: Draft; readonly answer: Answer }

export const refuseRequest = (draft: Draft, refusal: Refusal): Answered => ({
  draft,
  answer: { ok: false, refusal },
})

export const notFound = (draft: Draft, what: string): Answered =>
  refuseRequest(draft, { status: 404, message: `${what} not found` })

/** Queues `steps` and answers with exactly these operations. */
export function schedule(draft: Draft, subject: Subject, steps: PlannedActions): Answered {
  const queued = enqueue(draft, subject, steps)
  const operations = queued.project.queue.slice(draft.project.queue.length).map(({ operation }) => operation)
  const compute = computeOf(draft.project, subject.endpointId ?? '')
  return { draft: queued, answer: { ok: true, project: queued.project, compute, operations } }
}

/** The answer to what is done at once. */
export const answerDone = (draft: Draft): Answered => ({
  draft,
  answer: { ok: true, project: draft.project, compute: undefined, operations: [] },
})
