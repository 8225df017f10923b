// Whether a change of size stays: good and bad looks at its compute since it took effect. A look is a reading that the passes made anyway.
import type { ChangeBaseline, ChangeSettings, Judgement } from '../model/policy/change.ts'
import { largestCu } from '../model/service/compute.ts'
import { ratio, type Bytes, type Instant, type Ratio, type Seconds } from '../model/units.ts'
import { MIN_ACCESSES } from './baseline.ts'

/** Good looks in a row that keep a change, and bad ones that revert it. Source: changing.md, §4. */
const ENOUGH_GOOD = 5
const TOO_MANY_BAD = 3
/** Failed attempts to read an awake compute in a row after which it counts as out of order. */
const TOO_MANY_FAILURES = 3
/** Time without a verdict after which the change stays, ms: a compute that runs seldom or briefly gives few looks, or none of a warm cache. */
const LONGEST = 7 * 86_400_000
/** Points of the hit ratio that a change may cost. Source: changing.md, §4. */
const LOST_POINTS = 0.02
/** Share of the cache used before from which the cache is warm. */
const WARM_SHARE = 0.8
/** Share of the expected connections that must have come back, and until when they may take, ms. */
const CONNECTION_SHARE = 0.5
const CONNECTIONS_BACK = 600_000
/** Expected connections from which fewer mean something. */
const MIN_CONNECTIONS = 4
/** Share of the maximum from which the load counts as throttled, as for recommendations. */
const THROTTLED = 0.95

/** A compute after the newest attempt to read it. */
export type ComputeReading = Readonly<{
  isAwake: boolean
  /** Undefined where nothing was read since the change. */
  read:
    | Readonly<{
        at: Instant
        /** Since the server started, seconds. */
        upFor: Seconds
        cacheUsed: Bytes | undefined
        /** In the cache and in all, since the reading before of the same server. */
        accesses: Readonly<{ hits: number; all: number }> | undefined
        connections: number | undefined
        /** CU: statements running at a time. */
        load: number | undefined
      }>
    | undefined
  /** Last attempt that clients refused by using all connections; undefined where the last one was another. */
  atLimitAt: Instant | undefined
  /** Attempts since the change that failed in a row, those at the limit of connections left out. */
  failures: number
  restarts: number
}>

export type JudgeInput = Readonly<{
  judgement: Judgement
  desired: ChangeSettings
  before: ChangeSettings
  /** When the change took effect. */
  since: Instant
  /** Undefined where nobody knew the compute. */
  baseline: ChangeBaseline | undefined
  reading: ComputeReading
  /** At the reading; undefined where nothing is expected. */
  expectedConnections: number | undefined
  /** Time after a start in which a cache counts as cold. */
  warmUp: Seconds
}>

export type Verdict = Readonly<
  /** `isJudged`: readings showed that nothing is worse. */
  | { verdict: 'keep'; because: string; isJudged: boolean }
  /** `isUrgent`: at once, because nobody can work. */
  | { verdict: 'revert'; because: string; isUrgent: boolean }
  /** With the looks until now: the same object where none was added. */
  | { verdict: 'undecided'; judgement: Judgement }
>

export type VerdictOf<Name extends Verdict['verdict']> = Extract<Verdict, { readonly verdict: Name }>

export function judge(input: JudgeInput, now: Instant): Verdict {
  const { judgement, reading, since } = input
  if (isOutOfOrder(input))
    return revert(`the compute refused ${reading.failures} readings in a row since`, true)
  const at = reading.atLimitAt ?? reading.read?.at
  const withoutLook: Verdict = now - since > LONGEST ? KEEP_UNJUDGED : { verdict: 'undecided', judgement }
  if (at === undefined || at <= (judgement.lookedAt ?? since)) return withoutLook
  const problems = problemsOf(input, at)
  const looked = { lookedAt: at, restarts: reading.restarts }
  if (problems.length > 0) return afterBad(problems, judgement, looked)
  return isTelling(input) ? afterGood(judgement, looked) : withoutLook
}

const KEEP_UNJUDGED: Verdict = {
  verdict: 'keep',
  isJudged: false,
  because: 'verified; too few readings since, or none of a warm cache, to judge its effect',
}

type Looked = Pick<Judgement, 'lookedAt' | 'restarts'>

const afterBad = (problems: readonly string[], { bad }: Judgement, looked: Looked): Verdict =>
  bad + 1 >= TOO_MANY_BAD
    ? revert(problems.join(', '), false)
    : { verdict: 'undecided', judgement: { ...looked, good: 0, bad: bad + 1 } }

const afterGood = ({ good, bad }: Judgement, looked: Looked): Verdict =>
  good + 1 >= ENOUGH_GOOD
    ? {
        verdict: 'keep',
        isJudged: true,
        because: `verified; ${ENOUGH_GOOD} readings in a row showed nothing worse than before`,
      }
    : { verdict: 'undecided', judgement: { ...looked, good: good + 1, bad } }

/** Whether an awake compute that could be read before refuses readings. */
const isOutOfOrder = ({ reading, baseline }: JudgeInput): boolean =>
  reading.isAwake && baseline?.isReadable === true && reading.failures >= TOO_MANY_FAILURES

const revert = (because: string, isUrgent: boolean): Verdict => ({ verdict: 'revert', because, isUrgent })

/** What is worse than before the change, in words. */
const problemsOf = (input: JudgeInput, at: Instant): readonly string[] =>
  [
    input.reading.atLimitAt !== undefined && !input.baseline?.isAtLimit && 'clients use all connections',
    input.reading.restarts > input.judgement.restarts && 'the compute was restarted again',
    lostHits(input),
    lostConnections(input, at),
    isThrottled(input) && 'the load needs all of the maximum',
  ].filter((problem) => typeof problem === 'string')

function lostHits(input: JudgeInput): string | undefined {
  const ratios = hitRatios(input)
  return ratios && ratios.now < ratios.before - LOST_POINTS
    ? `the hit ratio of the file cache is ${percent(ratios.now)} and was ${percent(ratios.before)}`
    : undefined
}

function lostConnections(
  { reading: { read }, expectedConnections: expected = 0, since }: JudgeInput,
  at: Instant,
): string | undefined {
  if (read?.connections === undefined || expected < MIN_CONNECTIONS || at - since < CONNECTIONS_BACK)
    return undefined
  return read.connections < CONNECTION_SHARE * expected
    ? `clients hold ${read.connections} connections, at least ${Math.round(expected)} at this hour of the weeks before`
    : undefined
}

/** Whether a look without a problem says that there is none. */
const isTelling = (input: JudgeInput): boolean =>
  input.baseline?.hitRatio === undefined ? isWarm(input) : hitRatios(input) !== undefined

/** Undefined while the cache is cold, or too little was read from it. */
function hitRatios(input: JudgeInput): Readonly<{ before: Ratio; now: Ratio }> | undefined {
  const before = input.baseline?.hitRatio
  const accesses = input.reading.read?.accesses
  if (before === undefined || !accesses || accesses.all < MIN_ACCESSES || !isWarm(input)) return undefined
  return { before, now: ratio(accesses.hits / accesses.all) }
}

function isWarm({ reading: { read }, baseline, warmUp }: JudgeInput): boolean {
  if (!read) return false
  if (read.upFor >= warmUp) return true
  const usedBefore = baseline?.cacheUsed
  return usedBefore !== undefined && (read.cacheUsed ?? 0) >= WARM_SHARE * usedBefore
}

/** Where the maximum was lowered: else the load is no news. */
function isThrottled({ reading: { read }, desired, before }: JudgeInput): boolean {
  if (!desired.sizing || !before.sizing || read?.load === undefined) return false
  const max = largestCu(desired.sizing)
  return max < largestCu(before.sizing) && read.load >= THROTTLED * max
}

const percent = (value: Ratio) => `${(100 * value).toFixed(1)} %`
