// Everything that is not pure comes in through these, one file per port.
import type { Clock, Random, ServiceTime } from './clock.ts'
import type { History } from './history.ts'
import type { Send } from './outbox.ts'
import type { Readings } from './readings.ts'
import type { Service } from './service.ts'
import type { AccountStore } from './store.ts'
import type { Ratio, Seconds } from '../units.ts'

/** Ports of one account's pass. */
export type Ports = Readonly<{
  clock: Clock
  serviceTime: ServiceTime
  random: Random
  service: Service
  readings: Readings
  store: AccountStore
  /** Epoch of the store's opening: commits are refused once another process has opened it. */
  epoch: number
  history: History
  send: Send
  /** Share of the requests to the service of the last seconds that failed; undefined where they are too few to say. Absent: nobody counts. */
  failedRequests?: (within: Seconds) => Ratio | undefined
  /** Leaves known secrets out of a text. */
  redact: (text: string) => string
}>
