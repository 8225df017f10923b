// Changes of one account, on a memory store and with rules that hold nothing.
import type { AccountConfig, Config } from '../../../src/config/load.ts'
import { createChangeRunner, type ChangeRunner } from '../../../src/daemon/changes/change-runner.ts'
import type { PassState } from '../../../src/daemon/pass/pass-state.ts'
import { createPolicies } from '../../../src/model/policy/policies.ts'
import type { PlacedHold } from '../../../src/model/policy/placed-hold.ts'
import type { Clock } from '../../../src/model/ports/clock.ts'
import type { Ports } from '../../../src/model/ports/ports.ts'
import type { Readings } from '../../../src/model/ports/readings.ts'
import type { Service } from '../../../src/model/ports/service.ts'
import { seconds } from '../../../src/model/units.ts'
import { preset, reading } from '../../support/build.ts'
import type { memoryStore } from '../../support/memory-store.ts'
import { NO_HISTORY } from '../../support/no-history.ts'

type Given = Readonly<{
  clock: Clock
  memory: ReturnType<typeof memoryStore>
  state: PassState
  config?: Partial<Config>
  holds?: readonly PlacedHold[]
  isKilled?: boolean
  service: Service
  readings?: Partial<Readings> | undefined
}>

/** Seven sessions of clients. */
const READINGS: Readings = {
  refusalOf: () => undefined,
  prepare: () => Promise.resolve(undefined),
  read: () =>
    Promise.resolve({
      kind: 'read',
      reading: reading({ connections: { active: 2, idle: 3, idleInTransaction: 1, other: 1 } }),
    }),
  evict: () => undefined,
}

export const runnerOf = ({
  clock,
  memory,
  state,
  config,
  holds = [],
  isKilled = false,
  service,
  readings,
}: Given): ChangeRunner =>
  createChangeRunner({
    account: { name: 'main', limits: undefined } as AccountConfig,
    config: () =>
      ({
        mode: 'suggest',
        policies: createPolicies([]),
        changes: { freeze: [] },
        windows: new Map(),
        reading: { mode: 'light' },
        service: { settle: seconds(120), requestsPerMinute: 6000 },
        ...config,
      }) as unknown as Config,
    ports: {
      clock,
      random: { unit: () => 0.5, uuid: () => '' },
      store: memory.account('main'),
      epoch: memory.epoch,
      history: NO_HISTORY,
      send: () => Promise.resolve([]),
      service,
      readings: { ...READINGS, ...readings },
    } as unknown as Ports,
    journal: memory,
    isCurrent: () => memory.isCurrent(),
    initial: { open: [], holds, forced: [], brakes: [] },
    killSwitch: { isEngaged: () => isKilled },
    log: { info: () => undefined, warn: () => undefined, error: () => undefined } as never,
    isPassing: () => false,
    state: () => state,
    preset: () => preset,
  })
