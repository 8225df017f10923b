import { statSync } from 'node:fs'
import type { Config } from './load.ts'
import type { Secret } from './secrets.ts'
import { secretsOf } from './sections/receiver.ts'

/** Rights of the group and of others to read, and of others alone. */
const OTHERS_READ = 0o044
const STRANGERS_READ = 0o004

/**
 * Warnings, one line for each file of a secret that other users can read: others or the group, unless the file is root's and the group is
 * that of this process. Secrets that an orchestrator mounts are such files. No errors: mounted secrets often are readable.
 */
export function secretFileWarnings({ accounts, notifications, report, server }: Config): readonly string[] {
  const files = [
    ...accounts.flatMap(({ key, dsnPassword }, index) => filesOf(`accounts[${index}]`, [key, dsnPassword])),
    ...notifications.flatMap(({ receiver }, at) => filesOf(`notifications[${at}]`, secretsOf(receiver))),
    ...report.sinks.flatMap(({ receiver }, at) => filesOf(`report.sinks[${at}]`, secretsOf(receiver))),
    ...(server.tls ? [{ key: 'server.tls.key_file', file: server.tls.keyFile }] : []),
  ]
  return files.flatMap(({ key, file }) => {
    const { mode: kind = 0, uid, gid } = statSync(file, { throwIfNoEntry: false }) ?? {}
    const mode = kind & 0o777
    const isForOwnGroup = uid === 0 && gid === process.getegid?.() && gid !== 0
    const text = `other users of this machine can read the file (mode ${mode.toString(8)}): expected 600 or 400`
    return (mode & (isForOwnGroup ? STRANGERS_READ : OTHERS_READ)) === 0 ? [] : [`${key}: ${text}`]
  })
}

const filesOf = (path: string, secrets: readonly (Secret | undefined)[]) =>
  secrets.flatMap((secret) =>
    secret && 'file' in secret.source ? [{ key: `${path}.${secret.from}`, file: secret.source.file }] : [],
  )
