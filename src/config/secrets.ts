// The only reader of the environment. Keys and passwords are read at each use, never stored.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { failed, ok, type Result } from '../std/result.ts'

export type Environment = Readonly<Record<string, string | undefined>>

export const processEnvironment = (): Environment => process.env

type SecretSource = { readonly file: string } | { readonly variable: string }

/** `learn` is told every secret that is read, so that outputs leave it out. */
export type SecretAccess = Readonly<{ env: Environment; learn: (secret: string) => void }>

/** Does not hold its text. */
export type Secret = Readonly<{
  /** Key of the configuration, such as `api_key_file`; not its value, which may be a secret in the wrong place. */
  from: string
  /** Tells a changed receiver from an unchanged one. Not for messages, as above. */
  source: SecretSource
  /** Trimmed. The problem begins with `from` and holds neither the text nor where it was looked for. */
  read: () => Result<string, string>
}>

/** Relative paths start in `folder`, that of the configuration file. */
export type ConfigContext = SecretAccess &
  Readonly<{
    folder: string
    /** Whether a secret that cannot be read is a problem of the configuration. */
    checksSecrets: boolean
  }>

type ConfiguredSource = Readonly<{
  /** Beginning of its two keys, before `_file` and `_env`. */
  name: string
  file: string | undefined
  variable: string | undefined
}>

/** From `file`, else `variable`; undefined without both. `create` decides what a secret may be. */
export function configuredSecret(
  create: typeof createSecret,
  { name, file, variable }: ConfiguredSource,
  context: ConfigContext,
): Secret | undefined {
  if (file !== undefined) return create(`${name}_file`, { file: resolve(context.folder, file) }, context)
  return variable === undefined ? undefined : create(`${name}_env`, { variable }, context)
}

export const secretProblems = (
  path: string,
  secrets: readonly (Secret | undefined)[],
  { checksSecrets }: Pick<ConfigContext, 'checksSecrets'>,
): readonly string[] =>
  (checksSecrets ? secrets : []).flatMap((secret) => {
    const text = secret?.read()
    return text && !text.ok ? [`${path}.${text.error}`] : []
  })

export function createSecret(from: string, source: SecretSource, { env, learn }: SecretAccess): Secret {
  const place = `${from}: the ${'file' in source ? 'file' : 'variable'}`
  return {
    from,
    source,
    read() {
      const text = 'file' in source ? fileText(source.file) : variableText(env[source.variable])
      if (!text.ok) return failed(`${place} ${text.error}`)
      const trimmed = text.value.trim()
      if (trimmed === '') return failed(`${place} is empty`)
      learn(trimmed)
      return /\s/.test(trimmed) ? failed(`${place} has white space inside: expected one word`) : ok(trimmed)
    },
  }
}

/** A secret that is sent in a header. */
export function createKey(from: string, source: SecretSource, access: SecretAccess): Secret {
  const { read } = createSecret(from, source, access)
  return {
    from,
    source,
    read() {
      const text = read()
      if (!text.ok || /^[\x21-\x7e]+$/.test(text.value)) return text
      return failed(`${from}: its text has letters that no key has, expected ASCII`)
    },
  }
}

const variableText = (value: string | undefined): Result<string, string> =>
  value === undefined ? failed('is not set') : ok(value)

function fileText(path: string): Result<string, string> {
  try {
    return ok(readText(path))
  } catch (cause) {
    return failed(`cannot be read: ${fileErrorText(cause)}`)
  }
}

/** @throws also for another encoding, whose letters would become others */
export const readText = (path: string): string =>
  new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path))

const FILE_ERRORS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'its text is not UTF-8',
}

/** The system's code where we have no plain words: its text names the path. */
export function fileErrorText(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'no reason given'
  return FILE_ERRORS[code] ?? code
}
