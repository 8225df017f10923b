import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { request } from '../../../std/http-client.ts'
import { freePort } from '../../../local/proxy/listen.ts'
import { isProgram } from '../../../local/compute/owner.ts'
import type { Clock } from '../../../model/ports/clock.ts'
import { seconds } from '../../../model/units.ts'

/** The first of `names` in the folders of `path`. */
export const findProgram = (names: readonly string[], path = ''): string | undefined =>
  names
    .flatMap((name) =>
      path
        .split(':')
        .filter(Boolean)
        .map((folder) => join(folder, name)),
    )
    .find(isProgram)

export type MonitorOptions = Readonly<{
  file: string
  folder: string
  clock: Clock
}>

/** `address`: `host:port`. */
export type MonitorServer = AsyncDisposable & { readonly address: string; readonly url: string }

/** Resolves when it answers. @throws when it does not start */
export async function startMonitor(
  name: string,
  { file, folder, clock }: MonitorOptions,
  words: readonly string[],
): Promise<MonitorServer> {
  const address = `127.0.0.1:${await freePort()}`
  const all = [...words, `--web.listen-address=${address}`, '--log.level=warn']
  await using stack = new AsyncDisposableStack()
  const logFile = join(folder, `${name}.log`)
  const program = stack.use(startProgram({ file, words: all, logFile, clock }))
  const url = `http://${address}`
  await waitUntilUp(name, program, { url: `${url}/-/ready`, clock })
  const open = stack.move()
  return { address, url, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

export type Program = AsyncDisposable & {
  /** Exit code or signal, with the last line of the log; undefined while it runs. */
  readonly ended: () => string | undefined
}

type ProgramOptions = Readonly<{
  file: string
  words: readonly string[]
  logFile: string
  clock: Clock
}>

/** From SIGTERM to SIGKILL. */
const GRACE = seconds(10)

/** In the process group of the demo, so that Ctrl-C ends it, too, even a second one that ends the demo at once. */
export function startProgram({ file, words, logFile, clock }: ProgramOptions): Program {
  const log = openSync(logFile, 'a', 0o600)
  const child = spawn(file, words, { stdio: ['ignore', log, log] })
  closeSync(log)
  let exit: string | undefined
  const closed = Promise.race([
    once(child, 'exit').then(() => String(child.signalCode ?? child.exitCode)),
    once(child, 'error').then(([cause]) => String(cause)),
  ])
    .catch(String)
    .then((outcome) => (exit = outcome))
  return {
    ended: () => (exit === undefined ? undefined : `${exit}: ${lastLine(logFile)}`),
    [Symbol.asyncDispose]: async () => {
      const over = new AbortController()
      child.kill('SIGTERM')
      await Promise.race([closed, clock.sleep(GRACE, over.signal)])
      over.abort()
      if (exit === undefined) child.kill('SIGKILL')
      await closed
    },
  }
}

const lastLine = (logFile: string) => readFileSync(logFile, 'utf8').trimEnd().split('\n').at(-1) ?? ''

const UP_CHECK_INTERVAL = seconds(0.1)
/** Half a minute. */
const MAX_UP_CHECKS = 300

/** @throws when the program has ended, or does not answer 200 in time */
export async function waitUntilUp(name: string, program: Program, { url, clock }: UpCheck): Promise<void> {
  const { signal } = new AbortController()
  for (let check = 0; check < MAX_UP_CHECKS; check += 1) {
    const exit = program.ended()
    if (exit !== undefined) throw new Error(`${name} ended with ${exit}`)
    // oxlint-disable-next-line no-await-in-loop -- one by one
    if (await isUp(url)) return
    // oxlint-disable-next-line no-await-in-loop -- as above
    await clock.sleep(UP_CHECK_INTERVAL, signal)
  }
  throw new Error(`${name} does not answer at ${url}`)
}

type UpCheck = Readonly<{ url: string; clock: Clock }>

export async function isUp(url: string): Promise<boolean> {
  try {
    const { statusCode, body } = await request(url)
    await body.dump()
    return statusCode === 200
  } catch {
    return false
  }
}
