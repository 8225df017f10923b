// An Alertmanager on loopback, without peers.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../../local/proxy/listen.ts'
import type { Clock } from '../../../model/ports/clock.ts'
import { waitUntilUp, startProgram } from './program.ts'

export type AlertmanagerOptions = {
  /** Path of the program. */
  readonly file: string
  /** New folder for configuration, data and log. */
  readonly folder: string
  /** Text of its configuration. */
  readonly routing: string
  readonly clock: Clock
}

/** `address` is `host:port`. */
export type Alertmanager = AsyncDisposable & { readonly address: string; readonly url: string }

/** Resolves when it answers. @throws when it does not start */
export async function startAlertmanager(options: AlertmanagerOptions): Promise<Alertmanager> {
  const { file, folder, routing, clock } = options
  mkdirSync(folder)
  const at = (name: string): string => join(folder, name)
  writeFileSync(at('alertmanager.yml'), routing, { mode: 0o600 })
  const address = `127.0.0.1:${await freePort()}`
  const words = [
    `--config.file=${at('alertmanager.yml')}`,
    `--storage.path=${at('data')}`,
    `--web.listen-address=${address}`,
    // no cluster: nothing listens for peers
    '--cluster.listen-address=',
    '--log.level=warn',
  ]
  await using stack = new AsyncDisposableStack()
  const program = stack.use(startProgram({ file, words, logFile: at('alertmanager.log'), clock }))
  const url = `http://${address}`
  await waitUntilUp('alertmanager', program, { url: `${url}/-/ready`, clock })
  const open = stack.move()
  return { address, url, [Symbol.asyncDispose]: () => open.disposeAsync() }
}
