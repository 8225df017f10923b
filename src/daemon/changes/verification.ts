// Figures before and after changes of size, from the ledger and the stored hours, for the stage that judges them.
import { LOOK_TAKES } from '../../apply/foreign-changes.ts'
import { hasSettings, settingsLike, settingsText } from '../../apply/settings.ts'
import { COARSE_STEP, type Rollup } from '../../model/ledger/rollup.ts'
import type { ComputeEntry } from '../../model/ledger/ledger.ts'
import { ifRead } from '../../model/observation.ts'
import { isJudged, type Change, type ChangeBaseline, type JudgedState } from '../../model/policy/change.ts'
import type { History } from '../../model/ports/history.ts'
import { isComputeRef, type AutosuspendDelay, type TargetRef } from '../../model/service/compute.ts'
import { after, DAY, instant, seconds, type Instant, type Seconds } from '../../model/units.ts'
import {
  changeBaseline,
  expectedConnections,
  hourlyConnections,
  type HourlyConnections,
} from '../../verify/baseline.ts'
import { judge, type ComputeReading, type Verdict } from '../../verify/judge.ts'

type VerificationOptions = Readonly<{
  history: Pick<History, 'rollups'>
  /** As the last pass left it; undefined where the compute is deleted. */
  entryOf: (ref: TargetRef) => ComputeEntry | undefined
  defaultDelayOf: (ref: TargetRef) => AutosuspendDelay
  /** Time after a start in which a cache counts as cold. */
  warmUp: () => Seconds
  now: () => Instant
}>

/** Days of hours that expected connections are taken from. */
const PROFILE_DAYS = 28

/** Counters of the file cache at a reading. */
type Counted = Readonly<{ at: Instant; incarnation: Instant; hits: number; misses: number }>
type Watched = {
  /** Hours of the weeks before the first look, oldest first. */
  readonly hours: readonly HourlyConnections[]
  last: Counted | undefined
  before: Counted | undefined
}

/** `superseded`: somebody else set the compute meanwhile. */
type JudgeResult = Verdict | Readonly<{ verdict: 'superseded'; because: string }>

export type Verification = ReturnType<typeof createVerification>

export function createVerification({ history, entryOf, defaultDelayOf, warmUp, now }: VerificationOptions) {
  /** By the id of the change. */
  const watched = new Map<string, Watched>()

  const hoursOf = async ({ ref }: Change): Promise<readonly Rollup[]> => {
    if (!isComputeRef(ref)) return []
    const to = now()
    const span = { from: instant(to - PROFILE_DAYS * DAY), to, computes: [ref], length: COARSE_STEP }
    return Array.fromAsync(history.rollups(ref.account, span))
  }

  const watch = async (change: Change): Promise<Watched> => {
    const known = watched.get(change.id)
    if (known) return known
    const fresh = { hours: hourlyConnections(await hoursOf(change)), last: undefined, before: undefined }
    watched.set(change.id, fresh)
    return fresh
  }

  return {
    /** Right before the request; undefined where the effect is not judged, or nothing is known of the compute. */
    baselineOf: async (change: Change): Promise<ChangeBaseline | undefined> => {
      const entry = isJudged(change) ? entryOf(change.ref) : undefined
      return entry && changeBaseline(entry, await hoursOf(change), now())
    },
    judge: async (change: Change, { judgement, sent }: JudgedState): Promise<JudgeResult> => {
      const entry = entryOf(change.ref)
      if (!entry || entry.deletedAt !== undefined)
        return { verdict: 'keep', isJudged: false, because: 'verified; the compute is deleted' }
      const { desired, before } = change
      const { baseline, effectiveAt: since = sent.at } = sent
      const compared = { compute: entry.compute, defaultDelay: defaultDelayOf(change.ref) }
      if (entry.observedAt > after(since, LOOK_TAKES) && !hasSettings(compared, desired))
        return {
          verdict: 'superseded',
          because: `somebody else set ${settingsText(settingsLike(desired, compared))} meanwhile`,
        }
      const figures = await watch(change)
      count(figures, entry)
      const reading = readingOf(entry, figures, since)
      const at = reading.read?.at
      const expected = at === undefined ? undefined : expectedConnections(figures.hours, at)
      return judge(
        {
          judgement,
          desired,
          before,
          since,
          baseline,
          reading,
          expectedConnections: expected,
          warmUp: warmUp(),
        },
        now(),
      )
    },
    forget: (id: string): void => void watched.delete(id),
  }
}

/** Keeps the counters of the newest two readings. */
function count(figures: Watched, { reading: { last, cache } }: ComputeEntry): void {
  if (!last || !cache || !ifRead(last.cache) || last.at === figures.last?.at) return
  const { incarnation, hits, misses } = cache
  figures.before = figures.last
  figures.last = { at: last.at, incarnation, hits, misses }
}

function readingOf(entry: ComputeEntry, { last, before }: Watched, since: Instant): ComputeReading {
  const { compute, reading, totals } = entry
  const attemptedAt = reading.lastAttemptAt
  const isSince = attemptedAt !== undefined && attemptedAt > since
  const isAtLimit = isSince && reading.atLimit && !reading.lastSucceeded
  return {
    isAwake: compute.state === 'active',
    read: reading.last && reading.last.at > since ? readOf(reading.last, entry, { last, before }) : undefined,
    atLimitAt: isAtLimit ? attemptedAt : undefined,
    failures: isSince && !isAtLimit ? reading.failures : 0,
    restarts: totals.restarts,
  }
}

function readOf(
  last: NonNullable<ComputeEntry['reading']['last']>,
  { reading }: ComputeEntry,
  counted: Pick<Watched, 'last' | 'before'>,
): ComputeReading['read'] {
  const connections = ifRead(last.connections)
  return {
    at: last.at,
    upFor: seconds((last.serverTime - last.postmasterStartedAt) / 1000),
    cacheUsed: ifRead(last.cache)?.used,
    accesses: accessesOf(last, counted),
    connections:
      connections &&
      connections.active + connections.idle + connections.idleInTransaction + connections.other,
    load: reading.usage.last?.averageActive,
  }
}

/** Undefined where no two readings of one server are known, or the newest reading did not count. */
function accessesOf(
  { at, postmasterStartedAt }: Readonly<{ at: Instant; postmasterStartedAt: Instant }>,
  { last, before }: Pick<Watched, 'last' | 'before'>,
) {
  const isCounted = last?.at === at && before?.incarnation === postmasterStartedAt
  if (!isCounted || !before) return undefined
  const [hits, misses] = [last.hits - before.hits, last.misses - before.misses]
  return hits < 0 || misses < 0 ? undefined : { hits, all: hits + misses }
}
