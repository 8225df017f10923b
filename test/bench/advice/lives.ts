// Computes that live by recorded activity: an active minute of the series is a minute of client activity.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { seeded } from '../../simulation/seeded.ts'

/** Seconds from the start, `to` after `from`. */
export type Span = { readonly from: number; readonly to: number }

export type LifeOfCompute = {
  readonly series: string
  /** Setting at the start, as the service has it: seconds, or -1 for never. */
  readonly delay: number
  /** Times of client activity, in order, not touching. */
  readonly active: readonly Span[]
  /** Limits of its size at the start, CU; default 1, and a fixed size. */
  readonly minCu?: number
  readonly maxCu?: number
}

/** Sets of traces, in `test/data/traces`. */
const SETS = ['git-dev', 'git-team']
const DEFAULT_DELAY = 300
const NEVER = -1
/** One compute of four begins without autosuspend. */
const NEVER_EVERY = 4
const MINUTE = 60

/**
 * The series in an order that chance draws once, so that any number of the first ones has the mix of all. Each life begins with a minute of
 * activity, so that autosuspend off means awake from then on.
 *
 * @param span length of the lives, seconds
 */
export function recordedLives(
  folder: string,
  { count, span }: { count: number; span: number },
): readonly LifeOfCompute[] {
  const all = SETS.flatMap((set) => [...minutesBySeries(join(folder, `${set}.csv.gz`))])
  const random = seeded(16)
  const drawn = all
    .map((series) => ({ series, order: random.unit() }))
    .toSorted((a, b) => a.order - b.order)
    .slice(0, count)
  return drawn.map(({ series: [name, minutes] }, at) => ({
    series: name,
    delay: at % NEVER_EVERY === 0 ? NEVER : DEFAULT_DELAY,
    active: activeSpans([0, ...minutes.filter((minute) => minute > 0 && (minute + 1) * MINUTE <= span)]),
  }))
}

function minutesBySeries(file: string): Map<string, number[]> {
  const [, ...lines] = gunzipSync(readFileSync(file)).toString().trim().split('\n')
  const bySeries = new Map<string, number[]>()
  for (const line of lines) {
    const [name = '', minute] = line.split(',')
    const minutes = bySeries.get(name)
    if (minutes) minutes.push(Number(minute))
    else bySeries.set(name, [Number(minute)])
  }
  return bySeries
}

function activeSpans(minutes: readonly number[]): readonly Span[] {
  const spans: Span[] = []
  for (const minute of minutes) {
    const [from, last] = [minute * MINUTE, spans.at(-1)]
    if (last?.to === from) spans[spans.length - 1] = { from: last.from, to: from + MINUTE }
    else spans.push({ from, to: from + MINUTE })
  }
  return spans
}
