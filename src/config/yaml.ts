// Text of a configuration file as values, and where its keys stand.
import {
  isAlias,
  isCollection,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
  type Document,
} from 'yaml'
import { failed, ok, type Result } from '../std/result.ts'
import { fileErrorText, readText } from './secrets.ts'

/** Line of a key, or of an item of a list, from 1; undefined where the file does not have it. */
export type LineOf = (path: readonly (string | number)[]) => number | undefined

type ParsedYaml = Readonly<{ value: unknown; lineOf: LineOf }>

/** Values of a file; problems do not name the file. */
export function readYaml(path: string): ReturnType<typeof parseYaml> {
  try {
    return parseYaml(readText(path))
  } catch (cause) {
    return failed([`cannot be read: ${fileErrorText(cause)}`])
  }
}

/**
 * `{}` for an empty text; problems have line and column. A repeated key is a problem. A key without a value counts as left out, so that
 * every key of a section can be commented out.
 */
function parseYaml(text: string): Result<ParsedYaml, readonly string[]> {
  const lineCounter = new LineCounter()
  const document = parseDocument(text, { lineCounter, prettyErrors: false, logLevel: 'error' })
  const problems = problemsOf(document)
  const lineOf: LineOf = (path) => {
    const at = startOf(document, path)
    return at === undefined ? undefined : lineCounter.linePos(at).line
  }
  if (problems.length === 0)
    return ok({ value: withoutNulls(document.toJS({ maxAliasCount: MAX_ALIASES }) ?? {}), lineOf })
  return failed(
    problems.map(({ at, message }) => {
      const { line, col } = lineCounter.linePos(at)
      return `line ${line}, column ${col}: ${message}`
    }),
  )
}

type Problem = Readonly<{ at: number; message: string }>

const ONE_DOCUMENT = 'A second document begins here: expected one'

/** Levels of lists and keys: ten times as many as a configuration has, and few enough for functions that call themselves for each. */
const MAX_LEVELS = 100
const TOO_DEEP = `Nested too deeply: expected at most ${MAX_LEVELS} levels`

function problemsOf(document: Document.Parsed): readonly Problem[] {
  // the parser, too, calls itself for each level
  const exhausted = document.errors.find(({ code }) => code === 'RESOURCE_EXHAUSTION')
  if (exhausted) return [{ at: exhausted.pos[0], message: TOO_DEEP }]
  const errors = document.errors.map(({ code, pos, message }) => ({
    at: pos[0],
    message: code === 'MULTIPLE_DOCS' ? ONE_DOCUMENT : withoutSource(message),
  }))
  return [...errors, ...structureProblems(document)]
}

function structureProblems(document: Document.Parsed): readonly Problem[] {
  const problems: Problem[] = []
  const add = (node: unknown, message: string | undefined) => {
    if (message !== undefined) problems.push({ at: (isNode(node) && node.range?.[0]) || 0, message })
  }
  visit(document, {
    Collection: (_, node, parents) => {
      if (parents.filter(isCollection).length < MAX_LEVELS) return undefined
      add(node, TOO_DEEP)
      return visit.BREAK
    },
    Pair: (_, { key }) => add(key, isMergeKey(key) ? NO_MERGE : undefined),
    Alias: (_, alias, parents) => add(alias, aliasProblem(alias.resolve(document), parents)),
  })
  return problems
}

const NO_MERGE = 'A merge key: expected the keys themselves, or an alias for a whole value'

const isMergeKey = (key: unknown) => isScalar(key) && key.value === '<<' && key.type === 'PLAIN'

/** Uses of one anchor, times those inside of it: many more than a list of policies has, and their copies still fit into memory. */
const MAX_ALIASES = 10_000

/** @param parents what the alias stands in */
function aliasProblem(anchored: unknown, parents: readonly unknown[]): string | undefined {
  if (!anchored) return 'Alias without an anchor before it'
  return parents.includes(anchored) ? 'Alias inside of its own anchor' : undefined
}

/** Offset at which the key or item begins. */
function startOf(document: Document.Parsed, path: readonly (string | number)[]): number | undefined {
  let found: Found = { value: document.contents, begin: undefined }
  for (const step of path)
    found = childOf(isAlias(found.value) ? found.value.resolve(document) : found.value, step)
  return isNode(found.begin) ? found.begin.range?.[0] : undefined
}

/** `begin`: the key or item. */
type Found = Readonly<{ value: unknown; begin: unknown }>

function childOf(parent: unknown, step: string | number): Found {
  const pair = isMap(parent) ? parent.items.find(({ key }) => isScalar(key) && key.value === step) : undefined
  const item = isSeq(parent) && typeof step === 'number' ? parent.items[step] : undefined
  return { value: pair?.value ?? item, begin: pair?.key ?? item }
}

/** Behind a colon, before `used for` and behind `escape sequence` the parser repeats the file, which may hold a secret in the wrong place. */
const withoutSource = (message: string) =>
  message.replaceAll(/(?<=\S): .*|^.* (?=used for )|(?<=escape sequence) .*/gs, '')

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, inner]) => inner !== null)
  return Object.fromEntries(entries.map(([key, inner]) => [key, withoutNulls(inner)]))
}
