import { createTransport } from 'nodemailer'
import type { Message, DeliveryOutcome, Sink } from '../../model/output/message.ts'
import type { Clock } from '../../model/ports/clock.ts'
import type { Result } from '../../std/result.ts'
import { failureCode, DELIVERY_DEADLINE, withinDeadline } from './deadline.ts'
import { headerKey } from './webhook.ts'

export type SmtpOptions = {
  readonly host: string
  readonly port: number
  readonly user: string | undefined
  readonly password: (() => Result<string, string>) | undefined
  readonly from: string
  readonly to: readonly string[]
  /** Whether a server without encryption, or with a certificate that nobody vouches for, is good enough. */
  readonly insecure: boolean
  readonly clock: Clock
}

/** Source: RFC 8314: there the connection is encrypted from its first byte. */
const IMPLICIT_TLS = 465

/** Mail, with all headers built by the library. Never rejects. */
export const createSmtpSink =
  (options: SmtpOptions): Sink =>
  (message, signal) => {
    const password = options.password?.()
    if (password && !password.ok) return Promise.resolve({ kind: 'retry', because: password.error })
    return withinDeadline(() => mailed(message, options, password?.value), options.clock, signal)
  }

async function mailed(
  message: Message,
  options: SmtpOptions,
  password: string | undefined,
): Promise<DeliveryOutcome> {
  const { host, port, user, insecure, from, to } = options
  const patience = DELIVERY_DEADLINE * 1000
  const transport = createTransport({
    host,
    port,
    secure: port === IMPLICIT_TLS,
    requireTLS: !insecure,
    tls: { rejectUnauthorized: !insecure },
    ...(user === undefined ? {} : { auth: { user, pass: password ?? '' } }),
    connectionTimeout: patience,
    greetingTimeout: patience,
    socketTimeout: patience,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  try {
    await transport.sendMail({
      from,
      to: [...to],
      subject: message.subject,
      text: message.text,
      ...(message.html === undefined ? {} : { html: message.html }),
      messageId: `<${headerKey(message.key).replaceAll(/[^\w.-]/g, '-')}@dormouse>`,
      attachments: message.attachments.map(({ name, type, body }) => ({
        filename: name,
        contentType: type,
        content: body,
      })),
    })
    return { kind: 'delivered' }
  } catch (cause) {
    return judged(cause)
  } finally {
    transport.close()
  }
}

/** The answer to the message itself that says never. Source: RFC 5321, 4.2.1, 552 to 554: the mail is refused for good. */
const REFUSED = new Set([552, 554])

function judged(cause: unknown): DeliveryOutcome {
  const status = cause instanceof Error && 'responseCode' in cause ? Number(cause.responseCode) : undefined
  const command = cause instanceof Error && 'command' in cause ? cause.command : undefined
  const because = `mail server: ${status === undefined ? failureCode(cause) : `${failureCode(cause)} (${status})`}`
  const isRefused = status !== undefined && REFUSED.has(status) && command === 'DATA'
  return { kind: isRefused ? 'failed' : 'retry', because }
}
