// The same computes under other conditions: records that show no activity, and a daemon that is killed.
import type { Gap } from '../../../src/model/ledger/gap.ts'
import type { RecommendationsJson } from '../../../src/outputs/text/recommendation-schema.ts'
import type { LifeOfCompute } from './lives.ts'
import { runAccount } from './run-account.ts'
import type { RunningAccount } from './running-account.ts'

/** Computes and days of a variant. The computes are the busiest: these have gaps and recommendations within that time. */
const COMPUTES = 8
const DAYS = 10

const busiest = (lives: readonly LifeOfCompute[]) =>
  lives.toSorted((a, b) => b.active.length - a.active.length).slice(0, COMPUTES)

export type HiddenActivity = Readonly<{ computes: number; below: number }>

/** Delays below the one in force that are recommended on any day while only operations show use. */
export async function countBelow(lives: readonly LifeOfCompute[]): Promise<HiddenActivity> {
  const few = busiest(lives)
  const below = new Set<string>()
  await runAccount({
    lives: few,
    days: DAYS,
    showsActivity: false,
    dayEnded: async (_, account) => {
      const { recommendations } = await account.recommendations()
      for (const { id, kind, from, to } of recommendations)
        if (kind === 'delay' && rank(to) < rank(from)) below.add(id)
    },
  })
  return { computes: few.length, below: below.size }
}

const rank = ({ delay_seconds: delay = 0 }: RecommendationsJson['recommendations'][number]['to']) =>
  delay === 'never' ? Infinity : delay

export type KillComparison = Readonly<{
  kills: number
  gaps: number
  gapsThatDiffer: number
  recommendations: number
  recommendationsThatDiffer: number
}>

/** Chance of a kill after each commit: about one a day of virtual time. */
const KILLS = 0.001
/** Looks of two runs differ by less than their distance; so do the bounds of a gap, seconds. */
const MAX_SHIFT = 120

/** The same days twice, once with kills. */
export async function compareAfterKills(lives: readonly LifeOfCompute[]): Promise<KillComparison> {
  const few = busiest(lives)
  const [whole, killed] = [await endState(few, 0), await endState(few, KILLS)]
  const lost = whole.gaps.filter((gap) => killed.gaps.filter((other) => isSameGap(gap, other)).length !== 1)
  const added = killed.gaps.length - (whole.gaps.length - lost.length)
  const before = new Set(whole.recommendations)
  const differing = new Set(killed.recommendations).symmetricDifference(before)
  return {
    kills: killed.kills,
    gaps: whole.gaps.length,
    gapsThatDiffer: lost.length + added,
    recommendations: before.size,
    recommendationsThatDiffer: differing.size,
  }
}

const isSameGap = (a: Gap, b: Gap): boolean =>
  a.ref.endpointId === b.ref.endpointId &&
  a.hiddenBelow === b.hiddenBelow &&
  Math.abs(a.from - b.from) < MAX_SHIFT * 1000 &&
  Math.max(a.low, b.low) <= Math.min(a.high, b.high)

type EndState = Readonly<{ gaps: readonly Gap[]; recommendations: readonly string[]; kills: number }>

async function endState(lives: readonly LifeOfCompute[], kills: number): Promise<EndState> {
  let state: Omit<EndState, 'kills'> = { gaps: [], recommendations: [] }
  const dayEnded = async (day: number, account: RunningAccount) => {
    if (day < DAYS) return
    const { recommendations } = await account.recommendations()
    state = {
      gaps: await account.gaps(),
      recommendations: recommendations.map(({ id, from, to, state: life }) =>
        JSON.stringify([id, from, to, life]),
      ),
    }
  }
  const run = await runAccount({ lives, days: DAYS, kills, dayEnded })
  return { ...state, kills: run.kills }
}
