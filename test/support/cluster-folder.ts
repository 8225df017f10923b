// A folder for what the tests of a run share: the database cluster that local services begin with.
import { chmodSync, rmSync } from 'node:fs'
import type { TestProject } from 'vitest/node'
import { memoryFolder } from './folder.ts'

declare module 'vitest' {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- adds to that of vitest
  interface ProvidedContext {
    /** Empty at first; `start-quickly.ts` fills it. */
    clusterFolder: string
  }
}

export function setup(project: TestProject): () => void {
  const folder = memoryFolder('dormouse-cluster-')
  // the user of Postgres passes through
  chmodSync(folder, 0o711)
  project.provide('clusterFolder', folder)
  return () => rmSync(folder, { recursive: true, force: true })
}
