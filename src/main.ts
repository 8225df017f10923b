// argv -> command; the only place that sets the exit code.
import { setFlagsFromString } from 'node:v8'
import { createIo, failCrash } from './cli/terminal/process-io.ts'
import { runProgram } from './cli/program.ts'

// what this process and its children make is for this user alone
process.umask(0o077)
const stop = new AbortController()
// once: a second signal ends the process at once
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
// only if a parent holds a channel to this process
process.once('disconnect', () => stop.abort())
process.channel?.unref()
const io = createIo(process, stop.signal)
// also after a rejection that nobody handles
process.once('uncaughtException', (cause) => process.exit(failCrash(io, cause)))
process.exitCode = await runProgram(process.argv.slice(2), io, keepHeapSmall)

/**
 * Memory before speed: a young generation that no longer grows (it would reach 130 MB and stay there), and code and garbage collection for size.
 * Not while modules are loaded: nearly all of what that allocates stays, and a sixth of a start went into looking at it.
 */
function keepHeapSmall(): void {
  for (const flag of ['--semi-space-growth-factor=1', '--optimize-for-size']) setFlagsFromString(flag)
}
