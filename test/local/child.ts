// The local service in a process of its own, so that tests can kill it.
import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import type { HistoryRequest } from '../../src/local/options.ts'
import type { Local } from '../../src/local/start.ts'
import type { Service } from './support.ts'

export type Child = Service & { readonly child: ChildProcess }

const truth = (): never => {
  throw new Error('the truth of another process is not available')
}

/** Starts the service without waiting for it. */
export function spawnLocal(folder: string, past?: HistoryRequest): ChildProcess {
  const program = fileURLToPath(import.meta.resolve('./serve.ts'))
  const child = spawn(process.execPath, [program, folder, ...(past ? [JSON.stringify(past)] : [])], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

export async function childLocal(folder: string): Promise<Child> {
  const child = spawnLocal(folder)
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let said = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    said += text
    if (said.includes('\n')) resolve(said)
  })
  child.once('exit', () => reject(new Error('the service ended before it was up')))
  const { baseUrl, apiKey }: Pick<Local, 'baseUrl' | 'apiKey'> = JSON.parse(await promise)
  return { child, baseUrl, apiKey, truth }
}

/** Kills the service with SIGKILL. */
export async function killed({ child }: Pick<Child, 'child'>): Promise<void> {
  const exited = new Promise((resolve) => void child.once('exit', resolve))
  child.kill('SIGKILL')
  await exited
}
