import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'

/** Folders of the system's programs, including those that only root has on its path. */
const FOLDERS = [...(process.env['PATH'] ?? '').split(':'), '/usr/sbin', '/sbin']

/** Programs that some tests need. Postgres is not among them: the local service names it when it finds none. */
const PROGRAMS = [
  'amtool',
  'bash',
  'chromium',
  'gzip',
  'kubectl',
  'pgbench',
  'pgbouncer',
  'prlimit',
  'prometheus',
  'prometheus-alertmanager',
  'promtool',
  'psql',
  'systemd-analyze',
] as const

export type Program = (typeof PROGRAMS)[number]

export function isInstalled(program: Program): boolean {
  return FOLDERS.some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

export const missingPrograms = (): readonly Program[] => PROGRAMS.filter((program) => !isInstalled(program))
