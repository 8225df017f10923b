import { createInterface, type Interface } from 'node:readline/promises'
import { inspect } from 'node:util'
import { processEnvironment } from '../../config/secrets.ts'
import { createRedactor } from '../../std/redactor.ts'
import { terminalText } from '../../std/sanitize.ts'
import { failText, type ExitCode, type Io } from './io.ts'

/** Cursor to the first column of the first line, then erase what follows. Source: ECMA-48, CUP and ED. */
const CLEAR = '\u001B[H\u001B[J'
/** Cursor to the first column, then erase the line. Source: ECMA-48, EL. */
const CLEAR_LINE = '\r\u001B[2K'

type Streams = Readonly<{
  stdin?: NodeJS.ReadableStream & Partial<Pick<NodeJS.ReadStream, 'isTTY'>>
  stdout: NodeJS.WritableStream & Partial<Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>>
  stderr: NodeJS.WritableStream & Partial<Pick<NodeJS.WriteStream, 'isTTY'>>
}>

/** Not a fault of the program. */
class OutputError extends Error {
  constructor(cause: Error) {
    super(`the output cannot be written (${cause.message})`, { cause })
  }
}

/** A reader that closes the pipe (`| head`) ends the output, not the program. */
export function createIo({ stdin, stdout, stderr }: Streams, signal: AbortSignal): Io {
  for (const stream of [stdout, stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw new OutputError(error)
    })
  return guardOutput({
    ...createRedactor(),
    out: (text) => stdout.write(`${text}\n`),
    err: (text) => stderr.write(`${text}\n`),
    env: processEnvironment(),
    cwd: process.cwd(),
    signal,
    onReload: (reload) => process.on('SIGHUP', reload),
    columns: stdout.isTTY ? stdout.columns : undefined,
    clear: () => stdout.write(CLEAR),
    ...(stdin?.isTTY &&
      stdout.isTTY && {
        confirm: (question: string) =>
          confirm(createInterface({ input: stdin, output: stdout }), question, signal),
      }),
    ...(stderr.isTTY && { progress: (line: string) => void stderr.write(CLEAR_LINE + line) }),
  })
}

/** Only `y` and `yes` confirm; the end of the input does not. */
async function confirm(terminal: Interface, question: string, signal: AbortSignal): Promise<boolean> {
  try {
    const answer = await terminal.question(`${question} [y/N] `, { signal })
    return /^y(es)?$/i.test(answer.trim())
  } catch {
    return false
  } finally {
    terminal.close()
  }
}

/** The exit of every text: without known secrets, and without what would control the terminal. */
export const guardOutput = (io: Io): Io => {
  const shown = (text: string) => terminalText(io.redact(text))
  const { progress } = io
  return {
    ...io,
    out: (text) => io.out(shown(text)),
    err: (text) => io.err(shown(text)),
    ...(progress && { progress: (line: string) => progress(shown(line)) }),
  }
}

/** Prints a fault of the program with its causes and their properties, as Node would, but through the exit of all texts. */
export const failCrash = (io: Io, cause: unknown): ExitCode =>
  failText(io, cause instanceof OutputError ? cause.message : inspect(cause, { depth: 4 }))
