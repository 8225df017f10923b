// A program of this machine as a child, with its log in a file.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { request } from 'undici'
import { isProgram } from '../../../local/compute/owner.ts'
import type { Clock } from '../../../model/ports/clock.ts'
import { seconds } from '../../../model/units.ts'

/** The first of `names` that is in a folder of `path`. */
export const findProgram = (names: readonly string[], path = ''): string | undefined =>
  names
    .flatMap((name) =>
      path
        .split(':')
        .filter(Boolean)
        .map((folder) => join(folder, name)),
    )
    .find(isProgram)

/** Disposed of, it is ended, by its own id. */
export type Program = AsyncDisposable & {
  /** How it ended, with its last words; undefined while it runs. */
  readonly ended: () => string | undefined
}

export type ProgramOptions = {
  readonly file: string
  readonly words: readonly string[]
  /** It is added to. */
  readonly logFile: string
  readonly clock: Clock
}

/** Seconds to end in after being asked to. Doubled, one that hangs holds up the end for that long. */
const GRACE = seconds(10)

/**
 * Starts it in the group of this process, so that Ctrl-C reaches it, too: a demo that is ended in haste, by a second one, leaves
 * nothing running.
 */
export function startProgram({ file, words, logFile, clock }: ProgramOptions): Program {
  const log = openSync(logFile, 'a', 0o600)
  const child = spawn(file, words, { stdio: ['ignore', log, log] })
  closeSync(log)
  let how: string | undefined
  const closed = Promise.race([
    once(child, 'exit').then(() => String(child.signalCode ?? child.exitCode)),
    once(child, 'error').then(([cause]) => String(cause)),
  ])
    .catch(String)
    .then((said) => (how = said))
  return {
    ended: () => (how === undefined ? undefined : `${how}: ${lastWords(logFile)}`),
    [Symbol.asyncDispose]: async () => {
      const over = new AbortController()
      child.kill('SIGTERM')
      await Promise.race([closed, clock.sleep(GRACE, over.signal)])
      over.abort()
      if (how === undefined) child.kill('SIGKILL')
      await closed
    },
  }
}

const lastWords = (logFile: string): string =>
  readFileSync(logFile, 'utf8').trimEnd().split('\n').at(-1) ?? ''

/** Between two looks whether it answers. Doubled, a start takes a twentieth of a second longer. */
const EVERY = seconds(0.1)
/** Looks at most: half a minute. Doubled, one that never answers is given up later. */
const LOOKS = 300

/** Resolves when `url` answers 200. @throws when the program has ended, or does not answer in time */
export async function waitUntilUp(name: string, program: Program, { url, clock }: UpCheck): Promise<void> {
  const { signal } = new AbortController()
  for (let look = 0; look < LOOKS; look += 1) {
    const how = program.ended()
    if (how !== undefined) throw new Error(`${name} ended with ${how}`)
    // oxlint-disable-next-line no-await-in-loop -- one look after the other
    if (await isUp(url)) return
    // oxlint-disable-next-line no-await-in-loop -- as above
    await clock.sleep(EVERY, signal)
  }
  throw new Error(`${name} does not answer at ${url}`)
}

export type UpCheck = { readonly url: string; readonly clock: Clock }

/** Whether `url` answers 200. */
export async function isUp(url: string): Promise<boolean> {
  try {
    const { statusCode, body } = await request(url)
    await body.dump()
    return statusCode === 200
  } catch {
    return false
  }
}
