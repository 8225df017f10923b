// How the computes of the benchmark are used: a seeded schedule that every twin plays alike. Lengths are those of a real
// day divided by `SCALE`, in seconds.
import type { Random } from '../../../src/model/ports/clock.ts'

/** An autosuspend delay of 300 s becomes 15 s, a pass a minute one every 3 s, a day 72 minutes. */
export const SCALE = 20

/** A client connects, runs queries, and leaves. */
export type Visit = {
  readonly at: number
  readonly application: string
  /** From its connect; ascending, the first is 0. */
  readonly queries: readonly number[]
}

type Profile = {
  readonly name: string
  readonly about: string
  readonly visits: (random: Random, length: number) => readonly Visit[]
}

export const PROFILES: readonly Profile[] = [
  {
    name: 'steady',
    about: 'one connection, a query every half minute',
    visits: (random, length) => [visit(0, 'web', times(random, { length, gap: 30 / SCALE }))],
  },
  {
    name: 'chatty',
    about: 'a short session every minute or so',
    visits: (random, length) => times(random, { length, gap: 60 / SCALE }).map((at) => visit(at, 'poller')),
  },
  {
    name: 'cron',
    about: 'a short session every quarter of an hour',
    visits: (random, length) => regular(random, length, 900 / SCALE).map((at) => visit(at, 'cron')),
  },
  {
    name: 'office',
    about: 'twenty minutes of work, then forty of nothing',
    visits: (random, length) =>
      regular(random, length, 3600 / SCALE).map((at) =>
        visit(at, 'desk', times(random, { length: 1200 / SCALE, gap: 15 / SCALE })),
      ),
  },
  {
    name: 'sparse',
    about: 'short sessions, ten minutes apart on average, at random',
    visits: (random, length) => times(random, { length, gap: 600 / SCALE }).map((at) => visit(at, 'app')),
  },
  {
    name: 'returning',
    about: 'somebody comes back a little after it fell asleep',
    visits: (random, length) =>
      regular(random, length, 400 / SCALE).map((at) => visit(at, 'returning', [0, 0.5 + random.unit() / 2])),
  },
]

const visit = (at: number, application: string, queries: readonly number[] = [0]): Visit => ({
  at,
  application,
  queries: [0, ...queries.filter((one) => one > 0)],
})

/** Instants with exponential gaps, the first within one gap. */
function times(
  random: Random,
  { length, gap }: { readonly length: number; readonly gap: number },
): readonly number[] {
  const found: number[] = []
  for (let at = gap * random.unit(); at < length; at += gap * Math.min(4, -Math.log(1 - random.unit())))
    found.push(at)
  return found
}

/** Instants `gap` apart, each up to a tenth of it late. */
const regular = (random: Random, length: number, gap: number): readonly number[] =>
  Array.from({ length: Math.ceil(length / gap) }, (_, index) => gap * (index + 0.1 * random.unit())).filter(
    (at) => at < length,
  )
