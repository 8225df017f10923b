import type { Message, DeliveryOutcome, Sink } from '../../model/output/message.ts'
import type { Clock } from '../../model/ports/clock.ts'
import type { Result } from '../../std/result.ts'
import { failureCode, DELIVERY_DEADLINE, withinDeadline } from './deadline.ts'
import { headerKey } from './webhook.ts'

export type SmtpOptions = Readonly<{
  host: string
  port: number
  user: string | undefined
  password: (() => Result<string, string>) | undefined
  from: string
  to: readonly string[]
  /** Sends to a server without encryption, but no password. */
  insecure: boolean
  /** Accepts a certificate that nobody trusted has signed. */
  anyCertificate: boolean
  clock: Clock
}>

/** Encrypted from the first byte. Source: RFC 8314. */
const IMPLICIT_TLS_PORT = 465

/** The library builds all headers. Never rejects. */
export const createSmtpSink =
  (options: SmtpOptions): Sink =>
  (message, signal) => {
    const password = options.password?.()
    if (password && !password.ok) return Promise.resolve({ kind: 'retry', because: password.error })
    return withinDeadline(() => sendMail(message, options, password?.value), options.clock, signal)
  }

async function sendMail(message: Message, options: SmtpOptions, password = ''): Promise<DeliveryOutcome> {
  const { host, port, user, insecure, anyCertificate, from, to } = options
  const { subject, text, html, attachments } = message
  const timeout = DELIVERY_DEADLINE * 1000
  // now, not at the start: it would take 5 MB in a daemon that sends no mail
  const { createTransport } = await import('nodemailer')
  const transport = createTransport({
    host,
    port,
    secure: port === IMPLICIT_TLS_PORT,
    requireTLS: !insecure,
    tls: { rejectUnauthorized: !anyCertificate },
    ...(user === undefined || insecure ? {} : { auth: { user, pass: password } }),
    connectionTimeout: timeout,
    greetingTimeout: timeout,
    socketTimeout: timeout,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  try {
    await transport.sendMail({
      from,
      to: [...to],
      subject,
      text,
      ...(html === undefined ? {} : { html }),
      messageId: `<${headerKey(message.key).replaceAll(/[^\w.-]/g, '-')}@dormouse>`,
      attachments: attachments.map((file) => ({
        filename: file.name,
        contentType: file.type,
        content: file.body,
      })),
    })
    return { kind: 'delivered' }
  } catch (cause) {
    return failureOutcome(cause)
  } finally {
    transport.close()
  }
}

/** Too large, or rejected: for good. Source: RFC 5321, 4.2.1. */
const REJECTED = new Set([552, 554])

function failureOutcome(cause: unknown): DeliveryOutcome {
  const status = cause instanceof Error && 'responseCode' in cause ? Number(cause.responseCode) : undefined
  const command = cause instanceof Error && 'command' in cause ? cause.command : undefined
  const because = `mail server: ${status === undefined ? failureCode(cause) : `${failureCode(cause)} (${status})`}`
  const isRefused = status !== undefined && REJECTED.has(status) && command === 'DATA'
  return { kind: isRefused ? 'failed' : 'retry', because }
}
