// The evidence of a compute stays small, however long it is awake and whoever keeps it awake.
import { expect, test } from 'vitest'
import type { ComputeEntry, Ledger } from '../../../src/model/ledger/ledger.ts'
import type { AutosuspendDelay } from '../../../src/model/service/compute.ts'
import { seconds } from '../../../src/model/units.ts'
import { accounted } from '../../support/accounted.ts'
import { at, attempt, ledger, look, prices, reading, sweep } from '../../support/build.ts'
import { bySize } from '../../support/tiers.ts'

type Use = 'clients' | 'idle'

const DELAYS: readonly AutosuspendDelay[] = ['never', seconds(60), seconds(300), seconds(604_800)]
const CASES = DELAYS.flatMap((delay) =>
  (['clients', 'idle'] as const).flatMap((use) => [false, true].map((isRead) => ({ delay, use, isRead }))),
)

const DAY = 86_400
/** Days of a run, and seconds between its passes. */
const [DAYS, STEP] = bySize([30, 300], [0.5, 60])
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

/** The sweep of one pass: a look, and every five minutes a light reading. */
function sweepAt(
  when: number,
  { delay, use, isRead }: { delay: AutosuspendDelay; use: Use; isRead: boolean },
) {
  const isAwake = use === 'clients' || delay === 'never' || when < delay
  const record = {
    autosuspendDelay: delay,
    startedAt: at(0),
    ...(isAwake
      ? { state: 'active' as const, lastActive: use === 'clients' ? at(when - 7) : undefined }
      : { state: 'idle' as const, suspendedAt: at(Number(delay)) }),
  }
  const seen = look(when, record)
  const causes = { ...reading().causes, ...(use === 'clients' ? busy : {}), lastForeignStatement: undefined }
  const result = {
    kind: 'read',
    reading: reading({ kind: 'light', postmasterStartedAt: at(0), serverTime: at(when + 0.1), causes }),
  } as const
  const readings = isRead && isAwake && when % PACE === 0 ? [attempt(when, { look: seen, result })] : []
  return sweep(when, { looks: [seen], readings })
}

const entriesOf = ({ evidence }: ComputeEntry): number =>
  Object.values(evidence).reduce<number>((sum, part) => sum + (Array.isArray(part) ? part.length : 0), 0)

test.each(CASES)('delay $delay, $use, read: $isRead', (given) => {
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
})
