import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { PgSettings } from '../control/project.ts'
import { createGate } from './gate.ts'
import type { Cluster } from './template.ts'

const run = promisify(execFile)

/** The first Postgres with an option that checks the configuration and starts nothing; before it was a hidden one. */
const CHECK_OPTION = 15

/** Says what a server of this cluster has against some settings, naming them; undefined when it takes them. About 10 ms. */
export function createSettingsCheck(
  template: string,
  cluster: Cluster,
): (settings: PgSettings) => Promise<string | undefined> {
  const gate = createGate(1) // each check holds the lock file of the template for a moment
  const refusalOf = async (settings: PgSettings): Promise<string | undefined> => {
    const { binaries, owner } = cluster
    const check = binaries.major >= CHECK_OPTION ? ['--check'] : ['--boot', '-x0']
    const values = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    try {
      await run(`${binaries.folder}/postgres`, [...check, '-D', template, ...values], {
        cwd: '/',
        env: { PATH: '/usr/bin:/bin', TZ: 'UTC' },
        ...(owner && { uid: owner.uid, gid: owner.gid }),
      })
      return undefined
    } catch (error) {
      return wordsOf(error)
    }
  }
  return async (settings) => {
    if (Object.keys(settings).length === 0) return undefined
    const refused = await gate(() => refusalOf(settings))
    if (refused === undefined) return undefined
    // together they are refused; which one is it?
    for (const [name, value] of Object.entries(settings)) {
      const alone = await gate(() => refusalOf({ [name]: value }))
      if (alone !== undefined) return `${name}: ${alone}`
    }
    return `${Object.keys(settings).join(', ')}: ${refused}`
  }
}

/** The reason out of what Postgres wrote. */
function wordsOf(error: unknown): string {
  const text = error instanceof Error && 'stderr' in error ? String(error.stderr) : String(error)
  return /(?:FATAL|ERROR): +([^\n]*)/.exec(text)?.[1] ?? text.trim()
}
