import type { PgSettings } from '../control/project.ts'
import { createGate } from './gate.ts'
import { runCommand } from './process.ts'
import type { Cluster } from './server.ts'

/** Why a Postgres server refuses these settings, with the name of the first; undefined when it accepts them. */
export type SettingsCheck = (settings: PgSettings) => Promise<string | undefined>

/** The first Postgres whose `--check` validates a configuration without starting a server; older ones use `--boot`. */
const CHECK_OPTION = 15

/** Creates a check of Postgres settings by a real server program, about 10 ms each. */
export function createSettingsCheck(template: string, { binaries, owner }: Cluster): SettingsCheck {
  const gate = createGate(1) // each check holds the lock file of the template for a moment
  const check = binaries.major >= CHECK_OPTION ? ['--check'] : ['--boot', '-x0']
  const refusalOf = async (settings: PgSettings): Promise<string | undefined> => {
    const values = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const args = [...check, '-D', template, ...values]
    const output = await gate(() => runCommand(`${binaries.folder}/postgres`, args, owner))
    return output === undefined ? undefined : (/(?:FATAL|ERROR): +([^\n]*)/.exec(output)?.[1] ?? output)
  }
  return async (settings) => {
    if (Object.keys(settings).length === 0) return undefined
    const refusal = await refusalOf(settings)
    if (refusal === undefined) return undefined
    // together they are refused: checks them one by one to name the one
    for (const [name, value] of Object.entries(settings)) {
      const refusalAlone = await refusalOf({ [name]: value })
      if (refusalAlone !== undefined) return `${name}: ${refusalAlone}`
    }
    return `${Object.keys(settings).join(', ')}: ${refusal}`
  }
}
