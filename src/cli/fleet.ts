import { request } from 'undici'
import type { Fleet } from '../daemon/status.ts'

/** The running daemon's state, from its API; the problem is one line for a person. */
export async function readFleet(
  apiUrl: string,
): Promise<{ readonly fleet: Fleet } | { readonly problem: string }> {
  try {
    const { statusCode, body } = await request(`${apiUrl}/api/v1/computes`, {
      headersTimeout: 5000,
      bodyTimeout: 5000,
    })
    if (statusCode === 200) return fleetIn(await body.json(), apiUrl)
    return { problem: `${apiUrl} answers ${statusCode}: ${(await body.text()).slice(0, 200)}` }
  } catch (cause) {
    return {
      problem: `no daemon answers at ${apiUrl} (${cause instanceof Error ? cause.message : String(cause)})`,
    }
  }
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
