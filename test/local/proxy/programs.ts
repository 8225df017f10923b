// Client programs of Postgres, run asynchronously: the proxy is in this process, which must not block.
import { type ChildProcess, spawn } from 'node:child_process'

export type Ran = { readonly status: number | null; readonly out: string; readonly err: string }

/** A running program and its output. */
export type Running = { readonly child: ChildProcess; readonly ran: Promise<Ran> }

export function start(program: string, args: readonly string[]): Running {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { PATH: '/usr/bin:/bin' } })
  let [out, err] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => void (out += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (err += text))
  const ran = new Promise<Ran>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (status) => resolve({ status, out: out.trim(), err: err.trim() }))
  })
  return { child, ran }
}

export const run = (program: string, args: readonly string[]): Promise<Ran> => start(program, args).ran

/** Output or error of psql for one statement. */
export async function psql(connection: string, sql: string): Promise<string> {
  const { status, out, err } = await run('psql', ['-XAtc', sql, connection])
  return status === 0 ? out : err
}

/** Connection strings of one compute for libpq: `option` for clients of an IP address, the others by host name. */
export function waysTo(uri: string, host: string): { readonly byIp: string; byName(host?: string): string } {
  const { port, username, password, searchParams } = new URL(uri)
  const root = searchParams.get('sslrootcert')
  return {
    byIp: uri,
    byName: (name = host) =>
      `host=${name} hostaddr=127.0.0.1 port=${port} user=${username} password=${password} dbname=app ` +
      `sslmode=verify-full sslrootcert=${root}`,
  }
}
