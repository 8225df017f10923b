import type { PgSettings } from '../control/project.ts'
import { createGate } from './gate.ts'
import { runCommand } from './process.ts'
import type { Cluster } from './server.ts'

/** Why Postgres refuses these settings, naming the first; undefined when it accepts them. */
export type SettingsCheck = (settings: PgSettings) => Promise<string | undefined>

/** The first Postgres with `--check`; older ones use `--boot`. */
const CHECK_OPTION = 15

/** Checks settings by a real server program, about 10 ms each. */
export function createSettingsCheck(template: string, { binaries, owner }: Cluster): SettingsCheck {
  const gate = createGate(1) // a check holds the template's lock file
  const check = binaries.major >= CHECK_OPTION ? ['--check'] : ['--boot', '-x0']
  const refusalOf = async (settings: PgSettings) => {
    const values = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const args = [...check, '-D', template, ...values]
    const output = await gate(() => runCommand(`${binaries.folder}/postgres`, args, owner))
    return output === undefined ? undefined : (/(?:FATAL|ERROR): +([^\n]*)/.exec(output)?.[1] ?? output)
  }
  return async (settings) => {
    if (Object.keys(settings).length === 0) return undefined
    const refusal = await refusalOf(settings)
    if (refusal === undefined) return undefined
    // names the one that is refused
    for (const [name, value] of Object.entries(settings)) {
      const refusalAlone = await refusalOf({ [name]: value })
      if (refusalAlone !== undefined) return `${name}: ${refusalAlone}`
    }
    return `${Object.keys(settings).join(', ')}: ${refusal}`
  }
}
