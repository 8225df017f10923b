// What seeds together came to, and what they must have seen.
import { createHash } from 'node:crypto'
import { sumOf } from '../../../src/std/sum.ts'
import { COUNTED, type Counted } from './event-log.ts'
import type { CaughtRule } from './run-seeds.ts'
import type { SeedResult } from './run-seed.ts'
import { COMPUTES } from './world.ts'

/** For each seed and day: calm days prove nothing. */
const REQUIRED: Partial<Readonly<Record<Counted, number>>> = {
  changes_sent: 10,
  uncertain_answers: 2,
  crashes_inside_change: 3,
  foreign_changes_during_change: 1,
  windows_closed_while_waiting: 0.5,
  quiet_restarts: 0.05,
  reverts: 0.5,
  holds: 1,
  budget_rungs: 0.75,
}

export type Summary = ReturnType<typeof summarise>

type Run = Readonly<{ first: number; days: number; rules?: readonly CaughtRule[] | undefined }>

export function summarise(results: readonly SeedResult[], { first, days, rules }: Run) {
  const seeds = results.length
  const sum = (name: keyof SeedResult['sums']): number => sumOf(results, ({ sums }) => sums[name])
  const lived = sumOf(results, (result) => result.lived)
  return {
    schema_version: 1,
    first_seed: first,
    seeds,
    days,
    computes_per_seed: COMPUTES,
    compute_days: COMPUTES * seeds * days,
    times_real_time: Math.round(lived / sumOf(results, ({ took }) => took)),
    digest: createHash('sha256')
      .update(results.map(({ digest }) => digest).join('\n'))
      .digest('hex'),
    violations: results.flatMap(({ seed, violation }) =>
      violation
        ? [
            {
              seed,
              at: new Date(violation.at).toISOString(),
              invariant: violation.invariant,
              detail: violation.detail,
            },
          ]
        : [],
    ),
    took_effect_twice: sum('took_effect_twice'),
    lost_changes: sum('lost_changes'),
    overwritten_values: sum('overwritten_values'),
    sessions_interrupted_outside_rules: sum('sessions_interrupted_outside_rules'),
    events: counted((name) => sumOf(results, ({ counts }) => counts[name])),
    events_required: Object.fromEntries(
      Object.entries(REQUIRED).map(([name, rate]) => [name, Math.floor(rate * seeds * days)]),
    ) as Partial<Record<Counted, number>>,
    ...(rules && { broken_rules: rules }),
  }
}

const counted = (of: (name: Counted) => number) =>
  Object.fromEntries(COUNTED.map((name) => [name, of(name)])) as Readonly<Record<Counted, number>>

/** Why the run has failed, one line each; empty where it has not. */
export function problemsOf({ violations, events, events_required, broken_rules = [] }: Summary) {
  return [
    ...violations.map(({ seed, invariant }) => `seed ${seed}: ${invariant}`),
    ...COUNTED.flatMap((name) => {
      const least = events_required[name] ?? 0
      return events[name] < least ? [`${name}: expected at least ${least}, saw ${events[name]}`] : []
    }),
    ...broken_rules.flatMap(({ rule, caught }) =>
      caught ? [] : [`the broken rule ${rule} was caught in no seed`],
    ),
  ]
}
