// Windows of policies that close while a change waits for them.
import type { Change } from '../../../../src/model/policy/change.ts'
import { idsOf } from '../../../support/simulated-service.ts'
import type { EventLog } from '../event-log.ts'
import { createLocalHours } from './local-hours.ts'
import type { World } from '../world.ts'

type WatchOptions = Readonly<{ world: World; log: EventLog; changes: () => readonly Change[] }>

/** To be called once a minute. */
export function createWindowWatch({ world, log, changes }: WatchOptions): (now: number) => void {
  const isInside = createLocalHours(world.zone)
  /** Number of the project → when its window opened. */
  const openSince = new Map<number, number>()
  const waited = (index: number, since: number): number =>
    changes().filter(
      ({ ref, kind, when, state, createdAt }) =>
        ref.projectId === idsOf(index).projectId &&
        kind !== 'delay' &&
        when === 'policy' &&
        state.at === 'scheduled' &&
        createdAt < since,
    ).length
  return (now) => {
    for (const [index, { windows }] of world.rules.entries()) {
      const isOpen = windows.some((window) => isInside(window, now))
      const since = openSince.get(index)
      if (isOpen && since === undefined) openSince.set(index, now)
      if (isOpen || since === undefined) continue
      openSince.delete(index)
      const count = waited(index, since)
      log.note('window closed', { index, waited: count })
      log.count('windows_closed_while_waiting', count)
    }
  }
}
