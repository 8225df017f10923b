// A wrong value throws for commander, which names the option and ends with exit code 2.
import { statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { InvalidArgumentError } from 'commander'
import { durationText, parseDuration } from '../../config/units.ts'
import { LONGEST_AUTOSUSPEND_DELAY, type AutosuspendDelay, type Sizing } from '../../model/service/compute.ts'
import { foreignFolderProblem } from '../../store/private-files.ts'
import { failed, ok, type Result } from '../../std/result.ts'
import { sanitize } from '../../std/sanitize.ts'
import { cu, seconds, type Cu, type Seconds } from '../../model/units.ts'
import type { Io } from './io.ts'

/** Stands for the service's default, on the wire as in `ComputeSettings`. */
export const DELAY_OF_SERVICE = seconds(0)

/** Parser of an id of the service, safe in a path. */
const idParser =
  (example: string) =>
  (text: string): string => {
    if (/^[\w-]{1,100}$/.test(text)) return text
    throw new InvalidArgumentError(`Expected an id such as ${example}.`)
  }

export const parseEndpointId = idParser('ep-cool-name-a1b2c3')
export const parseBranchId = idParser('br-cool-name-a1b2c3')
export const parseProjectId = idParser('cool-name-12345678')
export const parseOrgId = idParser('org-cool-name-12345678')

export function parseCu(text: string): Cu {
  if (/^\d{1,3}(\.\d+)?$/.test(text) && Number(text) > 0) return cu(Number(text))
  throw new InvalidArgumentError('Expected a size in CU such as 0.25 or 2.')
}

/** `300s`, `5m`, `never`, `default`. */
export function parseDelay(text: string): AutosuspendDelay {
  if (text === 'never') return 'never'
  if (text === 'default') return DELAY_OF_SERVICE
  const delay = parseDuration(text)
  if (delay !== undefined && Number.isInteger(delay) && delay > 0 && delay <= LONGEST_AUTOSUSPEND_DELAY)
    return delay
  throw new InvalidArgumentError(
    'Expected never, default, or whole seconds up to 7 days such as 300s, 5m or 1h.',
  )
}

export const delayText = (delay: AutosuspendDelay | undefined): string => {
  if (delay === undefined) return 'default'
  return delay === 'never' ? 'never' : durationText(delay)
}

/** 24 days: a clock cannot sleep longer at a time. */
const MAX_LENGTH = 24 * 86_400

/** Above 0: `500ms`, `60s`, `5m`. */
export function parseLength(text: string): Seconds {
  const length = parseDuration(text)
  if (length !== undefined && length > 0 && length <= MAX_LENGTH) return length
  throw new InvalidArgumentError('Expected a length of time up to 24d, such as 500ms, 60s or 5m.')
}

export const parseWholeFrom =
  (least: number, most: number) =>
  (text: string): number => {
    const number = Number(text)
    if (/^\d{1,12}$/.test(text) && number >= least && number <= most) return number
    throw new InvalidArgumentError(`Expected a whole number from ${least} to ${most}.`)
  }

export function parseKeyId(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Expected the number of a key.')
}

export type SizingFlags = Readonly<{ cu?: Cu; minCu?: Cu; maxCu?: Cu }>

/** Undefined if none is given. */
export function parseSizing({
  cu: fixed,
  minCu: min,
  maxCu: max,
}: SizingFlags): Result<Sizing | undefined, string> {
  if (fixed !== undefined)
    return min === undefined && max === undefined
      ? ok({ fixed })
      : failed('give either --cu or --min-cu and --max-cu')
  if (min === undefined && max === undefined) return ok(undefined)
  if (min === undefined || max === undefined) return failed('--min-cu and --max-cu go together')
  if (min > max) return failed(`--min-cu ${min} is above --max-cu ${max}`)
  return ok(min === max ? { fixed: min } : { min, max })
}

const SELECTOR = 'expected project=…, compute=…, branch=… or type=…, or an id such as ep-cool-name-a1b2c3'

/** `project=dev-*`, `type=read_only`, `ep-…`, `br-…`: patterns by key, as the API takes them. The problem names the word. */
export function parseSelector(
  words: readonly string[],
): Result<Readonly<Record<string, string | readonly string[]>>, string> {
  const conditions = words.map(conditionOf)
  const wrong = words.find((_, index) => !conditions[index])
  if (wrong !== undefined) return failed(`${SELECTOR}, got ${sanitize(wrong)}`)
  const byKey = Map.groupBy(
    conditions.flatMap((one) => one ?? []),
    ({ key }) => key,
  )
  if ((byKey.get('type') ?? []).length > 1) return failed('type: expected one')
  const patterns = [...byKey].map(([key, found]) => {
    const list = found.map(({ pattern }) => pattern)
    return [key, key === 'type' ? list.join('') : list] as const
  })
  return ok(Object.fromEntries(patterns))
}

/** Undefined for a word that is none. */
function conditionOf(word: string) {
  const named = word.startsWith('ep-') ? `compute=${word}` : word.startsWith('br-') ? `branch=${word}` : word
  const [, key, pattern] = /^(project|compute|branch|type)=(.+)$/.exec(named) ?? []
  return key === undefined || pattern === undefined ? undefined : { key, pattern }
}

/** Absolute; undefined if none is given. The problem names the option. */
export function parseFolderOption(option: string, text: string | undefined, { cwd }: Io) {
  if (text === undefined) return ok(undefined)
  const folder = resolve(cwd, text)
  const existing = nearestExisting(folder)
  if (!isFolder(existing)) return failed(`${option}: ${existing} is a file, expected a folder`)
  const problem = foreignFolderProblem(folder)
  return problem === undefined ? ok(folder) : failed(`${option}: ${problem}`)
}

function nearestExisting(path: string): string {
  const exists = statSync(path, { throwIfNoEntry: false }) !== undefined
  return exists || dirname(path) === path ? path : nearestExisting(dirname(path))
}

export const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
