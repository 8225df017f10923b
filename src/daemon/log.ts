import { pino, type Logger } from 'pino'
import { logRowOf } from '../model/output/event-kinds.ts'
import type { Send } from '../model/ports/outbox.ts'

/** JSON lines on standard output; secrets are redacted by path. */
export const createLog = (level: string): Logger =>
  pino({
    level,
    base: { name: 'dormouse' },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: ['key', 'password', '*.key', '*.password', 'err.config', 'authorization'],
  })

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
