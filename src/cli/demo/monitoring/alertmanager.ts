import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startServer, type Server, type ServerOptions } from './program.ts'

/** @param options the folder is created */
export async function startAlertmanager(options: ServerOptions, routing: string): Promise<Server> {
  const { folder } = options
  mkdirSync(folder)
  const file = join(folder, 'alertmanager.yml')
  writeFileSync(file, routing, { mode: 0o600 })
  return startServer('alertmanager', options, [
    `--config.file=${file}`,
    `--storage.path=${join(folder, 'data')}`,
    // no cluster: nothing listens for peers
    '--cluster.listen-address=',
  ])
}
