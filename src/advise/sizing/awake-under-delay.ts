// Awake time of a compute in 30 days under the delay that it has now: a size is paid for in that time.
//
// Days under another delay count as they would have been: their gaps are replayed with the delay of now. So a size promises no saving that a
// delay has just brought. The delays of a schedule come and go, and are left as they were.
import { addBounds, eachBound, mapBounds, type Bounds } from '../../model/ledger/quantities.ts'
import type { AutosuspendDelay } from '../../model/service/compute.ts'
import { instant, latest, seconds, type Instant, type Interval } from '../../model/units.ts'
import { sumOf } from '../../std/sum.ts'
import { savedTime, savedTimeIn } from '../backtest.ts'
import { cutAt, endOf, observedGaps, type ObservedGap } from '../delay/observed-gaps.ts'
import { unpaidSleep, withoutSleep } from '../delay/unpaid-sleep.ts'
import { everyDay } from '../every-day.ts'
import { HISTORY_READ, type AdviseInput } from '../input.ts'
import { MAX_AWAKE, savedTimeInterval, statedWidening } from '../interval.ts'

/** Undefined where no day is known. */
export function awakeUnderDelay(input: AdviseInput): Bounds<number> | undefined {
  const { days, settings, entry, finished, now } = input
  const since: Instant = settings[0]?.since ?? entry.compute.createdAt
  const rows = days.filter(({ from, to }) => to > since && from < now)
  const known = everyDay(rows, { from: latest(since, instant(now - HISTORY_READ)), to: now })
  const spent = gapsUnderOtherDelays(input)
  const blocks = known.map((day) => ({
    saved: day.awake.likely / 1000 - sumOf(spent, (one) => savedOnDay(one, day)),
    observed: Math.min(day.to, now) - Math.max(day.from, since),
  }))
  const awake = known.reduce((sum, day) => addBounds(sum, day.awake, Number), NO_TIME)
  const saved = spent.reduce((sum, one) => addBounds(sum, savedTime(one.gaps, one.change), Number), NO_TIME)
  const time = savedTimeInterval(
    blocks,
    {
      low: awake.low / 1000 - saved.high,
      likely: awake.likely / 1000 - saved.likely,
      high: awake.high / 1000 - saved.low,
    },
    statedWidening(finished?.get('sizing')),
  )
  return time && mapBounds(time, (span) => Math.min(MAX_AWAKE, Math.max(0, span)))
}

const NO_TIME: Bounds<number> = eachBound(() => 0)

type SpentGaps = Readonly<{
  gaps: readonly ObservedGap[]
  change: Readonly<{ from: AutosuspendDelay; to: AutosuspendDelay }>
}>

/** Gaps that began under another delay than that of now; of one in progress at the first look the part after it, which the days hold. */
function gapsUnderOtherDelays(input: AdviseInput): readonly SpentGaps[] {
  const { settings, scheduled = [], now } = input
  const to = settings.at(-1)?.delay
  if (to === undefined || scheduled.includes(to)) return []
  const others = settings.filter(({ delay }) => delay !== to && !scheduled.includes(delay))
  if (others.length === 0) return []
  const observed = observedGaps(input)
  // without autosuspend a person or a job may have suspended it: that time was not paid for
  const asleep = unpaidSleep(input)
  return others.map((setting) => {
    const until = settings[settings.indexOf(setting) + 1]?.since ?? now
    const since = setting === settings[0] ? instant(0) : setting.since
    const begun = observed.gaps.filter((gap) => gap.from >= since && gap.from < until)
    const known = begun.filter((gap) => endOf(gap) > setting.since).map((gap) => cutAt(gap, setting.since))
    const ended = { ...observed, gaps: known.map((gap) => endedBy(gap, until)) }
    return { gaps: withoutSleep(ended, asleep).gaps, change: { from: setting.delay, to } }
  })
}

/** A gap in which the delay was changed was spent under the one before until then. */
const endedBy = (gap: ObservedGap, until: Instant): ObservedGap => ({
  ...gap,
  length: mapBounds(gap.length, (length) => seconds(Math.min(length, (until - gap.from) / 1000))),
})

const savedOnDay = ({ gaps, change }: SpentGaps, { from, to }: Interval): number =>
  sumOf(gaps, (gap) => savedTimeIn(gap, change, { from, to }))
