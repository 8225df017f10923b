import type { Answer, Request } from '../control/events.ts'
import type { Api, Call } from './context.ts'
import { refusalAnswer, errorAnswer } from './errors.ts'

export type AcceptedAnswer = Answer & { readonly ok: true }

/** What the control plane answered, or the answer to the client that it did not do it. */
export function askPlane(
  call: Call,
  asked: { readonly projectId: string; readonly request: Request },
  api: Api,
): AcceptedAnswer | Response {
  const answer = api.plane.request(asked.projectId, asked.request)
  if (!answer) return errorAnswer(call, 404, `project not found: ${asked.projectId}`)
  return answer.ok ? answer : refusalAnswer(call, answer.refusal, api)
}
