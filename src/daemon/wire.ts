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
    useConnectionUri: config.service.useConnectionUri,
    ...(account.orgId === undefined ? {} : { orgId: account.orgId }),
    onRequest: (report) => self.request({ ...report, key: account.name }),
  })
  const readings = createReadings({
    clock,
    dsn: account.dsn,
    password: () => passwordOf(account),
    database: config.reading.database,
    serviceUsers: config.reading.serviceUsers,
    deadline: config.reading.deadline,
  })
  return {
    clock,
    random,
    service,
    background: service.at('report'),
    readings,
    send,
    store: timed(store, { clock, self }),
  }
}

/** Half of the requests that an interval affords go into lists of computes; the rest is for what the lists show. */
const SHARE_OF_LISTS = 0.5
/** However short the interval is, a sweep lists so many projects. */
const FEWEST_LISTS = 50

export function planOf(account: AccountConfig, { reading, poll, service }: Config): PassPlan {
  const affordable = Math.floor((service.requestsPerMinute * poll.interval * SHARE_OF_LISTS) / 60)
  // Without a database for full ones every reading is a light one, and costs as little.
  const mode = reading.mode === 'full' && reading.database === undefined ? 'light' : reading.mode
  return {
    prices: account.prices,
    overhead: reading.overhead,
    sweep: {
      maxAge: poll.maxAge,
      most: Math.max(FEWEST_LISTS, affordable),
      readings: { ...reading, mode },
    },
  }
}

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
