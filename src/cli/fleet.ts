import type { Fleet } from '../daemon/status.ts'
import { askDaemon, jsonOf } from './daemon-api.ts'

/** The running daemon's state, from its API; the problem is one line for a person. */
export async function readFleet(
  apiUrl: string,
): Promise<{ readonly fleet: Fleet } | { readonly problem: string }> {
  const answer = await jsonOf(await askDaemon(apiUrl, '/api/v1/computes'))
  return answer.ok ? fleetIn(answer.value, apiUrl) : { problem: answer.error.message }
}

/** Enough of a look to tell Dormouse's answer from another program's; our own version writes the rest. */
function fleetIn(body: unknown, apiUrl: string): { readonly fleet: Fleet } | { readonly problem: string } {
  const isFleet =
    typeof body === 'object' &&
    body !== null &&
    'taken_at' in body &&
    'computes' in body &&
    Array.isArray(body.computes)
  return isFleet ? { fleet: body as Fleet } : { problem: `${apiUrl} is not the API of Dormouse` }
}
