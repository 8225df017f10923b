import type { FleetJson } from '../../daemon/http/api/status-json.ts'
import { failed, ok, type Result } from '../../std/result.ts'
import { askDaemon, answerJson, type ApiProblem, type DaemonApi } from './daemon.ts'

/** The running daemon's state, from its API. */
export async function readFleet(api: DaemonApi): Promise<Result<FleetJson, ApiProblem>> {
  const answer = await answerJson(await askDaemon(api, '/api/v1/computes'))
  if (!answer.ok) return answer
  return isFleet(answer.value)
    ? ok(answer.value)
    : failed({ kind: 'refused', message: `${api.url} is not the API of Dormouse` })
}

/** Tells an answer of Dormouse from one of another program. */
const isFleet = (body: unknown): body is FleetJson =>
  typeof body === 'object' &&
  body !== null &&
  'taken_at' in body &&
  'computes' in body &&
  Array.isArray(body.computes)
