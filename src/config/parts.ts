import { array, enum as oneOf, int, NEVER, string, union, type z } from 'zod'
import { createZone } from '../calendar/zone.ts'
import { failed, ok, type Result } from '../std/result.ts'
import { nearestWord } from './suggestions.ts'

export const someText = string().min(1)
export const optionalText = someText.optional()
const NO_FILE = 'expected the path of a file'
const NO_VARIABLE = 'expected the name of a variable'

export const secretFile = string(NO_FILE).min(1, NO_FILE).optional()
export const secretVariable = string(NO_VARIABLE).min(1, NO_VARIABLE).optional()

/** Name of an account, budget or receiver: a label of metrics and a part of keys. */
export const labelSchema = string().regex(/^[a-z0-9-]{1,40}$/, 'expected 1 to 40 of the characters a-z 0-9 -')

export const wholeNumberSchema = (least: number, most: number) => {
  const expected = `expected a whole number from ${least} to ${most}`
  return int(expected).min(least, expected).max(most, expected)
}

export const parsed =
  <Value>(parse: (text: string) => Result<Value, string>) =>
  (text: string, context: z.RefinementCtx): Value => {
    const result = parse(text)
    if (result.ok) return result.value
    context.addIssue(result.error)
    return NEVER
  }

/** The problem is `expected` where `parse` returns undefined. */
export const parsedOr = <Value>(expected: string, parse: (text: string) => Value | undefined) =>
  parsed((text) => {
    const value = parse(text)
    return value === undefined ? failed(expected) : ok(value)
  })

/** A misspelt name is answered with the nearest. */
export const zoneSchema = string('expected an IANA name such as Europe/Berlin').transform(
  parsed((name) => {
    const zone = createZone(name)
    if (zone.ok) return zone
    const near = name.includes('/') ? nearestWord(name, Intl.supportedValuesOf('timeZone')) : undefined
    return near === undefined ? zone : failed(`expected an IANA name, did you mean ${near}?`)
  }),
)

/** For the default file and for editors. */
export const example = <Value>(value: Value) => ({ examples: [value] })

type Parsing = Readonly<{
  value: unknown
  issues: readonly { readonly path?: readonly PropertyKey[] | undefined }[]
}>

/** The refinement of `keys` runs although other keys have problems, so that all are reported together. */
export const ofObject = (error: string, ...keys: readonly string[]) => ({
  error,
  when: ({ value, issues }: Parsing) =>
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !issues.some(({ path }) => keys.includes(String(path?.[0]))),
})

type CamelCase<Key> = Key extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Key
export type CamelKeys<Entry> = { [Key in keyof Entry as CamelCase<Key>]: Entry[Key] }

/** `max_age` becomes `maxAge`. */
function camelKeys<Entry extends object>(entry: Entry): CamelKeys<Entry>
function camelKeys(entry: object): object {
  return Object.fromEntries(Object.entries(entry).map(([key, value]) => [camelCase(key), value]))
}
export { camelKeys }

const camelCase = (key: string) => key.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

const PATTERNS = 'expected a pattern such as preview-*, or a list of them'

const patterns = union(
  [string().min(1, PATTERNS), array(string().min(1, PATTERNS)).min(1, PATTERNS)],
  PATTERNS,
).transform((given) => [given].flat())

const branches = patterns.refine((given) => given.every((pattern) => /^(br-|[*?])/.test(pattern)), {
  error: 'expected ids of branches, which begin with br-: the service tells no names',
})

export const selectorShape = {
  project: patterns.optional().describe('Ids or names of projects; * stands for any text.'),
  branch: branches.optional().describe('Ids of branches.'),
  compute: patterns.optional().describe('Ids or names of computes.'),
  type: oneOf(['read_write', 'read_only']).optional().describe('Only primaries, or only replicas.'),
}
