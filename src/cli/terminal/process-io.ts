import { processEnvironment } from '../../config/load.ts'
import type { Io } from './io.ts'

type Streams = {
  readonly stdout: NodeJS.WritableStream & Partial<Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>>
  readonly stderr: NodeJS.WritableStream
}

/** The io of a process. A reader that goes away (`| head`) ends what is shown, not the program. */
export function createIo({ stdout, stderr }: Streams, signal: AbortSignal): Io {
  for (const stream of [stdout, stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
    })
  return {
    out: (text) => stdout.write(`${text}\n`),
    err: (text) => stderr.write(`${text}\n`),
    env: processEnvironment(),
    cwd: process.cwd(),
    signal,
    onReload: (again) => process.on('SIGHUP', again),
    columns: stdout.isTTY ? stdout.columns : undefined,
  }
}
