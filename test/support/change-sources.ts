// Sources of commands and pages about changes, over a journal in memory.
import { pino } from 'pino'
import type { Config } from '../../src/config/load.ts'
import type { ChangeRunner } from '../../src/daemon/changes/change-runner.ts'
import type { ChangeSources } from '../../src/daemon/changes/list-changes.ts'
import type { UpcomingPutBack } from '../../src/daemon/changes/steps/upcoming.ts'
import type { Snapshot } from '../../src/model/output/snapshot.ts'
import type { Change, ChangeEvent, OpenChange } from '../../src/model/policy/change.ts'
import type { Clock } from '../../src/model/ports/clock.ts'
import { createPolicies } from '../../src/model/policy/policies.ts'
import type { StoredBrake } from '../../src/model/policy/brakes.ts'
import type { PlacedHold } from '../../src/model/policy/placed-hold.ts'
import type { Window } from '../../src/calendar/window.ts'
import type { Interval } from '../../src/model/units.ts'
import type { Journal } from '../../src/model/ports/journal.ts'
import { createPreset } from '../../src/model/service/sizes.ts'
import { seeded } from '../simulation/seeded.ts'
import { journalOf } from './memory-journal.ts'
import { NO_HISTORY } from './no-history.ts'
import { placedHoldsOf, storedBrakesOf } from './placed-holds.ts'

export type ShownChanges = Readonly<{
  changes: readonly Change[]
  events?: readonly ChangeEvent[]
  /** By the id of the change. */
  holds?: ReadonlyMap<string, NonNullable<OpenChange['hold']>>
  /** By the id of the change. */
  slots?: ReadonlyMap<string, Interval>
  /** Of the kill switch. */
  engagedBy?: readonly string[]
  /** Holds of people that stand. */
  placed?: readonly PlacedHold[]
  /** Stored brakes. */
  brakes?: readonly StoredBrake[]
  /** Freezes by name. */
  freezes?: ReadonlyMap<string, Window>
  /** After periods of budgets. */
  putBacks?: readonly UpcomingPutBack[]
  /** Default: `suggest`. */
  mode?: Config['mode']
}>

export const shownJournal = ({ changes, events = [] }: ShownChanges): Journal =>
  journalOf(
    (account) =>
      ({
        changes: new Map(changes.filter(({ ref }) => ref.account === account).map((one) => [one.id, one])),
        changeEvents: events,
        savedParts: new Map(),
        placedHolds: new Map(),
        forcedChanges: new Map(),
        brakes: new Map(),
      }) as never,
  )

export function changeSources(
  shown: ShownChanges,
  { snapshot, clock }: Readonly<{ snapshot: () => Snapshot | undefined; clock: Clock }>,
): ChangeSources {
  const { placed = [], brakes = [], freezes = new Map() } = shown
  const runner: Pick<
    ChangeRunner,
    'holdOf' | 'slotOf' | 'now' | 'limits' | 'placedHolds' | 'storedBrakes' | 'engagedBrakes'
  > = {
    placedHolds: placedHoldsOf({ initial: { holds: placed, forced: [] } }),
    storedBrakes: storedBrakesOf({ initial: brakes }),
    engagedBrakes: () => [
      ...(freezes.size > 0 ? (['freeze'] as const) : []),
      ...(placed.length > 0 ? (['hold'] as const) : []),
      ...brakes.map(({ name }) => name),
    ],
    holdOf: (id) => shown.holds?.get(id),
    slotOf: (change) => shown.slots?.get(change.id),
    now: () => clock.now(),
    limits: () => ({ preset: createPreset('2026-03'), limits: undefined }),
  }
  const engagedBy = () => [...(shown.engagedBy ?? [])]
  return {
    snapshot,
    clock,
    journal: shownJournal(shown),
    history: NO_HISTORY,
    random: seeded(1),
    runnerOf: () => runner as ChangeRunner,
    log: pino({ level: 'silent' }),
    config: () => ({
      mode: shown.mode ?? 'suggest',
      windows: freezes,
      changes: { freeze: [...freezes.keys()], isKilled: false },
      policies: createPolicies([]),
    }),
    putBacksIn: () => Promise.resolve(shown.putBacks ?? []),
    killSwitch: {
      isEngaged: () => engagedBy().length > 0,
      engagedBy,
      announce: () => Promise.resolve(),
      set: () => Promise.reject(new Error()),
    },
  }
}
