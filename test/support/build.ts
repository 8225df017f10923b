// Builders with quiet defaults: nothing happens; a test changes the one thing it is about.
import { EMPTY_EVIDENCE } from '../../src/ledger/evidence/evidence.ts'
import type { Compute, Project } from '../../src/model/service/compute.ts'
import type { Evidence, StateObservation } from '../../src/model/ledger/evidence.ts'
import { NO_READING_COUNTS, type Ledger } from '../../src/model/ledger/ledger.ts'
import type { Look, Reading, ReadingAttempt, Sweep } from '../../src/model/observation.ts'
import type { Operation } from '../../src/model/service/operation.ts'
import type { Prices } from '../../src/model/ledger/quantities.ts'
import { NO_BACKLOG, NO_LIST, NO_PENDING_RETRIES } from '../../src/observe/sweep.ts'
import { NO_ACCOUNT_COUNTERS } from '../../src/model/ledger/counters.ts'
import { createPreset } from '../../src/model/service/sizes.ts'
import { bytes, cu, instant, micros, millis, seconds, type Instant } from '../../src/model/units.ts'

/** 2026-01-05T00:00:00Z, a Monday, and `offset` seconds. */
export const at = (offset: number): Instant => instant(Date.UTC(2026, 0, 5) + offset * 1000)

export const prices: Prices = {
  currency: 'USD',
  periods: [{ from: at(-86_400 * 365), perCuHour: micros(106_000) }],
}

export const preset = createPreset('interface')

export const compute = (over: Partial<Compute> = {}): Compute => ({
  endpointId: 'ep-one',
  projectId: 'project-one',
  branchId: 'br-one',
  name: undefined,
  regionId: 'local',
  host: 'ep-one.local',
  type: 'read_write',
  state: 'idle',
  pendingState: undefined,
  sizing: { fixed: cu(1) },
  autosuspendDelay: seconds(300),
  poolerEnabled: false,
  disabled: false,
  lastActive: undefined,
  startedAt: undefined,
  suspendedAt: undefined,
  createdAt: at(-3600),
  updatedAt: at(-3600),
  ...over,
})

export const project = (over: Partial<Project> = {}): Project => ({
  projectId: 'project-one',
  name: 'one',
  regionId: 'local',
  platformId: 'local',
  pgVersion: 17,
  cpuUsedSeconds: 0,
  activeSeconds: undefined,
  updatedAt: at(-3600),
  computeLastActiveAt: undefined,
  defaultAutosuspendDelay: undefined,
  ...over,
})

/** A look that took no time. */
export const look = (when: number, over: Partial<Compute> = {}): Look => ({
  compute: compute(over),
  askedAt: at(when),
  answeredAt: at(when),
  askedOn: seconds(when),
})

export const operation = (action: string, when: number, over: Partial<Operation> = {}): Operation => ({
  operationId: `op-${action}-${when}`,
  projectId: 'project-one',
  endpointId: 'ep-one',
  action,
  status: 'finished',
  failuresCount: 0,
  createdAt: at(when),
  updatedAt: at(when),
  ...over,
})

export const sighting = (state: StateObservation['state'], when: number): StateObservation => ({
  state,
  askedAt: at(when),
  answeredAt: at(when),
  record: undefined,
})

export const evidence = (over: Partial<Evidence> = {}): Evidence => ({ ...EMPTY_EVIDENCE, ...over })

export const reading = (over: Partial<Reading> = {}): Reading => ({
  kind: 'full',
  postmasterStartedAt: at(0),
  serverTime: at(0),
  maxConnections: 450,
  reservedConnections: 3,
  cacheLimit: undefined,
  connections: { active: 0, idle: 0, idleInTransaction: 0, other: 0 },
  causes: {
    working: 0,
    idleInTransaction: 0,
    replication: 0,
    subscriptions: 0,
    autovacuum: 0,
    prepared: 0,
    lastForeignStatement: undefined,
    longestTransaction: undefined,
  },
  clients: [],
  usage: { sessions: 0, activeTime: millis(0) },
  cache: { hits: 0, misses: 0, used: bytes(0), writes: 0 },
  workingSet: [],
  ...over,
})

export const attempt = (when: number, over: Partial<ReadingAttempt> = {}): ReadingAttempt => ({
  ref: { account: 'main', projectId: 'project-one', endpointId: 'ep-one' },
  connectedAt: at(when),
  disconnectedAt: at(when + 0.1),
  result: { kind: 'read', reading: reading({ serverTime: at(when + 0.1) }) },
  look: look(when, { state: 'active' }),
  expectedCost: seconds(0),
  activityLag: seconds(5),
  ...over,
})

export const sweep = (when: number, over: Partial<Sweep> = {}): Sweep => ({
  account: 'main',
  startedAt: at(when),
  endedAt: at(when),
  projects: [project()],
  activities: [],
  list: NO_LIST,
  backlog: NO_BACKLOG,
  retries: NO_PENDING_RETRIES,
  requestsMade: 0,
  looks: [],
  listedComputes: [],
  operations: [],
  operationsReadOf: ['project-one'],
  unreadableOperations: [],
  readings: [],
  refusals: [],
  problems: [],
  service: 'ok',
  ...over,
})

export const ledger = (over: Partial<Ledger> = {}): Ledger => ({
  account: 'main',
  computes: new Map(),
  deleted: new Map(),
  projects: new Map(),
  readings: NO_READING_COUNTS,
  budgets: {},
  counters: NO_ACCOUNT_COUNTERS,
  ...over,
})
