// Requests of people to the local service, by its public interface.
import { request } from '../../std/http-client.ts'
import type { Local } from '../../local/start.ts'

/** A GET without a change. @throws unless it succeeds */
export type Ask = (path: string, change?: Change) => Promise<unknown>

type Change = Readonly<{ method: 'PATCH' | 'POST'; body?: unknown }>

export const createAsk =
  ({ baseUrl, apiKey }: Pick<Local, 'baseUrl' | 'apiKey'>): Ask =>
  async (path, change) => {
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
    const { statusCode, body } = await request(`${baseUrl}/${path}`, {
      headers,
      // the service ends idle connections, and may do so while the request is being sent
      reset: true,
      ...(change && { method: change.method, body: JSON.stringify(change.body ?? {}) }),
    })
    if (statusCode >= 300) throw new Error(`the service answers ${statusCode}: ${await body.text()}`)
    return body.json()
  }

/** Name → id of the projects; the demo has fewer than one page. */
export async function projectIds(ask: Ask): Promise<ReadonlyMap<string, string>> {
  const { projects } = (await ask('projects?limit=100')) as {
    projects: readonly { id: string; name: string }[]
  }
  return new Map(projects.map(({ id, name }) => [name, id]))
}
