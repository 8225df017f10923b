// The image without a Docker daemon: its files in a folder in place of `/`, writable for nobody, and its program run as its user.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, constants, copyFileSync, cpSync, existsSync, mkdirSync } from 'node:fs'
import { readdirSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { memoryFolder } from '../support/folder.ts'
import { productionPackages } from '../support/sbom.ts'
import {
  CHECKOUT,
  checkoutFiles,
  contextOf,
  DOCKERFILE,
  stagesOf,
  type CopyStep,
  type Stage,
} from './dockerfile.ts'

/** Runs the command of the first stage in a folder with its files, or does what it does. */
type Install = (folder: string, command: string) => void

/**
 * What the image keeps, as the Dockerfile says: from npm's cache, which the checkout's own `npm ci` has filled, else from the registry. The
 * packages of development are those of the checkout.
 */
export const installFromRegistry: Install = (folder, command) => {
  if (!command.includes('--omit=dev')) return linkPackages(folder)
  const env = { ...process.env, npm_config_prefer_offline: 'true' }
  execFileSync('sh', ['-c', command], { cwd: folder, stdio: 'pipe', env })
}

/** The same packages from the checkout; links to all of them where those of development are wanted, too. */
export const installFromCheckout: Install = (folder, command) => {
  if (!command.includes('--omit=dev')) return linkPackages(folder)
  for (const [path] of productionPackages())
    cpSync(join(CHECKOUT, path), join(folder, path), { recursive: true, dereference: true })
}

/** Into a folder of its own: a test may add to it. */
function linkPackages(folder: string): void {
  const from = join(CHECKOUT, 'node_modules')
  const to = join(folder, 'node_modules')
  mkdirSync(to)
  for (const name of readdirSync(from)) symlinkSync(join(from, name), join(to, name))
}

type Running = Readonly<{
  out: () => string
  stop: () => void
  /** Exit code or signal. */
  ended: Promise<number | NodeJS.Signals | null>
}>

export type Layout = Disposable & {
  readonly image: Stage
  /** Where a path of the image lies. */
  readonly at: (path: string) => string
  /** A program of the image as its user, with the variables of the image and `env` alone, and without a home. */
  readonly run: (words: readonly string[], env?: Readonly<Record<string, string>>) => Running
  /** Makes a file as orchestrators mount them: it belongs to root, and the group of the image's user may read it. */
  readonly mount: (path: string, text: string) => void
  /** Files and folders outside of the volume, each with its time of change. */
  readonly unwritable: () => readonly string[]
}

const isRoot = process.getuid?.() === 0
/** Without it a file of the program could be changed. */
const NO_WRITE = 0o555

export function layOut(install: Install): Layout {
  const root = memoryFolder('dormouse-container-')
  chmodSync(root, 0o755)
  const at = (path: string) => join(root, path)
  const stages = stagesOf(DOCKERFILE)
  const image = stages.at(-1)
  if (!image) throw new Error('the Dockerfile has no stage')
  const [user = 0, group = 0] = (image.user ?? '').split(':').map(Number)
  const give = (path: string, owner: number) => {
    if (isRoot) chownSync(path, owner, group)
  }
  const variables = Object.entries(image.env).map(([name, value]) => [
    name,
    value.startsWith('/') ? at(value) : value,
  ])
  const env = { HOME: at('home'), ...Object.fromEntries(variables) }
  const options = { cwd: at(image.folder), ...(isRoot && { uid: user, gid: group }) }
  // the Node of the tests, also where the image's user could not reach it
  const node = at('node')
  copyFileSync(process.execPath, node, constants.COPYFILE_FICLONE)
  const outsideVolume = () =>
    allBelow(root).filter((path) => !image.volumes.some((volume) => path.startsWith(at(volume))))

  layCheckout(at('checkout'))
  /** In the image as its user and with its variables, in other stages as whoever builds. */
  const program = (words: readonly string[], folder?: string) =>
    execFileSync(node, words.slice(1), folder === undefined ? { ...options, env } : { cwd: folder })
  for (const stage of stages)
    followSteps(stage, root, {
      install,
      program,
      made: (folder) => give(folder, user),
    })
  for (const made of ['checkout', 'stages']) rmSync(at(made), { recursive: true })
  for (const path of outsideVolume()) chmodSync(path, statSync(path).mode & NO_WRITE)

  return {
    image,
    at,
    run(words, more = {}) {
      const child = spawn(node, words.slice(1), {
        ...options,
        env: { ...env, ...more },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      let said = ''
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (text: string) => (said += text))
      const ended = once(child, 'close').then(() => child.exitCode ?? child.signalCode)
      return { out: () => said, stop: () => void child.kill('SIGTERM'), ended }
    },
    mount(path, text) {
      const parent = existingParent(at(path))
      const { mode } = statSync(parent)
      chmodSync(parent, 0o700)
      mkdirSync(dirname(at(path)), { recursive: true })
      writeFileSync(at(path), text, { mode: isRoot ? 0o440 : 0o400 })
      give(at(path), 0)
      chmodSync(parent, mode)
    },
    unwritable: () => outsideVolume().map((path) => `${path} ${statSync(path).ctimeMs}`),
    [Symbol.dispose]() {
      for (const path of allBelow(root)) if (statSync(path).isDirectory()) chmodSync(path, 0o700)
      rmSync(root, { recursive: true })
    },
  }
}

/** Nearest folder that exists: an engine makes mount points also where the image is writable for nobody. */
const existingParent = (path: string): string =>
  existsSync(dirname(path)) ? dirname(path) : existingParent(dirname(path))

type Builders = Readonly<{
  install: Install
  /** Runs a command of the JSON form, in the folder of a stage or in the image. */
  program: (words: readonly string[], folder?: string) => void
  made: (folder: string) => void
}>

/** `COPY` and `RUN` of a stage; the last one, which is the image, has no name. */
function followSteps(
  { name, folder, steps }: Stage,
  root: string,
  { install, program, made }: Builders,
): void {
  const rootOf = (stage: string) => join(root, 'stages', stage)
  const here = join(name === undefined ? root : rootOf(name), folder)
  mkdirSync(here, { recursive: true })
  for (const step of steps) {
    if ('copy' in step) {
      const { from } = step.copy
      copyStep(step.copy, from === undefined ? join(root, 'checkout') : rootOf(from), here)
    } else if (step.run.words) program(step.run.words, name === undefined ? undefined : here)
    else if (name === undefined) for (const path of foldersMade(root, step.run.text)) made(path)
    else install(here, step.run.text)
  }
}

/** What a build gets, of a private checkout: the files of the image must be readable nevertheless. */
function layCheckout(folder: string): void {
  for (const path of contextOf(checkoutFiles())) copyWithMode(join(CHECKOUT, path), join(folder, path), 0o600)
}

/** Folders of `install --directory --mode=0700 /one /two`, whose user need not exist here. */
function foldersMade(root: string, command: string): readonly string[] {
  const [, mode = '', paths = ''] = /install --directory .*?--mode=(\d+) (.*)$/.exec(command) ?? []
  const folders = paths.split(' ').map((path) => join(root, path))
  for (const folder of folders) {
    mkdirSync(folder, { recursive: true })
    chmodSync(folder, Number.parseInt(mode, 8))
  }
  return folders
}

/** A file, or a folder's content, as COPY does. What an earlier stage made is moved: the stage is not needed any more. */
function copyStep({ sources, target, mode, from: stage }: CopyStep, from: string, folder: string): void {
  for (const source of sources) {
    const origin = join(from, source)
    const isFolder = statSync(origin).isDirectory()
    const to =
      isFolder || !target.endsWith('/') ? join(folder, target) : join(folder, target, basename(source))
    if (stage !== undefined) moveFolder(origin, to, mode)
    else if (!isFolder) copyWithMode(origin, to, mode ?? statSync(origin).mode)
    else
      for (const path of allBelow(origin))
        if (statSync(path).isFile())
          copyWithMode(path, join(to, path.slice(origin.length)), mode ?? statSync(path).mode)
  }
}

function moveFolder(from: string, to: string, mode: number | undefined): void {
  renameSync(from, to)
  if (mode !== undefined) for (const path of allBelow(to)) chmodSync(path, mode)
}

function copyWithMode(from: string, to: string, mode: number): void {
  mkdirSync(dirname(to), { recursive: true })
  copyFileSync(from, to)
  chmodSync(to, mode)
}

/**
 * The folder itself first. Links are left out and not followed, as `readdirSync` with `recursive` does: a change of mode through one
 * would reach files outside of the folder.
 */
const allBelow = (folder: string): readonly string[] => [
  folder,
  ...readdirSync(folder, { withFileTypes: true })
    .filter((entry) => !entry.isSymbolicLink())
    .flatMap((entry) =>
      entry.isDirectory() ? allBelow(join(folder, entry.name)) : [join(folder, entry.name)],
    ),
]
