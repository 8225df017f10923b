// Looks and readings of one compute folded into its rollups, as a daemon does it.
import { rollUp, type RollupInput, type RollupUpdate } from '../../../src/ledger/rollup/roll-up.ts'
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
export const nothing: RollupInput = {
  ref,
  before: undefined,
  readBefore: undefined,
  looks: [],
  readings: [],
  limitOf: () => 100,
  isDeleted: false,
  preset,
}

type Step = { readonly looks?: readonly Look[]; readonly readings?: readonly ReadingAttempt[] }

/** Each step folded into what the one before left, through the text that a store keeps. */
export function folded(...steps: readonly Step[]): RollupUpdate {
  let state: RollupState = NO_ROLLUPS
  let before: RollupInput['before']
  let readBefore: RollupInput['readBefore']
  const closed: Rollup[] = []
  for (const { looks = [], readings = [] } of steps) {
    const rolled = rollUp(state, { ...nothing, before, readBefore, looks, readings })
    state = { ...NO_ROLLUPS, ...(JSON.parse(JSON.stringify(rolled.state)) as Partial<RollupState>) }
    const last = looks.at(-1)
    before = last ? { compute: last.compute, at: last.answeredAt } : before
    readBefore = readings.reduce(known, readBefore)
    closed.push(...rolled.closed)
  }
  return { state, closed }
}

/** What an account keeps of its readings, as far as the next fold asks for it. */
const known = (
  before: RollupInput['readBefore'],
  { disconnectedAt, result }: ReadingAttempt,
): RollupInput['readBefore'] =>
  result.kind === 'read'
    ? { last: { ...result.reading, at: disconnectedAt }, failures: 0, lastAttemptAt: disconnectedAt }
    : { last: before?.last, failures: (before?.failures ?? 0) + 1, lastAttemptAt: disconnectedAt }

/** A look at a compute that is awake since long. */
export const active = (when: number, over: Partial<Look['compute']> = {}): Look =>
  look(when, { state: 'active', startedAt: at(-60), ...over })

export const fine = ({ closed }: RollupUpdate): readonly Rollup[] =>
  closed.filter(({ length }) => length === FINE_STEP)
export const coarse = ({ closed }: RollupUpdate): readonly Rollup[] =>
  closed.filter(({ length }) => length === COARSE_STEP)
