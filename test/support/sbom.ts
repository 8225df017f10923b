// Prints the bill of materials of what the daemon is installed with, as CycloneDX: `npm run -s sbom`.
// `npm sbom --omit=dev` would leave out each package that a tool of development needs, too: npm/cli issue 7909. Hence npm gets a manifest and a
// lock file without the others.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

type Manifest = Readonly<{ devDependencies?: unknown; optionalDependencies?: unknown }>
/** `name`: where it is not that of its folder. */
type LockedPackage = Readonly<{
  name?: string
  version?: string
  dev?: true
  optional?: true
  devOptional?: true
}>
type Lock = Readonly<{ packages: Readonly<Record<string, LockedPackage & Manifest>> }>

const CHECKOUT = join(import.meta.dirname, '../..')
const readJson = (name: string): unknown => JSON.parse(readFileSync(join(CHECKOUT, name), 'utf8'))

/** Path → package, of those that are installed without development and optional ones. */
export const productionPackages = (): readonly (readonly [path: string, LockedPackage])[] =>
  Object.entries((readJson('package-lock.json') as Lock).packages).filter(
    ([path, { dev, optional, devOptional }]) => path !== '' && !dev && !optional && !devOptional,
  )

const withoutOthers = ({
  devDependencies: _dev,
  optionalDependencies: _optional,
  ...manifest
}: Manifest): object => manifest

export function billOfMaterials(): string {
  const parent = mkdtempSync(join(tmpdir(), 'dormouse-sbom-'))
  // npm names the application by its folder
  const folder = join(parent, 'dormouse')
  try {
    mkdirSync(folder)
    const lock = readJson('package-lock.json') as Lock
    const packages = {
      '': withoutOthers(lock.packages[''] ?? {}),
      ...Object.fromEntries(productionPackages()),
    }
    const files = {
      'package.json': withoutOthers(readJson('package.json') as Manifest),
      'package-lock.json': { ...lock, packages },
    }
    for (const [name, content] of Object.entries(files))
      writeFileSync(join(folder, name), JSON.stringify(content))
    const words = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application']
    return execFileSync('npm', words, { cwd: folder, encoding: 'utf8' })
  } finally {
    rmSync(parent, { recursive: true })
  }
}

if (import.meta.main) process.stdout.write(billOfMaterials())
