// What is kept of the readings of one compute.
import type { AutosuspendDelay } from '../model/compute.ts'
import type { ComputeAccount, Evidence, ReadingAccount, Totals } from '../model/ledger.ts'
import type { Missing, Reading, ReadingAttempt } from '../model/observation.ts'
import { latest, millis, seconds } from '../model/units.ts'
import { lastForeignActivity } from './activity.ts'
import { withCacheReading } from './cache.ts'
import { creditAfter } from './credit.ts'

export const NO_READINGS: ReadingAccount = {
  attempts: 0,
  last: undefined,
  lastAttemptAt: undefined,
  lastSucceeded: false,
  atLimit: false,
  cache: undefined,
  credit: seconds(0),
  activeLooks: 0,
  clockOffset: undefined,
  problem: undefined,
}

type After = {
  readonly overhead: number
  readonly delay: AutosuspendDelay
  readonly totals: Totals
  readonly evidence: Evidence
}

/** A reading costs what it was expected to, and what it then turns out to have added beyond that. */
export function readingsAfter(
  before: ComputeAccount,
  readings: readonly ReadingAttempt[],
  after: After,
): ReadingAccount {
  const known = before.reading
  const newActivity = (lastForeignActivity(after.evidence) ?? 0) > (lastForeignActivity(before.evidence) ?? 0)
  const expected = readings.reduce((sum, { cost }) => sum + cost, 0)
  const added = Math.max(0, after.totals.extension - before.totals.extension) / 1000
  const awake = millis(after.totals.awake.likely - before.totals.awake.likely)
  const earned = { awake, overhead: after.overhead, delay: after.delay }
  return readings.reduce(withAttempt, {
    ...known,
    activeLooks: known.activeLooks + (newActivity ? 1 : 0),
    credit: creditAfter(known, earned, seconds(expected + added)),
  })
}

function withAttempt(account: ReadingAccount, attempt: ReadingAttempt): ReadingAccount {
  const { disconnectedAt, result } = attempt
  const tried = {
    ...account,
    attempts: account.attempts + 1,
    lastAttemptAt: latest(disconnectedAt, account.lastAttemptAt ?? disconnectedAt),
    atLimit: result.kind === 'at-limit',
    lastSucceeded: result.kind !== 'failed',
    problem: problemOf(attempt),
  }
  if (result.kind !== 'read') return tried
  const { reading } = result
  return {
    ...tried,
    clockOffset: millis(reading.serverTime - disconnectedAt),
    last: { ...reading, at: disconnectedAt },
    cache: withCacheReading(account.cache, reading),
  }
}

/** What went wrong in it, or was missing from it, for people. */
function problemOf({ result }: ReadingAttempt): string | undefined {
  switch (result.kind) {
    case 'failed':
      return result.message
    case 'at-limit':
      return undefined
    case 'read':
      return missingFrom(result.reading)
  }
}

const missingFrom = ({ kind, connections, cache }: Reading): string | undefined =>
  whyMissing(connections) ?? (kind === 'full' ? whyMissing(cache) : undefined)

const whyMissing = (part: object | Missing): string | undefined =>
  'missing' in part ? part.missing : undefined
