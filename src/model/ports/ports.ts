// Everything that is not pure comes in through types of plain functions, one file per port.
import type { Clock, Random, ServiceTime } from './clock.ts'
import type { History } from './history.ts'
import type { Send } from './outbox.ts'
import type { Readings } from './readings.ts'
import type { Service } from './service.ts'
import type { AccountStore } from './store.ts'

/** All ports of one account's pass. */
export type Ports = {
  readonly clock: Clock
  readonly serviceTime: ServiceTime
  readonly random: Random
  readonly service: Service
  readonly readings: Readings
  readonly store: AccountStore
  /** Epoch of the store's opening: commits of a pass are refused once another process has opened it. */
  readonly epoch: number
  /** Settled history in the store. */
  readonly history: History
  readonly send: Send
}
