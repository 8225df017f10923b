// The Dockerfile as data, and the files of the checkout that it can see.
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { DockerfileParser, PropertyInstruction, type Copy, type Instruction } from 'dockerfile-ast'

export const CHECKOUT = join(import.meta.dirname, '../..')
export const DOCKERFILE = readFileSync(join(CHECKOUT, 'Dockerfile'), 'utf8')

/** `from`: a stage in place of the checkout. `mode`: of what is copied, in place of its own. */
export type CopyStep = Readonly<{ from?: string; mode?: number; sources: readonly string[]; target: string }>

/** Words of the JSON form; undefined in the form that a shell reads. */
export type Run = Readonly<{ words: readonly string[] | undefined; text: string }>

export type Step = Readonly<{ copy: CopyStep } | { run: Run }>

export type Stage = Readonly<{
  image: string
  name: string | undefined
  /** `COPY` and `RUN`, in order. */
  steps: readonly Step[]
  /** Names and values of `ARG` and `ENV`. */
  args: Readonly<Record<string, string>>
  env: Readonly<Record<string, string>>
  labels: Readonly<Record<string, string>>
  user: string | undefined
  folder: string
  volumes: readonly string[]
  ports: readonly string[]
  /** Instructions that start a program in the container. */
  entrypoint: Run | undefined
  command: Run | undefined
  health: Run | undefined
}>

/** In order; the last one is the image. */
export function stagesOf(text: string): readonly Stage[] {
  const instructions = DockerfileParser.parse(text).getInstructions()
  const starts = instructions.flatMap((one, at) => (one.getKeyword() === 'FROM' ? [at] : []))
  const initial = propertiesOf(instructions.slice(0, starts[0]), 'ARG')
  return starts.map((start, at) => stageOf(instructions.slice(start, starts[at + 1]), initial))
}

function stageOf(instructions: readonly Instruction[], initial: Readonly<Record<string, string>>): Stage {
  const all = (keyword: string) => instructions.filter((one) => one.getKeyword() === keyword)
  const valuesOf = (keyword: string) =>
    all(keyword).flatMap((one) => one.getArguments().map((word) => word.getValue()))
  const last = (keyword: string) =>
    all(keyword)
      .map((one) => runOf(one))
      .at(-1)
  const [image = '', , name] = valuesOf('FROM')
  return {
    image: image.replaceAll(/\$\{(\w+)\}/g, (_, variable: string) => initial[variable] ?? ''),
    name,
    steps: instructions.flatMap((one): readonly Step[] => {
      if (one.getKeyword() === 'COPY') return [{ copy: copyOf(one as Copy) }]
      return one.getKeyword() === 'RUN' ? [{ run: runOf(one) }] : []
    }),
    args: propertiesOf(instructions, 'ARG'),
    env: propertiesOf(instructions, 'ENV'),
    labels: propertiesOf(instructions, 'LABEL'),
    user: valuesOf('USER').at(-1),
    folder: valuesOf('WORKDIR').at(-1) ?? '/',
    volumes: all('VOLUME').flatMap((one) => runOf(one).words ?? []),
    ports: valuesOf('EXPOSE'),
    entrypoint: last('ENTRYPOINT'),
    command: last('CMD'),
    health: last('HEALTHCHECK'),
  }
}

const propertiesOf = (
  instructions: readonly Instruction[],
  keyword: string,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    instructions
      .filter((one) => one.getKeyword() === keyword)
      .flatMap((one) => (one instanceof PropertyInstruction ? one.getProperties() : []))
      .map((property) => [property.getName(), property.getValue() ?? '']),
  )

function copyOf(copy: Copy): CopyStep {
  const words = copy.getArguments().map((word) => word.getValue())
  const flag = (name: string) =>
    copy
      .getFlags()
      .find((one) => one.getName() === name)
      ?.getValue() ?? undefined
  const [from, mode] = [flag('from'), flag('chmod')]
  return {
    ...(from !== undefined && { from }),
    ...(mode !== undefined && { mode: Number.parseInt(mode, 8) }),
    sources: words.slice(0, -1),
    target: words.at(-1) ?? '',
  }
}

/** Without the flags, and for a health check without its word `CMD`. */
function runOf(one: Instruction): Run {
  const words = one.getArguments().map((word) => word.getValue())
  const text = (one.getKeyword() === 'HEALTHCHECK' ? words.slice(1) : words).join(' ')
  const isJson = text.startsWith('[')
  return { words: isJson ? (JSON.parse(text) as string[]) : undefined, text }
}

/** Files that a build gets: those of `paths`, relative to the checkout, that `.dockerignore` leaves. The last line that fits decides. */
export function contextOf(paths: readonly string[]): readonly string[] {
  const lines = readFileSync(join(CHECKOUT, '.dockerignore'), 'utf8').split('\n')
  const rules = lines.filter((line) => line !== '' && !line.startsWith('#')).map(ruleOf)
  return paths.filter((path) => !(rules.findLast(({ pattern }) => pattern.test(path))?.excludes ?? false))
}

/** `*` is any part of a name, `**` any folders; what fits a folder fits all in it. Source: Docker, "Dockerignore files". */
function ruleOf(line: string) {
  const parts = line.replace(/^!/, '').split(/(\*\*\/|\*)/)
  const source = parts
    .map((part) => ({ '**/': '(?:.*/)?', '*': '[^/]*' })[part] ?? RegExp.escape(part))
    .join('')
  return { excludes: !line.startsWith('!'), pattern: new RegExp(`^${source}(?:/.*)?$`) }
}

/** All files of the checkout but what is installed and what belongs to git. */
export function checkoutFiles(): readonly string[] {
  const top = readdirSync(CHECKOUT, { withFileTypes: true }).filter(
    ({ name }) => name !== 'node_modules' && name !== '.git',
  )
  return top.flatMap((entry) =>
    entry.isDirectory()
      ? readdirSync(join(CHECKOUT, entry.name), { recursive: true, withFileTypes: true })
          .filter((inner) => inner.isFile())
          .map((inner) => relative(CHECKOUT, join(inner.parentPath, inner.name)))
      : [entry.name],
  )
}
