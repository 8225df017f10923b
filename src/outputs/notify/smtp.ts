import { createHash } from 'node:crypto'
import { PassThrough } from 'node:stream'
import type { Message, DeliveryOutcome, Sink } from '../../model/output/message.ts'
import type { Clock } from '../../model/ports/clock.ts'
import type { Result } from '../../std/result.ts'
import { failureCode, DELIVERY_DEADLINE, withinDeadline } from './deadline.ts'
import { seconds, type Seconds } from '../../model/units.ts'
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

/** Until the answer to a whole message: after a shorter wait a slow server would deliver it, and get it again. Source: RFC 5321, 4.5.3.2.6. */
const ANSWER_DEADLINE = seconds(600)
/** Messages whose other recipients are remembered; one that is forgotten goes to all again. */
const MAX_REMEMBERED = 100

/** The library builds all headers. Recipients whom the server refuses are tried again alone. Never rejects. */
export function createSmtpSink(options: SmtpOptions): Sink {
  /** Key of a message → recipients without it. */
  const missing = new Map<string, readonly string[]>()
  const attempt = async (message: Message, password: string | undefined, deadline: MailDeadline) => {
    const to = missing.get(message.key) ?? options.to
    const { rejected, rejectedErrors = [] } = await sendMail(message, { ...options, to, password }, deadline)
    missing.delete(message.key)
    if (rejected.length === 0) return { kind: 'delivered' } as const
    missing.set(message.key, rejected.map(String))
    for (const key of [...missing.keys()].slice(0, -MAX_REMEMBERED)) missing.delete(key)
    const codes = [...new Set(rejectedErrors.flatMap(({ responseCode }) => responseCode ?? []))]
    const because = `mail server: ${rejected.length} of ${to.length} recipients refused (${codes.join(', ')})`
    return { kind: 'retry', because } as const
  }
  return (message, signal) => {
    const password = options.password?.()
    if (password && !password.ok) return Promise.resolve({ kind: 'retry', because: password.error })
    return withinDeadline(
      (ended, extend) =>
        attempt(message, password?.value, { ended, extend }).catch((cause: unknown) => failureOutcome(cause)),
      options.clock,
      signal,
    )
  }
}

type MailDeadline = Readonly<{ ended: AbortSignal; extend: (answer: Seconds) => void }>
type MailOptions = Omit<SmtpOptions, 'password'> & Readonly<{ password: string | undefined }>

async function sendMail(message: Message, options: MailOptions, { ended, extend }: MailDeadline) {
  const { host, port, user, password = '', insecure, anyCertificate, from, to } = options
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
    socketTimeout: ANSWER_DEADLINE * 1000,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  transport.use('stream', (mail, done) => {
    mail.message.transform(() => new PassThrough().once('end', () => extend(ANSWER_DEADLINE)))
    done()
  })
  try {
    return await transport.sendMail({
      from,
      to: [...to],
      subject,
      text,
      ...(html === undefined ? {} : { html }),
      messageId: messageIdOf(message),
      // no absence notice answers it. Source: RFC 3834, 5
      headers: { 'Auto-Submitted': 'auto-generated' },
      attachments: attachments.map((file) => ({
        filename: file.name,
        contentType: file.type,
        content: file.body,
      })),
      // what is given up must not arrive later
      signal: ended,
    })
  } finally {
    transport.close()
  }
}

/** Depends on the text, too: other daemons have accounts and receivers of the same names, and mail systems drop a second message with the same id. */
function messageIdOf({ key, subject, text }: Message) {
  const digest = createHash('sha256').update(`${subject}\n${text}`).digest('hex').slice(0, DIGEST_LENGTH)
  return `<${headerKey(key).replaceAll(/[^\w.-]/g, '-')}-${digest}@dormouse>`
}

/** Hexadecimal digits: enough for all messages with the same key. */
const DIGEST_LENGTH = 12

/** Too large, or rejected: for good. Source: RFC 5321, 4.2.1. */
const REJECTED = new Set([552, 554])

function failureOutcome(cause: unknown): DeliveryOutcome {
  const status = cause instanceof Error && 'responseCode' in cause ? Number(cause.responseCode) : undefined
  const command = cause instanceof Error && 'command' in cause ? cause.command : undefined
  const because = `mail server: ${status === undefined ? failureCode(cause) : `${failureCode(cause)} (${status})`}`
  const isRefused = status !== undefined && REJECTED.has(status) && command === 'DATA'
  return { kind: isRefused ? 'failed' : 'retry', because }
}
