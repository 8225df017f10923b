// A fleet with data for every panel: teams, budgets, sizes, usage patterns and problems.
import type { Reading, ReadingResult } from '../../../src/model/observation.ts'
import type { Random } from '../../../src/model/ports/clock.ts'
import { bytes, instant, millis, seconds } from '../../../src/model/units.ts'
import { START } from '../../local/control/build.ts'
import type { Use } from '../../simulation/world.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** Days before the daemon starts for which the service has operations: enough for backtests of forecasts. */
export const PAST_DAYS = 45
/** Hours that the daemon runs. */
export const HOURS = 2

export const CONFIG = `
mode: suggest
accounts:
  - name: main
    base_url: https://console.example.com/api/v2
    plan: launch
    api_key_env: KEY
    dsn: "postgresql://dormouse@{host}/{database}"
reading: { mode: full, database: app, activity_lag: 10s }
prices: { currency: USD, cu_hour: 0.2 }
metrics: { detail: full }
windows: { office: Mon-Fri 08:00-19:00 }
owners:
  - { match: { compute: ep-shop-* }, team: shop, tier: prod }
  - { match: { compute: ep-lab-* }, team: lab, tier: dev }
  - { match: { project: project-ep-shop-* }, team: shop, tier: prod }
budgets:
  - { name: all, limit: 190 USD, per: month }
  - { name: shop, scope: { compute: ep-shop-* }, limit: 0.7 USD, per: day, team: shop }
  - { name: lab, scope: { compute: ep-lab-* }, limit: 120 cu_hours, per: week, team: lab }
`

/** Activity every some minutes between two hours of each past day; with a longer delay it is one awake interval a day. */
function daily(minutes: number, [from, to]: readonly [number, number]): readonly number[] {
  const days = Array.from({ length: PAST_DAYS }, (_, day) => day * DAY)
  return days.flatMap((day) => every(minutes, [day + from * HOUR, day + to * HOUR]))
}

const every = (minutes: number, [from, to]: readonly [number, number]): readonly number[] =>
  Array.from({ length: Math.ceil((to - from) / (minutes * MINUTE)) }, (_, at) => from + at * minutes * MINUTE)

/** Activity while the daemon runs. */
const lately = (minutes: number): readonly number[] =>
  every(minutes, [PAST_DAYS * DAY, PAST_DAYS * DAY + HOURS * HOUR])

const goals = (range: readonly [number, number]): NonNullable<Use['goals']> =>
  Array.from({ length: 24 * (PAST_DAYS + 1) }, (_, hour) => ({
    at: hour * 60 * MINUTE,
    cu: range[hour % 2] ?? range[0],
  }))

export function usesOf(random: Random): readonly Use[] {
  const until = PAST_DAYS * DAY + HOURS * HOUR
  const some = (): readonly number[] =>
    Array.from({ length: 100 }, () => Math.round(random.unit() * until)).toSorted((a, b) => a - b)
  return [
    {
      endpointId: 'ep-shop-web',
      delay: 300,
      activity: [...daily(4, [6, 22]), ...lately(4)],
      range: [0.25, 2],
      goals: goals([0.25, 1]),
    },
    // statements so often that a reading meets some that the service does not show yet
    { endpointId: 'ep-shop-stock', delay: 300, activity: [...daily(4, [0, 24]), ...lately(STATEMENTS / 60)] },
    { endpointId: 'ep-shop-always', delay: -1, activity: daily(60, [0, 24]) },
    { endpointId: 'ep-lab-tail', delay: 900, activity: [...daily(10, [8, 16]), ...lately(40)] },
    { endpointId: 'ep-lab-alive', delay: 300, activity: [...daily(4, [0, 24]), ...lately(4)] },
    { endpointId: 'ep-lab-open', delay: 300, activity: [...daily(4, [0, 24]), ...lately(4)] },
    { endpointId: 'ep-lab-dark', delay: 300, activity: [...daily(4, [8, 18]), ...lately(4)] },
    { endpointId: 'ep-unused', delay: 300, activity: [] },
    ...Array.from({ length: 5 }, (_, index) => ({
      endpointId: `ep-some-${index}`,
      delay: 300,
      activity: some(),
    })),
  ]
}

/** Seconds between activities. */
const STATEMENTS = 13
/** End of the last activity before an instant. */
const lastStatement = (at: number): number => at - ((at - START) % (STATEMENTS * 1000))

/** Values of a reading beside the counters that all computes have. */
export function readingOf(endpointId: string, given: Reading): ReadingResult {
  if (endpointId === 'ep-lab-dark') return { kind: 'failed', because: 'error', message: 'password refused' }
  const since = (given.serverTime - given.postmasterStartedAt) / 1000
  const isSmall = endpointId === 'ep-shop-stock'
  const open = endpointId === 'ep-lab-open' ? 1 : 0
  const reading: Reading = {
    ...given,
    connections: { active: 2, idle: isSmall ? 94 : 7, idleInTransaction: open, other: 1 },
    cache: {
      hits: Math.round(since * 40),
      misses: Math.round(since * (isSmall ? 4 : 0.1)),
      used: bytes(2 ** 28),
      writes: Math.round(since),
    },
    usage: { sessions: 3, activeTime: millis(Math.round(since * 400)) },
    workingSet: [60, 300, 900, 3600].map((window) => ({
      window: seconds(window),
      size: bytes(window * 2 ** 18),
    })),
    causes: causesOf(endpointId, given),
    clients: [
      {
        application: endpointId === 'ep-lab-alive' ? 'keepalive' : 'app',
        user: 'app',
        database: 'app',
        connections: 10,
        working: 2,
        idleInTransaction: open,
        lastStatement: undefined,
      },
    ],
  }
  return { kind: 'read', reading }
}

function causesOf(endpointId: string, { causes, serverTime }: Reading): Reading['causes'] {
  if ('missing' in causes) return causes
  const open = endpointId === 'ep-lab-open' ? 1 : 0
  const lastForeignStatement = endpointId === 'ep-shop-stock' ? instant(lastStatement(serverTime)) : undefined
  return {
    ...causes,
    idleInTransaction: open,
    longestTransaction: seconds(open * 400 + 0.5),
    lastForeignStatement,
  }
}
