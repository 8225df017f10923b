import type { Logger } from 'pino'
import type { Clock, Random } from '../model/ports/clock.ts'
import type { History } from '../model/ports/history.ts'
import type { Journal } from '../model/ports/journal.ts'
import type { Outbox, Send } from '../model/ports/outbox.ts'
import type { Store } from '../model/ports/store.ts'
import type { Redactor } from '../std/redactor.ts'
import type { SelfMetrics } from '../outputs/metrics/self.ts'

/** What all parts of the daemon share; each names the fields it uses. */
export type DaemonEnvironment = Readonly<{
  clock: Clock
  random: Random
  store: Store & History & Outbox & Journal
  send: Send
  self: SelfMetrics
  log: Logger
  redactor: Redactor
}>
