// Snapshots of fleets, as a pass publishes them.
import type { AccountInput } from '../../src/daemon/snapshot/account-view.ts'
import { takeSnapshot } from '../../src/daemon/snapshot/snapshot.ts'
import { newPassState } from '../../src/daemon/pass/pass-state.ts'
import type { Compute, Project } from '../../src/model/service/compute.ts'
import type { AwakeIndicators, Reading, ReadingAttempt } from '../../src/model/observation.ts'
import { createOwners, type Owners } from '../../src/model/policy/owner.ts'
import { createPreset } from '../../src/model/service/sizes.ts'
import type { Snapshot } from '../../src/model/output/snapshot.ts'
import { bytes, millis, seconds } from '../../src/model/units.ts'
import { accounted } from './accounted.ts'
import { at, attempt, ledger, look, prices, project, reading, sweep } from './build.ts'

/** When snapshots are taken, seconds after `at(0)`. */
export const TAKEN = 6000

export type FleetOptions = {
  /** Default: 1. */
  readonly computesPerProject?: number
  /** Deviations from the quiet default, by index of the project or compute. */
  readonly project?: (index: number) => Partial<Project>
  readonly compute?: (index: number) => Partial<Compute>
  readonly readings?: readonly ReadingAttempt[]
  readonly owners?: Owners
  /** The rest of what is shown of the account. */
  readonly shown?: Partial<AccountInput>
}

/** `count` computes that are awake, each read twice with all that a reading may tell. */
export const busySnapshot = (count: number, options: FleetOptions = {}): Snapshot =>
  snapshotOf(count, {
    compute: () => ({ state: 'active', suspendedAt: undefined, lastActive: at(TAKEN - 10) }),
    readings: Array.from({ length: 2 * count }, (_, index) => {
      const compute = Math.floor(index / 2)
      const when = TAKEN - (index % 2 === 0 ? 300 : 10)
      const projectId = `project-${Math.floor(compute / (options.computesPerProject ?? 1))}`
      return attempt(when, {
        ref: { account: 'main', projectId, endpointId: `ep-${compute}` },
        result: { kind: 'read', reading: fullReading(when + 0.1) },
      })
    }),
    ...options,
  })

const fullReading = (when: number): Reading =>
  reading({
    serverTime: at(when),
    connections: { active: 2, idle: 3, idleInTransaction: 1, other: 1 },
    cache: { hits: 990, misses: 10, used: bytes(2 ** 20), writes: 12 },
    cacheLimit: bytes(2 ** 30),
    workingSet: [60, 300, 900, 3600].map((window) => ({ window: seconds(window), size: bytes(8192) })),
    causes: { ...reading().causes, longestTransaction: seconds(2.5) } as AwakeIndicators,
    usage: { sessions: 1, activeTime: millis(when) },
  })

/** `count` computes `ep-0`… in projects `project-0`…, all asleep since 100 s. */
export function snapshotOf(count: number, options: FleetOptions = {}): Snapshot {
  const { computesPerProject = 1, readings = [], owners = createOwners([]) } = options
  const projectId = (index: number): string => `project-${Math.floor(index / computesPerProject)}`
  const known = accounted(
    ledger(),
    sweep(TAKEN, {
      projects: Array.from({ length: Math.ceil(count / computesPerProject) }, (_, index) =>
        project({ projectId: `project-${index}`, ...options.project?.(index) }),
      ),
      looks: Array.from({ length: count }, (_, index) =>
        look(TAKEN, {
          projectId: projectId(index),
          endpointId: `ep-${index}`,
          startedAt: at(0),
          lastActive: at(10),
          suspendedAt: at(100),
          ...options.compute?.(index),
        }),
      ),
      readings,
    }),
    { prices, overhead: 0.01, now: at(TAKEN) },
  ).ledger
  const begun = newPassState(known)
  const service = { ...begun.service, status: 'ok' as const, lastSweepAt: at(TAKEN) }
  const persistence = { ...begun.persistence, storedAt: at(TAKEN) }
  const state = { ...begun, service, persistence }
  const shown = { state, prices, preset: createPreset('interface'), ...options.shown }
  return takeSnapshot([shown], {
    now: at(TAKEN),
    version: 1,
    passSeconds: seconds(1),
    staleAfter: seconds(180),
    activityLag: seconds(60),
    owners,
  })
}
