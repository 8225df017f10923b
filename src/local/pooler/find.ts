import { join } from 'node:path'
import { isProgram } from '../compute/owner.ts'

/** Where packages put it; Debian's folder is not on everybody's PATH. */
const USUAL = ['/usr/sbin', '/usr/bin', '/usr/local/sbin', '/usr/local/bin', '/opt/homebrew/bin']

/** What the environment says: `PGBOUNCER` names the program itself, else the folders of `PATH` are searched first. */
export type Environment = { readonly PGBOUNCER?: string | undefined; readonly PATH?: string | undefined }

/** The PgBouncer of this machine; undefined when it has none. */
export function findPgBouncer({ PGBOUNCER: chosen, PATH: path = '' }: Environment): string | undefined {
  const places = chosen
    ? [chosen]
    : [...path.split(':').filter(Boolean), ...USUAL].map((folder) => join(folder, 'pgbouncer'))
  return places.find(isProgram)
}
