// Keys and passwords are read at each use, never stored.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { failed, ok, type Result } from '../std/result.ts'

export type Environment = Readonly<Record<string, string | undefined>>
type SecretSource = { readonly file: string } | { readonly variable: string }

/** Does not hold its text. */
export type Secret = Readonly<{
  /** `file /run/secrets/key` or `variable DORMOUSE_API_KEY`. */
  from: string
  /** Trimmed. The problem is one line without the text. */
  read: () => Result<string, string>
}>

/** Relative paths start in `folder`, that of the configuration file. */
export type ConfigContext = Readonly<{ folder: string; env: Environment }>

/** From `file`, else `variable`; undefined without both. `create` decides what a secret may be. */
export function configuredSecret(
  create: typeof createSecret,
  { file, variable }: Readonly<{ file: string | undefined; variable: string | undefined }>,
  { folder, env }: ConfigContext,
): Secret | undefined {
  if (file !== undefined) return create({ file: resolve(folder, file) }, env)
  return variable === undefined ? undefined : create({ variable }, env)
}

export const secretProblems = (secrets: readonly (Secret | undefined)[]): readonly string[] =>
  secrets.flatMap((secret) => {
    const text = secret?.read()
    return text && !text.ok ? [text.error] : []
  })

export function createSecret(source: SecretSource, environment: Environment): Secret {
  const from = 'file' in source ? `file ${source.file}` : `variable ${source.variable}`
  return {
    from,
    read() {
      const text = 'file' in source ? fileText(source.file) : variableText(environment[source.variable])
      if (!text.ok) return failed(`${from} ${text.error}`)
      const trimmed = text.value.trim()
      if (trimmed === '') return failed(`${from} is empty`)
      if (/\s/.test(trimmed)) return failed(`${from} has white space inside: expected one word`)
      return ok(trimmed)
    },
  }
}

/** A secret that is sent in a header. */
export function createKey(source: SecretSource, environment: Environment): Secret {
  const { from, read } = createSecret(source, environment)
  return {
    from,
    read() {
      const text = read()
      if (!text.ok || /^[\x21-\x7e]+$/.test(text.value)) return text
      return failed(`${from} has letters that no key has: expected ASCII`)
    },
  }
}

const variableText = (value: string | undefined): Result<string, string> =>
  value === undefined ? failed('is not set') : ok(value)

function fileText(path: string): Result<string, string> {
  try {
    return ok(readFileSync(path, 'utf8'))
  } catch (cause) {
    return failed(`cannot be read: ${fileErrorText(cause)}`)
  }
}

const FILE_ERRORS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
}

/** The system's text where we have no plain words. */
export function fileErrorText(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  return ('code' in cause && FILE_ERRORS[String(cause.code)]) || cause.message
}
