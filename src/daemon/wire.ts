// Makes the real ports of one account.
import type { AccountConfig, Config } from '../config/load.ts'
import type { SelfMetrics } from '../metrics/self.ts'
import type { Clock, Ports, Random, Send, Store } from '../model/ports.ts'
import { createReadings } from '../observe/readings.ts'
import { createService } from '../service/service.ts'
import type { PassPlan } from './pass.ts'

export type Machine = {
  readonly clock: Clock
  readonly random: Random
  readonly store: Store
  readonly send: Send
  readonly self: SelfMetrics
}

export function portsOf(account: AccountConfig, config: Config, machine: Machine): Ports {
  const { clock, random, store, send, self } = machine
  const service = createService({
    baseUrl: account.baseUrl,
    readKey: account.key.read,
    clock,
    random,
    requestsPerMinute: config.service.requestsPerMinute,
    projects: account.projects,
    ...(account.orgId === undefined ? {} : { orgId: account.orgId }),
    onRequest: (report) => self.request(report),
  })
  const readings = createReadings({
    clock,
    dsn: account.dsn,
    password: () => passwordOf(account),
    database: config.reading.database,
    serviceUsers: config.reading.serviceUsers,
    deadline: config.reading.deadline,
  })
  return { clock, random, service, readings, send, store: timed(store, { clock, self }) }
}

export const planOf = (account: AccountConfig, { reading, poll }: Config): PassPlan => ({
  prices: account.prices,
  overhead: reading.overhead,
  sweep: { maxAge: poll.maxAge, readings: reading },
})

/** A password that cannot be read is none: the reading then fails with what the server says. */
function passwordOf({ dsnPassword }: AccountConfig): string | undefined {
  const text = dsnPassword?.read()
  return text?.ok ? text.value : undefined
}

const timed = (store: Store, { clock, self }: Pick<Machine, 'clock' | 'self'>): Store => ({
  ...store,
  commit: async (ledger, changed, settled) => {
    const begun = clock.monotonic()
    await store.commit(ledger, changed, settled)
    self.commit(clock.monotonic() - begun)
  },
})
