import { pino, type Logger } from 'pino'
import type { Event } from '../model/output/event.ts'
import type { Send } from '../model/ports/outbox.ts'
import { toIso } from '../model/time.ts'

/** JSON lines on standard output: static text, data in fields, secrets redacted by path. */
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
    for (const event of events) logEvent(log, event)
    return Promise.resolve([])
  }

function logEvent(log: Logger, event: Event): void {
  const account = { account: event.account }
  switch (event.kind) {
    case 'wake':
    case 'suspend':
    case 'restart':
      log.info({ ...account, ...event.ref, occurredAt: toIso(event.occurredAt) }, TEXT[event.kind])
      return
    case 'compute-found':
    case 'compute-gone':
      log.info({ ...account, ...event.ref }, TEXT[event.kind])
      return
    case 'wake-caused':
      log.error({ ...account, ...event.ref }, TEXT[event.kind])
      return
    case 'problem':
      log.warn({ ...account, where: event.where, problem: event.message }, TEXT[event.kind])
      return
    case 'budget-rung':
      log.warn(
        { ...account, budget: event.budget, rung: event.rung, spent: event.spent, limit: event.limit },
        TEXT[event.kind],
      )
      return
    case 'delivery-failed':
      log.warn({ ...account, sink: event.sink, what: event.what, problem: event.because }, TEXT[event.kind])
      return
    case 'service-unavailable':
      log.warn({ ...account, problem: event.message }, TEXT[event.kind])
      return
    case 'count-off':
      log.warn({ ...account, projectId: event.projectId, checked: event.checked }, TEXT[event.kind])
      return
    case 'count-agrees':
      log.info({ ...account, projectId: event.projectId, checked: event.checked }, TEXT[event.kind])
      return
    case 'key-refused':
      log.error(account, TEXT[event.kind])
      return
    case 'key-accepted':
    case 'service-available':
      log.info(account, TEXT[event.kind])
  }
}

const TEXT = {
  wake: 'compute woke',
  suspend: 'compute suspended',
  restart: 'compute restarted',
  'compute-found': 'compute found',
  'compute-gone': 'compute gone',
  'wake-caused': 'a reading woke a compute: this is a fault of Dormouse, set reading.mode: off and report it',
  'budget-rung': 'percent of a budget reached',
  'delivery-failed': 'a message could not be delivered and is given up',
  problem: 'part of the account could not be seen',
  'count-off': "the service's count of a project and the ledger do not agree",
  'count-agrees': "the service's count of a project and the ledger agree again",
  'service-unavailable': 'service cannot be reached, waiting longer between passes',
  'service-available': 'service answers again',
  'key-refused': 'API key refused, nothing is asked until the key is another one',
  'key-accepted': 'API key accepted again',
} as const satisfies Readonly<Record<Event['kind'], string>>
