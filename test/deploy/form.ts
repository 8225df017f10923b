// A form of deployment, such as a pod, beside what the program itself expects: its configuration schema, routes, launcher and image.
import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { parse } from 'yaml'
import { configJsonSchema } from '../../src/config/json-schema.ts'
import { parseWithSchema } from '../../src/config/problems.ts'
import { configSchema, type ConfigEntry } from '../../src/config/schema.ts'
import { isLoopback } from '../../src/config/units.ts'
import { telemetryApp } from '../../src/daemon/http/telemetry.ts'
import { DOCKERFILE, stagesOf } from '../container/dockerfile.ts'
import { ROOT } from '../support/generate.ts'

export const DEPLOY = join(ROOT, 'config/deploy')

export type Form = {
  /** Text of the configuration that is mounted. */
  readonly config: string
  /** Words that start the daemon in the folder of the program. */
  readonly command: readonly string[]
  /** Variables that are set. */
  readonly variables: readonly string[]
  /** Paths of files that the daemon can read. */
  readonly files: readonly string[]
  /** Durable folders that it can write to. */
  readonly folders: readonly string[]
  /** Ports at which it is expected to serve telemetry. */
  readonly ports: readonly number[]
  /** Paths that are asked for there. */
  readonly paths: readonly string[]
}

/** Every setting of `form` that the program does not know or that does not fit the configuration. Each is one sentence. */
export function formProblems(form: Form): readonly string[] {
  const config = parseWithSchema(configSchema, parse(form.config), configJsonSchema)
  if (!config.ok) return config.error
  const { server, store } = config.value
  const { port } = server.telemetry
  return [
    ...secretProblems(config.value, form),
    ...commandProblems(form),
    ...(isLoopback(server.telemetry) ? ['server.telemetry: Prometheus cannot reach the loopback'] : []),
    ...form.ports.flatMap((named) =>
      named === port ? [] : [`port ${named} is not that of server.telemetry, ${port}`],
    ),
    ...form.paths.flatMap((path) => (ROUTES.has(path) ? [] : [`telemetry has no ${path}`])),
    ...(form.folders.some((folder) => isWithin(store.folder, folder))
      ? []
      : [`store.folder: ${store.folder} is not durable`]),
  ]
}

/** Variables of the environment that are not secrets: those of `npm start`, and what the launcher reads. */
const KNOWN_VARIABLES = [
  (
    JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      scripts: { start: string }
    }
  ).scripts.start,
  readFileSync(join(ROOT, 'src/dormouse.mjs'), 'utf8'),
].join('\n')

function secretProblems({ accounts }: ConfigEntry, { files, variables }: Form): readonly string[] {
  const namedFiles = accounts.flatMap(({ apiKeyFile, dsnPasswordFile }) => [apiKeyFile, dsnPasswordFile])
  const namedVariables = accounts.flatMap(({ apiKeyEnv, dsnPasswordEnv }) => [apiKeyEnv, dsnPasswordEnv])
  return [
    ...namedFiles.flatMap((file) =>
      file === undefined || files.includes(file) ? [] : [`the configuration names ${file}: no such file`],
    ),
    ...namedVariables.flatMap((name) =>
      name === undefined || variables.includes(name)
        ? []
        : [`the configuration names ${name}: it is not set`],
    ),
    ...variables.flatMap((name) =>
      namedVariables.includes(name) || new RegExp(`\\b${name}\\b`).test(KNOWN_VARIABLES)
        ? []
        : [`nothing reads the variable ${name}`],
    ),
  ]
}

/** The image that the Dockerfile builds. */
export const IMAGE = stagesOf(DOCKERFILE).at(-1)

/** The command of the image but for the file of the configuration, and the folder of Node on a machine. */
function commandProblems({ command, files }: Form): readonly string[] {
  const expected = IMAGE?.command?.words ?? []
  const [program, ...rest] = command
  const file = rest.at(-1) ?? ''
  const isThat =
    basename(program ?? '') === expected[0] && isDeepStrictEqual(rest.slice(0, -1), expected.slice(1, -1))
  return [
    ...(isThat ? [] : [`the command is ${command.join(' ')}`]),
    ...(files.includes(file) ? [] : [`the command names ${file}: no such file`]),
  ]
}

const isWithin = (path: string, folder: string): boolean =>
  path === folder || (dirname(path) !== path && isWithin(dirname(path), folder))

const never = () => {
  throw new Error('no request is made')
}

/** Paths that the telemetry listener serves. */
const ROUTES: ReadonlySet<string> = new Set(
  telemetryApp({
    healthy: never,
    notReady: never,
    exposition: { publish: never, body: never },
    snapshot: never,
    clock: { yield: never },
    counted: never,
  }).routes.map(({ path }) => path),
)
