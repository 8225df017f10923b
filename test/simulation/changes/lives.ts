// How the computes of one seed are used: visits of clients, 35 days before the start and from then on.
import type { QuerySession } from '../../../src/local/control/simulation/client-sessions.ts'
import type { Random } from '../../../src/model/ports/clock.ts'

/** At an instant, ms: a query in a session that stays open for a while. */
export type Visit = Readonly<{ at: number; session: QuerySession }>

export type Life = Readonly<{
  name: string
  /** Fixed at first. */
  cu: number
  /** As the service has it: seconds, or -1 for never. */
  delay: number
  /** Average number of sessions that work at a time while it is awake. */
  load: number
  /** From the start on readings show the open sessions: fewer connections than those of the past. Without it they show those of the past. */
  hasLostClients: boolean
  /** In order of time. */
  visits: readonly Visit[]
}>

/** Days before the start that computes have lived. */
export const PAST_DAYS = 35
const HOUR = 3_600_000
const DAY = 24 * HOUR

type Use = Readonly<{
  name: string
  /** Bounds of the pause between two visits, seconds. */
  pause: readonly [shortest: number, longest: number]
  /** Hours of the day in UTC in which clients come. */
  hours: readonly [from: number, to: number]
  delays: readonly [number, ...number[]]
}>

const BUSY: Use = { name: 'busy', pause: [60, 1800], hours: [0, 24], delays: [-1, 300, 900] }

const USES: readonly [Use, ...Use[]] = [
  BUSY,
  { name: 'office', pause: [30, 3600], hours: [7, 18], delays: [-1, 3600, 300] },
  { name: 'jobs', pause: [3400, 3800], hours: [0, 24], delays: [1800, 300, -1] },
  { name: 'rare', pause: [1800, 30_000], hours: [0, 24], delays: [300, 60, 3600] },
]

export const pick = <Item>(random: Random, items: readonly [Item, ...Item[]]): Item =>
  items[Math.floor(random.unit() * items.length)] ?? items[0]

/** Between two positive bounds: short ones as often as long ones. */
export const drawPause = (random: Random, [shortest, longest]: readonly [number, number]): number =>
  shortest * (longest / shortest) ** random.unit()

/** @param start ms; `days` follow it */
export function drawLife(
  random: Random,
  start: number,
  { days, use = pick(random, USES) }: Readonly<{ days: number; use?: Use }>,
): Life {
  const visits: Visit[] = []
  for (
    let at = start - PAST_DAYS * DAY + HOUR * random.unit();
    at < start + days * DAY;
    at += 1000 * drawPause(random, use.pause)
  ) {
    const hour = (at % DAY) / HOUR
    if (hour >= use.hours[0] && hour < use.hours[1]) visits.push(visit(random, Math.floor(at)))
  }
  return {
    name: use.name,
    cu: pick(random, [1, 2, 4]),
    delay: pick(random, use.delays),
    load: 0.1 + 0.2 * random.unit(),
    hasLostClients: random.unit() < 0.85,
    visits,
  }
}

/** Awake most of the time, and asleep often enough to be changed. */
export const drawBusyLife = (random: Random, start: number, days: number): Life => ({
  ...drawLife(random, start, { days, use: BUSY }),
  delay: 300,
})

/** One in three is a transaction of some seconds; one in ten leaves its session open for long. */
const visit = (random: Random, at: number): Visit => ({
  at,
  session: {
    client: `client-${Math.floor(3 * random.unit())}`,
    pooled: random.unit() < 0.2,
    works: random.unit() < 0.3 ? Math.floor(20_000 * random.unit()) : 0,
    stays: random.unit() < 0.1 ? HOUR : 10_000,
  },
})
