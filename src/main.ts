import { runDaemon, runOnce } from './cli/run.ts'
import { demo } from './cli/demo/demo.ts'
import { seconds } from './model/units.ts'
const c = new AbortController()
for (const s of ['SIGTERM','SIGINT'] as const) process.once(s, () => c.abort())
const io = { out: (t: string) => process.stdout.write(t + '\n'), err: (t: string) => process.stderr.write(t + '\n'), env: process.env, cwd: process.cwd(), signal: c.signal, columns: process.stdout.isTTY ? process.stdout.columns : undefined }
const [cmd, a, b] = process.argv.slice(2)
if (cmd === 'run') process.exitCode = await runDaemon(b!, io)
else if (cmd === 'once') process.exitCode = await runOnce(b!, false, io)
else process.exitCode = await demo({ length: seconds(Number(a)), json: b === 'json' }, io)
