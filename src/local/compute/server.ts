import { join } from 'node:path'
import type { Certificate } from '../setup/certificate.ts'
import type { Clock } from '../clock.ts'
import type { Binaries } from './binaries.ts'
import type { SystemUser } from './owner.ts'
import { type ServerProcess, startServerProcess } from './process.ts'

/** Accepts connections on 127.0.0.1. */
export type Server = Pick<ServerProcess, 'ended'> & {
  readonly port: number
  readonly pid: number
  /** Reads the configuration again; sessions follow with their next statement. */
  reload(): void
  /**
   * Shuts down and resolves when nothing runs. For `grace` ms sessions may end by themselves; a slow server is killed.
   * `onDrop` is called when the remaining sessions are dropped.
   */
  stop(grace: number, onDrop?: () => void): Promise<void>
}

export type Cluster = Readonly<{
  binaries: Binaries
  owner: SystemUser | undefined
  clock: Clock
  certificate: Certificate
  /** Password of the service's superuser. */
  password: string
}>

export type ServerOptions = Omit<Cluster, 'password'> & Readonly<{ dataFolder: string; port: number }>

/** Time until it accepts connections, ms: crash recovery on a busy machine takes seconds. */
const START_TIMEOUT = 30_000

/** A fast shutdown, ms; then it must quit at once, and half of it later it is killed. */
const STOP_TIMEOUT = 10_000

/** Log line of a server that is ready, also of a standby. */
const READY = /database system is ready to accept (?:read-only )?connections/

/** Resolves when it accepts connections; throws as `startServerProcess`. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const { binaries, dataFolder: folder, port, clock } = options
  const { certificateFile, keyFile } = options.certificate
  const network = [`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories=']
  const settings = [...network, 'ssl=on', `ssl_cert_file=${certificateFile}`, `ssl_key_file=${keyFile}`]
  const { child, ended } = await startServerProcess({
    ...options,
    name: 'postgres',
    path: join(binaries.folder, 'postgres'),
    args: ['-D', folder, ...settings.flatMap((setting) => ['-c', setting])],
    folder,
    ready: READY,
    startTimeout: START_TIMEOUT,
  })
  const stop = async (grace: number, onDrop?: () => void) => {
    const dropSessions = () => {
      onDrop?.()
      child.kill('SIGINT')
    }
    if (grace > 0) child.kill('SIGTERM')
    else dropSessions()
    const killAfter = (ms: number, signal: NodeJS.Signals) => clock.after(ms, () => child.kill(signal))
    const cancels = [
      ...(grace > 0 ? [clock.after(grace, dropSessions)] : []),
      killAfter(grace + STOP_TIMEOUT, 'SIGQUIT'),
      killAfter(grace + STOP_TIMEOUT * 1.5, 'SIGKILL'),
    ]
    await ended
    for (const cancel of cancels) cancel()
  }
  return { port, pid: child.pid ?? 0, reload: () => void child.kill('SIGHUP'), ended, stop }
}
