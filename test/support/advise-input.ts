// What advisers judge one compute by, with quiet defaults: 0.25 CU, autosuspend off, nothing observed.
import type { AdviseInput } from '../../src/advise/input.ts'
import { newComputeEntry } from '../../src/ledger/apply-facts.ts'
import type { AwakeInterval, Edge } from '../../src/model/ledger/evidence.ts'
import type { ComputeEntry } from '../../src/model/ledger/ledger.ts'
import { eachBound, type DayRow } from '../../src/model/ledger/quantities.ts'
import { RECOMMENDATION_KINDS } from '../../src/model/policy/recommendation.ts'
import type { Compute } from '../../src/model/service/compute.ts'
import { createPreset } from '../../src/model/service/sizes.ts'
import { cu, cuMillis, micros, millis, ratio, seconds } from '../../src/model/units.ts'
import { at, look, prices } from './build.ts'

const DAY_SECONDS = 86_400

export const adviseRef = { account: 'main', projectId: 'project-one', endpointId: 'ep-one' }

export const adviseEntry = (
  over: Partial<ComputeEntry> = {},
  record: Partial<Compute> = {},
): ComputeEntry => ({
  ...newComputeEntry(
    adviseRef,
    look(0, { sizing: { fixed: cu(0.25) }, autosuspendDelay: 'never', ...record }),
    false,
  ),
  ...over,
})

/** Evaluated on the 30th day after `at(0)`. The plan is `scale`. */
export const adviseInput = (over: Partial<AdviseInput> = {}): AdviseInput => ({
  entry: adviseEntry(),
  project: undefined,
  preset: createPreset('2026-03'),
  plan: {
    delays: { from: seconds(60), to: seconds(604_800) },
    mayNever: true,
    largestFixed: cu(56),
    largestInRange: cu(16),
    widestRange: cu(8),
    hasRanges: true,
    largestSuspending: cu(16),
  },
  policy: {
    kinds: RECOMMENDATION_KINDS,
    floor: seconds(60),
    ceiling: seconds(604_800),
    wakeCost: seconds(300),
    sizing: { min: undefined, max: undefined, neverDown: false, hitRatio: ratio(0.99) },
  },
  needs: {
    minHistory: seconds(3 * DAY_SECONDS),
    minGaps: 30,
    minPeaks: seconds(7 * DAY_SECONDS),
    grid: seconds(60),
  },
  prices: { ...prices, periods: [{ from: at(-DAY_SECONDS * 365), perCuHour: micros(106_000) }] },
  gaps: [],
  settings: [{ ref: adviseRef, since: at(0), delay: 'never', sizing: { fixed: cu(0.25) } }],
  days: [],
  hours: [],
  steps: [],
  intervals: [],
  utilisation: { used: cuMillis(0), capacity: cuMillis(0) },
  previous: [],
  now: at(30 * DAY_SECONDS),
  ...over,
})

const edge = (when: number): Edge => ({
  earliest: at(when),
  likely: at(when),
  latest: at(when),
  source: 'record',
})

/** From a wake on, seconds after `at(0)`; in progress without an end. */
export const awakeInterval = (
  from: number,
  to: number | undefined,
  knownUntil = to ?? from,
): AwakeInterval => ({
  from: edge(from),
  to: to === undefined ? undefined : edge(to),
  knownUntil: at(knownUntil),
  restart: false,
})

/** A day of 0.25 CU that was awake for `hours`. */
const dayRow = (day: number, hours: number): DayRow => ({
  ref: adviseRef,
  date: `day ${day}`,
  from: at(day * DAY_SECONDS),
  to: at((day + 1) * DAY_SECONDS),
  awake: eachBound(() => millis(hours * 3_600_000)),
  cuTime: { 106_000: eachBound(() => cuMillis(0.25 * hours * 3_600_000)) },
  idleTail: millis(0),
  observerOverhead: millis(0),
  wakes: 1,
  version: 1,
})

/** 30 days, each awake for `hours`. */
export const month = (hours: number) => Array.from({ length: 30 }, (_, day) => dayRow(day, hours))

/** Evaluated after a month in which the compute was always awake. */
export const inputAfterMonth = (
  record: Partial<Compute>,
  over: Partial<AdviseInput> = {},
  current?: AwakeInterval,
) => adviseInput({ entry: adviseEntry({ current }, record), days: month(24), ...over })
