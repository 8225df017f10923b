// Makes the real ports of one account.
import { createBudgetScopes } from '../../ledger/budgets/account-budgets.ts'
import type { AccountConfig, Config } from '../../config/load.ts'
import type { SelfMetrics } from '../../outputs/metrics/self.ts'
import type { Clock, Random } from '../../model/ports/clock.ts'
import type { History } from '../../model/ports/history.ts'
import type { Ports } from '../../model/ports/ports.ts'
import type { Readings } from '../../model/ports/readings.ts'
import type { Send } from '../../model/ports/outbox.ts'
import type { Store } from '../../model/ports/store.ts'
import { createPreset } from '../../model/service/sizes.ts'
import { seconds } from '../../model/units.ts'
import { askServiceForUri, type AddressOptions } from '../../observe/reading/address.ts'
import { createReadings, MAINTENANCE_DATABASE } from '../../observe/reading/readings.ts'
import { createServiceTime } from '../../service/http/server-time.ts'
import { createService, type ServiceOptions } from '../../service/service.ts'
import { monthBudget } from './month-budget.ts'
import type { PassPlan } from '../pass/pass.ts'

export type DaemonEnvironment = {
  readonly clock: Clock
  readonly random: Random
  readonly store: Store & History
  readonly send: Send
  readonly self: SelfMetrics
  /** What sends requests; default: a pool of connections of its own for each account. */
  readonly dispatcher?: ServiceOptions['dispatcher']
}

export function createPorts(account: AccountConfig, config: Config, machine: DaemonEnvironment): Ports {
  const { clock, random, store, send, self, dispatcher } = machine
  const time = createServiceTime(clock)
  const service = createService({
    baseUrl: account.baseUrl,
    readKey: account.key.read,
    clock,
    random,
    requestsPerMinute: config.service.requestsPerMinute,
    projects: account.projects,
    useConnectionUri: config.service.useConnectionUri,
    ...(account.orgId === undefined ? {} : { orgId: account.orgId }),
    ...(dispatcher && { dispatcher }),
    onRequest: (report) => {
      time.record(report)
      self.request({ ...report, key: account.name })
    },
  })
  const readings = createReadings({
    clock,
    dsn: account.dsn,
    password: () => passwordOf(account),
    ask: config.service.useConnectionUri ? asking(service, config) : undefined,
    database: config.reading.database,
    serviceUsers: config.reading.serviceUsers,
    deadline: config.reading.deadline,
  })
  return {
    clock,
    time,
    random,
    service,
    readings: timedReadings(readings, { clock, self }),
    send,
    store: timed(store, { clock, self }),
    history: store,
  }
}

const asking = (service: Ports['service'], config: Config): AddressOptions['ask'] =>
  askServiceForUri(service, readingCredentials(config))

/** Whose connection strings are asked for, and for which database. */
export const readingCredentials = ({
  reading,
}: Config): { readonly role: string; readonly database: string } => ({
  role: reading.role,
  database: reading.database ?? MAINTENANCE_DATABASE,
})

/** Why the computes of an account cannot be read; undefined where they can, or are not to be. */
export function reasonNotReadable({ dsn }: AccountConfig, { reading, service }: Config): string | undefined {
  if (reading.mode === 'off' || dsn !== undefined || service.useConnectionUri) return undefined
  return 'no credentials: set dsn of the account, or service.use_connection_uri'
}

/** The list of projects shows activity within a minute; never less than a reading is told. Doubled, operations are read more often than they need to be. */
const LIST_LAG = seconds(60)

/** The part of an interval's requests that a pass plans for: turns begin a little early. Doubled slack, a large account is seen that much later. */
const SPENT = 0.98

export function passPlanOf(account: AccountConfig, config: Config): PassPlan {
  const { reading, poll, service, budgets, timezone, owners } = config
  // Without a database for full ones every reading is a light one, and costs as little.
  const mode = reading.mode === 'full' && reading.database === undefined ? 'light' : reading.mode
  return {
    prices: account.prices,
    preset: createPreset(service.preset),
    overhead: reading.overhead,
    budgets: createBudgetScopes([
      ...budgets.filter((budget) => budget.account === account.name),
      monthBudget(account.name, timezone, account.prices.currency),
    ]),
    dayOf: timezone.dayOf,
    owners,
    sweep: {
      requests: Math.max(1, Math.floor((service.requestsPerMinute * poll.interval * SPENT) / 60)),
      interval: poll.interval,
      maxAge: poll.maxAge,
      history: poll.history,
      listLag: seconds(Math.max(LIST_LAG, reading.activityLag)),
      readings: { ...reading, mode },
    },
  }
}

/** A password that cannot be read is none: the reading then fails with what the server says. */
function passwordOf({ dsnPassword }: AccountConfig): string | undefined {
  const text = dsnPassword?.read()
  return text?.ok ? text.value : undefined
}

const timedReadings = (
  readings: Readings,
  { clock, self }: Pick<DaemonEnvironment, 'clock' | 'self'>,
): Readings => ({
  ...readings,
  read: async (compute, kind, signal) => {
    const begun = clock.monotonic()
    const result = await readings.read(compute, kind, signal)
    self.reading(kind, clock.monotonic() - begun)
    return result
  },
})

const timed = (store: Store, { clock, self }: Pick<DaemonEnvironment, 'clock' | 'self'>): Store => ({
  ...store,
  commit: async (batch) => {
    const begun = clock.monotonic()
    await store.commit(batch)
    self.commit(clock.monotonic() - begun)
  },
})
