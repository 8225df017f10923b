import { statSync } from 'node:fs'
import type { Config } from './load.ts'
import type { Secret } from './secrets.ts'
import { secretsOf } from './sections/receiver.ts'

/** Rights of the group and of others to read. */
const OTHERS_READ = 0o044

/** Warnings, one line for each file of a secret that the group or others can read. No errors: mounted secrets often are readable. */
export function secretFileWarnings({ accounts, notifications, report, server }: Config): readonly string[] {
  const files = [
    ...accounts.flatMap(({ key, dsnPassword }, index) => filesOf(`accounts[${index}]`, [key, dsnPassword])),
    ...notifications.flatMap(({ receiver }, at) => filesOf(`notifications[${at}]`, secretsOf(receiver))),
    ...report.sinks.flatMap(({ receiver }, at) => filesOf(`report.sinks[${at}]`, secretsOf(receiver))),
    ...(server.tls ? [{ key: 'server.tls.key_file', file: server.tls.keyFile }] : []),
  ]
  return files.flatMap(({ key, file }) => {
    const mode = (statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o777
    const text = `other users of this machine can read the file (mode ${mode.toString(8)}): expected 600 or 400`
    return (mode & OTHERS_READ) === 0 ? [] : [`${key}: ${text}`]
  })
}

const filesOf = (path: string, secrets: readonly (Secret | undefined)[]) =>
  secrets.flatMap((secret) =>
    secret && 'file' in secret.source ? [{ key: `${path}.${secret.from}`, file: secret.source.file }] : [],
  )
