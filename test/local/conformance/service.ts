// One running service for the tests of a file.
import { rmSync } from 'node:fs'
import { afterAll, beforeAll } from 'vitest'
import type { Local, LocalOptions } from '../../../src/local/start.ts'
import { startQuickly } from '../../support/start-quickly.ts'
import type { BehaviourChange } from '../../../src/local/engine/behaviour-switches.ts'
import { QUICK, call, makeFolder, until } from '../support.ts'

/** The service, available from the first test on. */
export function serviceFor(options: Partial<LocalOptions> = {}): () => Local {
  const folder = makeFolder()
  let local: Local | undefined
  beforeAll(async () => {
    local = await startQuickly({ folder, ...QUICK, ...options })
  })
  afterAll(async () => {
    await local?.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  return () => {
    if (!local) throw new Error('the service is not up')
    return local
  }
}

/** Sets switches of a running service. */
export async function set({ baseUrl }: Pick<Local, 'baseUrl'>, change: BehaviourChange): Promise<Response> {
  return fetch(`${new URL(baseUrl).origin}/_control`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(change),
  })
}

/** Resolves when no operation of the project is open. */
export const ended = (local: Local, projectId: string): Promise<unknown> =>
  until('all operations have ended', async () => {
    const { operations } = (await call(local, `GET /projects/${projectId}/operations`)).body
    return operations.every(({ status }) => !['running', 'scheduling', 'failed'].includes(status))
  })

/** A branch of the project without a compute, ready. */
export async function freshBranch(local: Local, projectId: string): Promise<string> {
  await ended(local, projectId)
  const { branch } = (await call(local, `POST /projects/${projectId}/branches`)).body
  await ended(local, projectId)
  return branch.id
}
