// Holds of people and freezes as the judge keeps them: by what the generator asked for and was promised, apart from the store of the daemon.
import { idsOf } from '../../../support/simulated-service.ts'
import { LOOPBACK } from '../../../support/inside.ts'
import type { WrittenRequest } from '../network.ts'
import type { World } from '../world.ts'
import { createLocalHours } from './local-hours.ts'

/** Computes that a hold is for. */
export type HeldComputes =
  | Readonly<{ of: 'compute' | 'project'; id: string }>
  /** Without replicas. */
  | Readonly<{ of: 'primaries' | 'all' }>

/** @param until ms */
export type AskedHold = Readonly<{ id: string; held: HeldComputes; until: number }>

/** From the answer to the person on, ms. */
type StandingHold = AskedHold & Readonly<{ since: number; resumedAt: number | undefined }>

/** Headers tell the service's time in whole seconds, so that a daemon knows the end of a hold and of a freeze as exactly, ms. */
export const TIME_KNOWN = 1000

/** Between the check of a request and its arrival, ms. */
const ON_ITS_WAY = 1000 * LOOPBACK

export function createStandingHolds({ zone, freeze, lives }: Pick<World, 'zone' | 'freeze' | 'lives'>) {
  const isInside = createLocalHours(zone)
  const primaries = new Set(lives.map((_, index) => idsOf(index).endpointId))
  const holds = new Map<string, StandingHold>()

  const isFrozen = (at: number): boolean =>
    freeze !== undefined && [at, at + TIME_KNOWN].every((time) => isInside(freeze, time))

  function isHeld({ held }: StandingHold, { projectId, endpointId }: WrittenRequest): boolean {
    switch (held.of) {
      case 'all':
        return true
      case 'primaries':
        return primaries.has(endpointId)
      case 'compute':
        return held.id === endpointId
      case 'project':
        return held.id === projectId
    }
  }

  return {
    place: (hold: AskedHold, now: number): void =>
      void holds.set(hold.id, { ...hold, since: now, resumedAt: undefined }),
    /** A person asks for its end. */
    resume: (id: string, now: number): void => {
      const hold = holds.get(id)
      if (hold) holds.set(id, { ...hold, resumedAt: now })
    },
    ids: () => holds.keys(),
    /** Id of a hold that stood over the compute when the request was written, or `freeze`; undefined where none did. */
    over: (request: WrittenRequest): string | undefined => {
      const at = request.writtenAt - ON_ITS_WAY
      const standing = [...holds.values()].find(
        ({ since, until, resumedAt = Infinity, ...hold }) =>
          at > since &&
          at < Math.min(until - TIME_KNOWN, resumedAt) &&
          isHeld({ since, until, resumedAt, ...hold }, request),
      )
      return standing?.id ?? (isFrozen(at) ? 'freeze' : undefined)
    },
  }
}
