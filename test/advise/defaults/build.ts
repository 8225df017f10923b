// Lives of preview computes, and what the defaults of their project are judged by.
import { adviseDefaults } from '../../../src/advise/defaults/advise-defaults.ts'
import type { ComputeLife, DefaultsInput } from '../../../src/advise/defaults/input.ts'
import { eachBound } from '../../../src/model/ledger/quantities.ts'
import type { Proposal } from '../../../src/model/policy/recommendation.ts'
import { seenStep } from '../../../src/advise/sizing/load-seen.ts'
import type { Sizing } from '../../../src/model/service/compute.ts'
import { cu, cuMillis, millis, seconds } from '../../../src/model/units.ts'
import { adviseInput, adviseRef, awakeInterval } from '../../support/advise-input.ts'
import { at, project } from '../../support/build.ts'
import { bucket, fixed } from '../sizing/build.ts'

export const HOUR = 3600
export const DAY = 24 * HOUR

/**
 * Seconds after `at(0)`: a client at the start and again after 30 minutes, each followed by 300 s awake; deleted an hour after the start.
 */
export function lifeFrom(start: number, over: Partial<ComputeLife> = {}): ComputeLife {
  const ref = { ...adviseRef, endpointId: `ep-${start}` }
  const awake = (from: number): ComputeLife['intervals'][number] => ({
    ref,
    interval: awakeInterval(from, from + 300),
    cuTime: { 106_000: eachBound(() => cuMillis(300_000)) },
    idleTail: millis(300_000),
    attribution: {},
  })
  return {
    deletedAt: at(start + HOUR),
    gaps: [],
    settings: [{ ref, since: at(start + 30), delay: seconds(300), sizing: { fixed: cu(1) } }],
    intervals: [awake(start), awake(start + 1800)],
    steps: [],
    ...over,
  }
}

/** 30 a day for as many days up to the 30th after `at(0)`. */
export const livesOf = (days: number, over: (start: number) => Partial<ComputeLife> = () => ({})) =>
  Array.from({ length: 30 * days }, (_, index) => {
    const start = 30 * DAY - 3 * HOUR - (30 * days - 1 - index) * (DAY / 30)
    return lifeFrom(start, over(start))
  })

const { plan, preset, policy, needs, prices, utilisation, now } = adviseInput()

export const defaultsInput = (over: Partial<DefaultsInput> = {}): DefaultsInput => ({
  ref: { account: 'main', projectId: 'project-one' },
  project: project(),
  atOnce: 2,
  lives: livesOf(7),
  plan,
  preset,
  policy,
  needs,
  prices,
  utilisation,
  previous: [],
  now,
  ...over,
})

export const proposed = (over: Partial<DefaultsInput> = {}): Proposal => {
  const result = adviseDefaults(defaultsInput(over))
  if (!('ref' in result)) throw new Error(`withheld: ${result.because}`)
  return result
}

export type LifeOptions = Readonly<{
  sizing?: Sizing
  load?: number
  peak?: number
  awake?: number
  size?: number
}>

/** Of `sizing`, with a reading of 0.1 active sessions in each of its awake times; awake for 300 s after each client, at `size`. */
export const sized =
  ({ sizing = fixed(2), load = 0.1, peak = 4, awake = 300, size = 2 }: LifeOptions = {}) =>
  (start: number): Partial<ComputeLife> => ({
    settings: lifeFrom(start).settings.map((one) => ({ ...one, delay: seconds(awake), sizing })),
    intervals: [start, start + 1800].map((from) => ({
      ...lifeFrom(start).intervals[0]!,
      interval: awakeInterval(from, from + awake),
      cuTime: { 106_000: eachBound(() => cuMillis(size * awake * 1000)) },
      idleTail: millis(awake * 1000),
    })),
    steps: [seenStep(bucket(start, { load, peak }))],
  })
