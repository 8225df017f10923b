// What a reading that failed says, and what to do about it.
import type { ReadingResult } from '../../model/observation.ts'

/** Source: service-facts.md, "Inside Postgres": refused with 53300 means that every connection is taken. */
const TOO_MANY_CONNECTIONS = '53300'
const CANCELLED = '57014'
/** Wrong password, and no such role or no right to connect. */
const REFUSED: readonly string[] = ['28P01', '28000']

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : ''

/** Whether other credentials could help. */
export const isAuthenticationError = (error: unknown): boolean => REFUSED.includes(codeOf(error))

export function readingFailure(error: unknown): ReadingResult {
  const code = codeOf(error)
  const told = error instanceof Error ? error.message : String(error)
  // The limit of our own role says nothing of the compute's.
  if (code === TOO_MANY_CONNECTIONS && !told.startsWith('too many connections for role'))
    return { kind: 'at-limit' }
  const timedOut = code === CANCELLED || told.includes('timeout')
  return { kind: 'failed', because: timedOut ? 'timeout' : 'error', message: advised(code, told) }
}

/** Codes of the TLS library, as it names a certificate that it cannot verify. */
const CERTIFICATE =
  /^(SELF_SIGNED_CERT|DEPTH_ZERO|UNABLE_TO_|CERT_|ERR_TLS_CERT_|INVALID_CA|HOSTNAME_MISMATCH)/

function advised(code: string, told: string): string {
  if (CERTIFICATE.test(code))
    return `${told}: the certificate of the server cannot be verified; name its authority with sslrootcert=FILE in dsn, or give up the check with sslmode=no-verify`
  if (told.includes('does not support SSL'))
    return `${told}: only where plain text is as good as that, add sslmode=disable to dsn`
  if (told.includes('client password must be a string'))
    return 'the server asks for a password and none is configured: set dsn_password_file or dsn_password_env'
  return told
}
