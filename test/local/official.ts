import { type Api, createApiClient } from '@neondatabase/api-client'
import { expect } from 'vitest'
import type { Service } from './support.ts'
import { problemsOf } from './openapi.ts'
import { until } from './support.ts'

/** The service's official client, unchanged, failing on any answer that does not fit the document. */
export function officialClient({ baseUrl, apiKey }: Pick<Service, 'baseUrl' | 'apiKey'>): Api<unknown> {
  const client = createApiClient({ apiKey, baseURL: baseUrl })
  client.instance.interceptors.response.use((response) => {
    const path = new URL(response.config.url ?? '', 'http://local').pathname
    const body: unknown = response.data === '' ? undefined : response.data
    const method = (response.config.method ?? 'get').toUpperCase()
    expect(problemsOf({ method, path, status: response.status, body })).toEqual([])
    return response
  })
  return client
}

/** Resolves when no operation of the project is open, with all of them, newest first, as "action status". */
export const operationsDone = (client: Api<unknown>, projectId: string): Promise<string[]> =>
  until('all operations have ended', async () => {
    const { operations } = (await client.listProjectOperations({ projectId })).data
    const statuses = operations.map(({ action, status }) => `${action} ${status}`)
    return !statuses.some((text) => /running|scheduling|failed/.test(text)) && statuses
  })
