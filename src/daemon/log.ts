import { pino, type DestinationStream, type Logger } from 'pino'
import { logRowOf } from '../model/output/event-kinds.ts'
import type { Send } from '../model/ports/outbox.ts'
import type { Redactor } from '../std/redactor.ts'

/** JSON lines on standard output; every text in them goes through `redact`. */
export const createLog = (level: string, redact: Redactor['redact'], output?: DestinationStream): Logger =>
  pino(
    {
      level,
      base: { name: 'dormouse' },
      timestamp: pino.stdTimeFunctions.isoTime,
      hooks: { streamWrite: (line) => `${redactedJson(line, redact)}\n` },
    },
    output ?? pino.destination(1),
  )

/** Numbers stay: digits of a secret may be among theirs. */
const redactedJson = (line: string, redact: Redactor['redact']) =>
  JSON.stringify(JSON.parse(line, (_, value: unknown) => (typeof value === 'string' ? redact(value) : value)))

/** The log as a receiver of all events. */
export const logSink =
  (log: Logger): Send =>
  (events) => {
    for (const event of events) {
      const { level, text, fields } = logRowOf(event)
      log[level]({ account: event.account, ...fields?.(event) }, text)
    }
    return Promise.resolve([])
  }
