// Commands run in this process, against a local service on a folder of its own.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memoryFolder } from '../support/folder.ts'
import { runProgram } from '../../src/cli/program.ts'
import { guardOutput } from '../../src/cli/terminal/process-io.ts'
import { createRedactor } from '../../src/std/redactor.ts'
import type { Local, LocalOptions } from '../../src/local/start.ts'
import { startQuickly } from '../support/start-quickly.ts'

type Ended = { readonly code: number; readonly out: string; readonly err: string }

type Session = Readonly<{
  env?: Record<string, string>
  cwd?: string
  /** Of a person at a terminal. */
  confirm?: (question: string) => Promise<boolean>
}>

/** Runs `dormouse words…`. */
export async function dormouse(
  words: readonly string[],
  { env = {}, cwd = tmpdir(), confirm }: Session = {},
): Promise<Ended> {
  const said = { out: '', err: '' }
  const io = guardOutput({
    ...createRedactor(),
    out: (text) => void (said.out += `${text}\n`),
    err: (text) => void (said.err += `${text}\n`),
    env,
    cwd,
    signal: new AbortController().signal,
    columns: undefined,
    ...(confirm && { confirm }),
  })
  const code = await runProgram(words, io)
  return { code, ...said }
}

/** A command line as people type it. */
export const words = (text: string): string[] => text.split(' ')

type LocalCli = AsyncDisposable & {
  readonly folder: string
  readonly local: Local
  /** Runs `dormouse text` against the service, with its key in the environment. */
  readonly cli: (text: string) => Promise<Ended>
}

export async function localCli(options: Partial<LocalOptions>): Promise<LocalCli> {
  const folder = mkdtempSync(join(tmpdir(), 'dormouse-cli-'))
  const data = memoryFolder('dormouse-cli-service-')
  const local = await startQuickly({
    folder: data,
    allowShortDelays: true,
    wakeLatency: { min: 0, max: 0 },
    ...options,
  })
  return {
    folder,
    local,
    cli: (text) =>
      dormouse([...words(text), '--base-url', local.baseUrl], {
        env: { DORMOUSE_API_KEY: local.apiKey },
        cwd: folder,
      }),
    async [Symbol.asyncDispose]() {
      await local.stop()
      for (const each of [folder, data]) rmSync(each, { recursive: true, force: true })
    },
  }
}
