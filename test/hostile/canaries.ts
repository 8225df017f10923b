// Canaries: texts that stand for the secrets of a configuration and must not come out again, whatever the neighbours do.
import { configJsonSchema, type JsonSchema } from '../../src/config/json-schema.ts'
import { ENCODINGS } from '../support/encodings.ts'

/** Letters, digits and characters that some encodings escape; ASCII, because a key is a header. */
export const canaryOf = (name: string): string => `c4nary/${name}+Qz7~"\\'%41-${name.length}x9Kf`

/** `accounts[].api_key_file`: every key of the configuration that names the place of a secret. */
export const secretPaths = (): readonly string[] =>
  [...new Set(leavesOf(configJsonSchema(), ''))].filter((path) => /_(file|env)$/.test(path)).toSorted()

/** Paths of all keys with a value. */
export function leavesOf(schema: JsonSchema, path: string): readonly string[] {
  const { properties = {}, items, additionalProperties, anyOf = [] } = schema
  const inner = [
    ...Object.entries(properties).flatMap(([key, value]) =>
      leavesOf(value, path === '' ? key : `${path}.${key}`),
    ),
    ...(items ? leavesOf(items, `${path}[]`) : []),
    ...(additionalProperties ? leavesOf(additionalProperties, `${path}.*`) : []),
    ...anyOf.flatMap((form) => leavesOf(form, path)),
  ]
  return inner.length === 0 ? [path] : inner
}

/** `log: api-key as base64`, for each output that holds a canary in some encoding. */
export const hitsIn = (
  outputs: Readonly<Record<string, string>>,
  canaries: Readonly<Record<string, string>>,
): readonly string[] =>
  Object.entries(outputs).flatMap(([output, text]) =>
    Object.entries(canaries).flatMap(([name, canary]) =>
      Object.entries(ENCODINGS)
        .filter(([, encode]) => text.includes(encode(canary)))
        .map(([encoding]) => `${output}: ${name} as ${encoding}`),
    ),
  )

/** Every encoding of a secret, as one line of a hostile neighbour. */
export const everyEncoding = (secret: string): readonly string[] =>
  Object.values(ENCODINGS).map((encode) => `refused ${encode(secret)} here`)
