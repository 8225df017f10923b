// Everything that is not pure comes in through types of plain functions, one file per port.
import type { Clock, Random, ServiceTime } from './clock.ts'
import type { History } from './history.ts'
import type { Send } from './outbox.ts'
import type { Readings } from './readings.ts'
import type { Service } from './service.ts'
import type { AccountStore } from './store.ts'

/** All ports of one account's pass. */
export type Ports = Readonly<{
  clock: Clock
  serviceTime: ServiceTime
  random: Random
  service: Service
  readings: Readings
  store: AccountStore
  /** Epoch of the store's opening: commits of a pass are refused once another process has opened it. */
  epoch: number
  /** Settled history in the store. */
  history: History
  send: Send
}>
