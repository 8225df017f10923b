import type { Answer, Request } from '../control/events.ts'
import type { Api, Call } from './context.ts'
import { refusalAnswer, refuse } from './errors.ts'

export type Granted = Answer & { readonly ok: true }

/** What the control plane answered, or the answer to the client that it did not do it. */
export function ask(
  call: Call,
  asked: { readonly projectId: string; readonly request: Request },
  api: Api,
): Granted | Response {
  const answer = api.plane.request(asked.projectId, asked.request)
  if (!answer) return refuse(call, 404, `project not found: ${asked.projectId}`)
  return answer.ok ? answer : refusalAnswer(call, answer.refusal, api)
}
