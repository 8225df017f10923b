import type { ReadingCounts, ReadingOutcome } from '../../model/ledger/ledger.ts'
import type { ReadingAttempt, ReadingRefusal, Sweep } from '../../model/observation.ts'

/** The counts with those of one sweep. Refusals that are not the quiet rule's own (no connection string, readings off, pace) are not counted. */
export function addReadingCounts(counts: ReadingCounts, { readings, refusals }: Sweep): ReadingCounts {
  const outcomes = [
    ...readings.map(outcomeOf),
    ...refusals.flatMap(({ refusal }) => REFUSED[refusal.because] ?? []),
  ]
  const sum: Record<ReadingOutcome, number> = { ...counts }
  for (const outcome of outcomes) sum[outcome] += 1
  return sum
}

const REFUSED: Readonly<Record<ReadingRefusal['because'], ReadingOutcome | undefined>> = {
  'mode-off': undefined,
  'no-dsn': undefined,
  'not-active': 'skipped_idle',
  'delay-too-short': 'skipped_tail',
  tail: 'skipped_tail',
  quiet: 'skipped_quiet',
  credit: 'skipped_credit',
  pace: undefined,
  clock: 'skipped_quiet',
}

function outcomeOf({ result }: ReadingAttempt): ReadingOutcome {
  switch (result.kind) {
    case 'at-limit':
      return 'at_limit'
    case 'failed':
      return result.because
    case 'read':
      return 'missing' in result.reading.connections || wantsCache(result.reading) ? 'partial' : 'ok'
  }
}

const wantsCache = ({ kind, cache }: { readonly kind: 'light' | 'full'; readonly cache: object }): boolean =>
  kind === 'full' && 'missing' in cache
