// Looks and readings of one compute folded into its rollups, as a daemon does it.
import { rollUp, type RolledUpEntry, type RollupUpdate } from '../../../src/ledger/rollup/roll-up.ts'
import type { Look, ReadingAttempt } from '../../../src/model/observation.ts'
import {
  COARSE_STEP,
  FINE_STEP,
  NO_ROLLUPS,
  type Rollup,
  type RollupState,
} from '../../../src/model/ledger/rollup.ts'
import { at, look, preset } from '../../support/build.ts'

const ref = { account: 'main', projectId: 'project-one', endpointId: 'ep-one' }

/** Nothing is new. */
export const nothing = { ref, looks: [], readings: [], deletion: undefined }

type Step = { readonly looks?: readonly Look[]; readonly readings?: readonly ReadingAttempt[] }

/** Each step folded into what the one before left, through the text that a store keeps. */
export function folded(...steps: readonly Step[]): RollupUpdate {
  let state = NO_ROLLUPS
  let before: RolledUpEntry | undefined
  const closed: Rollup[] = []
  for (const { looks = [], readings = [] } of steps) {
    const rolled = rollUp(before, { ...nothing, looks, readings }, preset)
    const last = looks.at(-1) ?? readings.at(-1)?.look ?? look(0)
    state = { ...NO_ROLLUPS, ...(JSON.parse(JSON.stringify(rolled.state)) as Partial<RollupState>) }
    before = {
      compute: last.compute,
      observedAt: last.answeredAt,
      reading: readings.reduce(known, before?.reading ?? NEVER_READ),
      rollups: state,
    }
    closed.push(...rolled.closed)
  }
  return { state, closed }
}

export const NEVER_READ: RolledUpEntry['reading'] = { last: undefined, failures: 0, lastAttemptAt: undefined }

/** What an account keeps of its readings, as far as the next fold asks for it. */
const known = (
  before: RolledUpEntry['reading'],
  { disconnectedAt, result }: ReadingAttempt,
): RolledUpEntry['reading'] =>
  result.kind === 'read'
    ? { last: { ...result.reading, at: disconnectedAt }, failures: 0, lastAttemptAt: disconnectedAt }
    : { last: before.last, failures: before.failures + 1, lastAttemptAt: disconnectedAt }

/** A look at a compute that is awake since long. */
export const active = (when: number, over: Partial<Look['compute']> = {}): Look =>
  look(when, { state: 'active', startedAt: at(-60), ...over })

export const fine = ({ closed }: RollupUpdate): readonly Rollup[] =>
  closed.filter(({ length }) => length === FINE_STEP)
export const coarse = ({ closed }: RollupUpdate): readonly Rollup[] =>
  closed.filter(({ length }) => length === COARSE_STEP)
