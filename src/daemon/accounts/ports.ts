import { createBudgetScopes } from '../../ledger/budgets/account-budgets.ts'
import type { AccountConfig, Config } from '../../config/load.ts'
import type { Ports } from '../../model/ports/ports.ts'
import type { Store } from '../../model/ports/store.ts'
import { createPreset } from '../../model/service/sizes.ts'
import { seconds } from '../../model/units.ts'
import { askServiceForUri, databaseInTemplate, MAINTENANCE_DATABASE } from '../../observe/reading/address.ts'
import { createReadings } from '../../observe/reading/readings.ts'
import { createFailedRequests } from '../../service/http/failed-requests.ts'
import { createServiceTime } from '../../service/http/server-time.ts'
import { createService, type ServiceOptions } from '../../service/service.ts'
import { monthBudget } from './month-budget.ts'
import type { DaemonEnvironment } from '../environment.ts'
import type { AdvicePlan } from '../advice/evaluate.ts'
import type { PassPlan } from '../pass/pass-state.ts'

type Environment = Pick<DaemonEnvironment, 'clock' | 'random' | 'send' | 'self' | 'redactor'> & {
  readonly store: Store & Ports['history']
  /** Default: a pool for each account. */
  readonly dispatcher?: ServiceOptions['dispatcher']
}

export function createPorts(account: AccountConfig, config: Config, environment: Environment): Ports {
  const { clock, random, store, send, self, redactor, dispatcher } = environment
  const { requestsPerMinute, useConnectionUri } = config.service
  const time = createServiceTime(clock)
  const requests = createFailedRequests(clock)
  const service = createService({
    baseUrl: account.baseUrl,
    readKey: account.key.read,
    clock,
    random,
    requestsPerMinute,
    projects: account.projects,
    useConnectionUri,
    learn: redactor.learnIssued,
    ...(account.orgId === undefined ? {} : { orgId: account.orgId }),
    ...(dispatcher && { dispatcher }),
    onRequest: (report) => {
      time.record(report)
      requests.record(report)
      self.request({ ...report, key: account.name })
    },
  })
  const { serviceUsers, deadline, authentication, sslmode, sslrootcert } = config.reading
  const readings = createReadings({
    clock,
    dsn: account.dsn,
    password: () => passwordOf(account),
    ask: useConnectionUri ? askServiceForUri(service, readingCredentials(config)) : undefined,
    tls: { sslmode, sslrootcert },
    hosts: account.hosts,
    authentication,
    database: userDatabaseOf(account, config),
    serviceUsers,
    deadline,
  })
  const stored = store.account(account.name)
  /** Calls `record` with the seconds that `work` took, if it succeeds. */
  const timed = async <Value>(record: (took: number) => void, work: () => Promise<Value>) => {
    const startedAt = clock.monotonic()
    const result = await work()
    record(clock.monotonic() - startedAt)
    return result
  }
  return {
    clock,
    serviceTime: time,
    random,
    service,
    readings: {
      ...readings,
      read: (compute, kind, signal) => {
        const record = (took: number) => self.reading(kind, took)
        return timed(record, () => readings.read(compute, kind, signal))
      },
    },
    send,
    store: {
      ...stored,
      commit: (...write) => timed(self.commit, () => stored.commit(...write)),
    },
    epoch: store.epoch,
    history: store,
    redact: redactor.redact,
    failedRequests: requests.share,
  }
}

/** Role and database of the connection strings asked of the service. */
export const readingCredentials = ({ reading: { role, database } }: Config) => ({
  role,
  database: database ?? MAINTENANCE_DATABASE,
})

/** Undefined where they can be read, or where readings are off. */
export function reasonNotReadable({ dsn }: AccountConfig, { reading, service }: Config): string | undefined {
  if (reading.mode === 'off' || dsn !== undefined || service.useConnectionUri) return undefined
  return 'no credentials: set dsn of the account, or service.use_connection_uri'
}

/** Database of full readings; undefined where the configuration names none. */
const userDatabaseOf = ({ dsn }: AccountConfig, { reading }: Config): string | undefined =>
  reading.database ?? (dsn === undefined ? undefined : databaseInTemplate(dsn))

/** After which the project list is assumed to show activity, at the least. */
const MIN_LIST_LAG = seconds(60)
/** Share of an interval's requests that a pass plans for: turns start that early. */
const PLANNED_SHARE = 0.98

export function passPlanOf(account: AccountConfig, config: Config): PassPlan {
  const { reading, poll, service, budgets, timezone, owners } = config
  // without a database for full readings every reading is light
  const isLight = reading.mode === 'full' && userDatabaseOf(account, config) === undefined
  const mode = isLight ? 'light' : reading.mode
  return {
    prices: account.prices,
    preset: createPreset(service.preset),
    overhead: reading.overhead,
    minGap: config.advice.grid,
    budgets: createBudgetScopes([
      ...budgets.filter((budget) => budget.account === account.name),
      monthBudget(account.name, timezone, account.prices.currency),
    ]),
    dayOf: timezone.dayOf,
    owners,
    sweep: {
      requests: Math.max(1, Math.floor((service.requestsPerMinute * poll.interval * PLANNED_SHARE) / 60)),
      interval: poll.interval,
      maxAge: poll.maxAge,
      history: poll.history,
      hasConfiguredProjects: account.projects !== 'discover',
      listLag: seconds(Math.max(MIN_LIST_LAG, reading.activityLag)),
      readings: { ...reading, mode },
    },
  }
}

export const recommends = ({ mode }: Pick<Config, 'mode'>): boolean => mode !== 'off' && mode !== 'observe'

export const advicePlanOf = (
  account: AccountConfig,
  { advice, policies, report }: Config,
  { preset, prices }: PassPlan,
): AdvicePlan => ({
  plan: account.limits,
  preset,
  prices,
  needs: advice,
  policies,
  minSaving: report.minSaving,
})

/** Undefined also where it cannot be read: the reading then fails with the server's message. */
function passwordOf({ dsnPassword }: AccountConfig) {
  const text = dsnPassword?.read()
  return text?.ok ? text.value : undefined
}
