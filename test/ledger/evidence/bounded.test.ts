// The evidence of a compute stays small, however long it is awake and whoever keeps it awake.
import { expect, test } from 'vitest'
import type { ComputeEntry, Ledger } from '../../../src/model/ledger/ledger.ts'
import type { Look, ReadingAttempt } from '../../../src/model/observation.ts'
import type { AutosuspendDelay } from '../../../src/model/service/compute.ts'
import { seconds } from '../../../src/model/units.ts'
import { accounted } from '../../support/accounted.ts'
import { at, attempt, ledger, look, prices, reading, sweep } from '../../support/build.ts'
import { bySize, longTest, splitCases } from '../../support/tiers.ts'

/** Clients all the time, or with a restart in between; one client at the start; one each six hours; none. */
type Use = 'clients' | 'restarted' | 'once' | 'rarely' | 'idle'

const DELAYS: readonly AutosuspendDelay[] = ['never', seconds(60), seconds(300), seconds(604_800)]
const USES: readonly (readonly [use: Use, isRead: boolean])[] = [
  ['clients', false],
  ['clients', true],
  ['restarted', true],
  ['once', true],
  ['rarely', true],
  ['idle', false],
  ['idle', true],
]
const CASES = DELAYS.flatMap((delay) => USES.map(([use, isRead]) => ({ delay, use, isRead })))

const DAY = 86_400
/** Days of a run, twice the longest delay, and seconds between its passes. */
const [DAYS, STEP] = bySize([14, 600], [0.5, 60])
/** Seconds between two readings. */
const PACE = 300
const MAX_ENTRIES = 100
const MAX_BYTES = 20_000

const busy = {
  working: 2,
  idleInTransaction: 0,
  replication: 0,
  subscriptions: 0,
  autovacuum: 0,
  prepared: 0,
}

/** Seconds between two clients of `rarely`. */
const RARELY = 6 * 3600

/** Instant of the restart, seconds. */
const RESTART = 3 * 3600

/** Start of the awake interval at `when`, and its newest client activity; seconds. */
function clientsAt(when: number, use: Use, delay: AutosuspendDelay) {
  if (use === 'clients') return { woken: 0, active: when - 7 }
  if (use === 'restarted') return { woken: when < RESTART ? 0 : RESTART, active: when - 7 }
  const active = use === 'rarely' ? when - (when % RARELY) : 0
  return { woken: delay === 'never' || delay > RARELY ? 0 : active, active }
}

type Case = { readonly delay: AutosuspendDelay; readonly use: Use; readonly isRead: boolean }

/** The sweep of one pass: a look, and a reading each `PACE`, which shows as activity unless clients are at work. */
function sweepAt(when: number, { delay, use, isRead }: Case) {
  const { woken, active } = clientsAt(when, use, delay)
  const isAwake = delay === 'never' || when < active + delay
  const own = isRead && isAwake ? when - (when % PACE || PACE) : 0
  const seen = look(when, {
    autosuspendDelay: delay,
    startedAt: at(woken),
    lastActive: use === 'idle' ? undefined : at(Math.max(active, own)),
    ...(woken === RESTART && { suspendedAt: at(RESTART - 1) }),
    ...(isAwake ? { state: 'active' } : { state: 'idle', suspendedAt: at(active + Number(delay)) }),
  })
  return sweep(when, { looks: [seen], readings: isRead ? readingsAt(when, seen, use) : [] })
}

function readingsAt(when: number, seen: Look, use: Use): readonly ReadingAttempt[] {
  if (seen.compute.state !== 'active' || when % PACE !== 0) return []
  const isBusy = use === 'clients' || use === 'restarted'
  const read = reading({
    kind: use === 'once' || use === 'rarely' ? 'full' : 'light',
    postmasterStartedAt: seen.compute.startedAt ?? at(0),
    serverTime: at(when + 0.1),
    causes: { ...reading().causes, ...(isBusy && busy), lastForeignStatement: undefined },
  })
  return [attempt(when, { look: seen, result: { kind: 'read', reading: read } })]
}

const entriesOf = ({ evidence }: ComputeEntry): number =>
  Object.values(evidence).reduce<number>((sum, part) => sum + (Array.isArray(part) ? part.length : 0), 0)

function expectBounded(given: Case): void {
  let known: Ledger = ledger()
  let [entries, bytes] = [0, 0]
  for (let when = STEP; when <= DAYS * DAY; when += STEP) {
    known = accounted(known, sweepAt(when, given), { prices, overhead: 0.01, now: at(when) }).ledger
    if (when % (DAY / 8) !== 0) continue
    const [entry] = known.computes.values()
    if (!entry) throw new Error('the compute has an entry')
    entries = Math.max(entries, entriesOf(entry))
    bytes = Math.max(bytes, JSON.stringify(entry).length)
  }
  expect(entries).toBeLessThan(MAX_ENTRIES)
  expect(bytes).toBeLessThan(MAX_BYTES)
  expect(known.computes.size).toBe(1)
}
/** Each use once, and each delay. */
const [short, others] = splitCases(CASES, 4)
test.each(short)('delay $delay, $use, read: $isRead', expectBounded)
longTest.each(others)('delay $delay, $use, read: $isRead', expectBounded)
