// Looks at one compute, and gaps that follow from them.
import type { Gap } from '../../../src/model/ledger/gap.ts'
import type { OwnSession } from '../../../src/model/ledger/evidence.ts'
import type { Look } from '../../../src/model/observation.ts'
import type { Compute } from '../../../src/model/service/compute.ts'
import { SECOND } from '../../../src/model/units.ts'
import { at, look } from '../../support/build.ts'

export const ref = { account: 'main', projectId: 'project-one', endpointId: 'ep-one' }

/** A look at a compute that started long ago. */
export const active = (when: number, lastActive: number, over: Partial<Compute> = {}): Look =>
  look(when, { state: 'active', startedAt: at(-9000), lastActive: at(lastActive), ...over })

export const session = (when: number, lastClientActivity?: number): OwnSession => ({
  connectedAt: at(when),
  disconnectedAt: at(when + 0.5),
  postmasterStartedAt: at(-9000),
  activeBefore: undefined,
  sawClients: false,
  counts: true,
  lastClientActivity: lastClientActivity === undefined ? undefined : at(lastClientActivity),
  hiddenFrom: at(when - 5),
  arrivalRate: undefined,
})

/** From, low and high in seconds. */
export const secondsOf = (gaps: readonly Gap[]) =>
  gaps.map(({ from, low, high }) => [(from - at(0)) / SECOND, low, high])
