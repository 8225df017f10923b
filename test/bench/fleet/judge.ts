// What a daemon knew of a fleet, held against the truth. Pure: whoever runs the daemon notes, this file judges.
// Instants in ms on the clock of the service, lengths in seconds.
import type { Truth } from '../../../src/local/engine/truth.ts'

/** Ages of what the list told, over all projects and all of the time. */
export type ListAges = {
  /** The list told of this project, as of `at`; in order of time for each project. */
  note(projectId: string, at: number): void
  /** Ages between the first note of each project and `until`, weighted by time. */
  figures(until: number): AgeFigures
}

export type AgeFigures = {
  readonly projects: number
  readonly median: number
  readonly p99: number
  readonly worst: number
}

/** A gap of n seconds has the ages 0 to n, each for as long as any other: gaps are all there is to keep. */
export function createListAges(): ListAges {
  const last = new Map<string, number>()
  const gaps: number[] = []
  return {
    note: (projectId, at) => {
      const before = last.get(projectId)
      if (before !== undefined && at > before) gaps.push((at - before) / 1000)
      last.set(projectId, Math.max(at, before ?? at))
    },
    figures: (until) => {
      const open = [...last.values()].map((at) => Math.max(0, until - at) / 1000)
      return { projects: last.size, ...ageFigures([...gaps, ...open]) }
    },
  }
}

/** The time at an age above `age` is what longer gaps have beyond it. */
function ageFigures(gaps: readonly number[]): Omit<AgeFigures, 'projects'> {
  const sorted = Float64Array.from(gaps).toSorted()
  const total = sorted.reduce((sum, gap) => sum + gap, 0)
  if (total === 0) return { median: 0, p99: 0, worst: 0 }
  const ageAt = (share: number): number => {
    // walks from the longest gap down: `beyond` is the time at ages above the gap it stands at
    let [beyond, longer] = [0, 0]
    for (let at = sorted.length - 1; at >= 0; at -= 1) {
      const [gap, above] = [sorted[at] ?? 0, sorted[at + 1] ?? sorted[at] ?? 0]
      const here = beyond + longer * (above - gap)
      if (here >= (1 - share) * total) return above - ((1 - share) * total - beyond) / longer
      beyond = here
      longer += 1
    }
    return longer > 0 ? (sorted[0] ?? 0) - ((1 - share) * total - beyond) / longer : 0
  }
  return { median: ageAt(0.5), p99: ageAt(0.99), worst: sorted.at(-1) ?? 0 }
}

/** An edge of an awake interval as the daemon dates it: not before `earliest`, not after `latest`. */
export type Dated = {
  readonly endpointId: string
  readonly kind: 'wake' | 'suspension'
  readonly earliest: number
  readonly latest: number
}

/** Since when the daemon knew something in detail. */
export type Known = Dated & { readonly knownAt: number }

export type DelayFigures = {
  /** True wakes and suspensions within the window, but for the last of it. */
  readonly edges: number
  /** Of them, those not known in detail; the worst delay counts them with their age at the end. */
  readonly unknown: number
  readonly median: number
  readonly p99: number
  readonly worst: number
}

/** The widest window that is detail, s. Records of the service are dated to the second, once at each end. */
const DETAIL = 5

/** What happened in the last seconds of the time could hardly be known: it is not asked for, known or not. Doubled, a short run tells of that much less. */
const HARDLY = 300

/** Records carry whole seconds, cut off: a window of the daemon's may lie this much beside the truth, ms. */
const ROUNDING = 1000

/**
 * How long after each true wake and suspension within the window the daemon knew it in detail.
 *
 * @param known - in any order; the first of an edge counts
 */
export function delaysOf(truth: Truth, known: Iterable<Known>, window: Window): DelayFigures {
  const notes = new Map<string, Known[]>()
  for (const one of known) {
    if (one.latest - one.earliest > 1000 * DETAIL) continue
    const name = `${one.kind} ${one.endpointId}`
    notes.set(name, [...(notes.get(name) ?? []), one])
  }
  const edges = edgesOf(truth).filter(({ at }) => at >= window.from && at < window.to - 1000 * HARDLY)
  const delays = edges.map(({ kind, endpointId, at }) => {
    const fitting = (notes.get(`${kind} ${endpointId}`) ?? []).filter(
      ({ earliest, latest }) => earliest - ROUNDING <= at && at <= latest + ROUNDING,
    )
    const first = Math.min(...fitting.map(({ knownAt }) => knownAt))
    return { isKnown: first <= window.to, delay: (Math.min(first, window.to) - at) / 1000 }
  })
  const sorted = delays.map(({ delay }) => delay).toSorted((a, b) => a - b)
  return {
    edges: edges.length,
    unknown: delays.filter(({ isKnown }) => !isKnown).length,
    median: quantile(sorted, 0.5),
    p99: quantile(sorted, 0.99),
    worst: sorted.at(-1) ?? 0,
  }
}

/** `[from, to)`, ms. */
export type Window = { readonly from: number; readonly to: number }

export type Edge = Pick<Dated, 'endpointId' | 'kind'> & { readonly at: number }

/** True beginnings and ends of being awake. A new size ends an interval of the truth, but not being awake. */
export const edgesOf = ({ computes }: Truth): Edge[] =>
  computes.flatMap(({ endpointId, intervals }) =>
    intervals.flatMap(({ from, to }, place): Edge[] => [
      ...(intervals[place - 1]?.to === from
        ? []
        : [{ kind: 'wake' as const, endpointId, at: Date.parse(from) }]),
      ...(to === null || intervals[place + 1]?.from === to
        ? []
        : [{ kind: 'suspension' as const, endpointId, at: Date.parse(to) }]),
    ]),
  )

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0

/** What the daemon's ledger says of one compute within the window, CU-seconds. */
export type Account = {
  readonly endpointId: string
  readonly low: number
  readonly likely: number
  readonly high: number
  /** Since when the account tells of it, ms; what was before the first that was ever known of it is left out. */
  readonly since: number
}

export type LedgerFigures = {
  /** CU-seconds of the whole fleet within the window. */
  readonly truth: number
  readonly likely: number
  /** |likely − truth| ÷ truth of the whole fleet. */
  readonly error: number
  /** (high − low) ÷ truth of the whole fleet. */
  readonly width: number
  /** Whether the bounds of the whole fleet contain its truth. */
  readonly contains: boolean
  /** Computes whose bounds do not contain their truth since they were known, the worst first. */
  readonly outside: readonly { readonly endpointId: string; readonly truth: number; readonly by: number }[]
  /** Computes that were awake and that nobody ever looked at, and their CU-seconds: the error counts them, nothing was said of them. */
  readonly unseen: { readonly computes: number; readonly cuSeconds: number }
}

/** CU-seconds that bounds may miss by: the rounding of binary fractions, not of the service's seconds. */
const TOLERANCE = 1e-6

/** The ledger against the truth as of the end of the window. */
export function ledgerErrorOf(truth: Truth, accounts: Iterable<Account>, window: Window): LedgerFigures {
  const known = new Map([...accounts].map((account) => [account.endpointId, account]))
  const real = new Map(truth.computes.map((compute) => [compute.endpointId, compute]))
  const usedIn = (endpointId: string, within: Window): number => {
    const compute = real.get(endpointId)
    return compute ? cuSecondsIn(compute, within) : 0
  }
  let [sum, low, likely, high] = [0, 0, 0, 0]
  const outside: LedgerFigures['outside'][number][] = []
  const unseen = { computes: 0, cuSeconds: 0 }
  for (const endpointId of real.keys()) {
    const used = usedIn(endpointId, window)
    sum += used
    if (known.has(endpointId) || used === 0) continue
    unseen.computes += 1
    unseen.cuSeconds += used
  }
  for (const account of known.values()) {
    low += account.low
    likely += account.likely
    high += account.high
    const { endpointId, since } = account
    const used = usedIn(endpointId, { ...window, from: Math.max(window.from, since) })
    const by = Math.max(account.low - used, used - account.high)
    if (by > TOLERANCE) outside.push({ endpointId, truth: used, by })
  }
  return {
    truth: sum,
    likely,
    error: sum > 0 ? Math.abs(likely - sum) / sum : likely,
    width: sum > 0 ? (high - low) / sum : high - low,
    contains: low <= sum + TOLERANCE && sum <= high + TOLERANCE,
    outside: outside.toSorted((a, b) => b.by - a.by),
    unseen,
  }
}

/** True CU-seconds of a compute within the window. */
export const cuSecondsIn = ({ intervals }: Truth['computes'][number], { from, to }: Window): number =>
  intervals.reduce((sum, interval) => {
    const begin = Math.max(from, Date.parse(interval.from))
    const end = Math.min(to, interval.to === null ? to : Date.parse(interval.to))
    return sum + (Math.max(0, end - begin) * interval.cu) / 1000
  }, 0)
