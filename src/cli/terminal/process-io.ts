import { processEnvironment } from '../../config/load.ts'
import type { Io } from './io.ts'

type Streams = Readonly<{
  stdout: NodeJS.WritableStream & Partial<Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>>
  stderr: NodeJS.WritableStream
}>

/** A reader that closes the pipe (`| head`) ends the output, not the program. */
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
    onReload: (reload) => process.on('SIGHUP', reload),
    columns: stdout.isTTY ? stdout.columns : undefined,
  }
}
