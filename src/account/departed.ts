// Computes that are long gone: their sums stay with their project, and nobody has to know them one by one.
import type { Bounds, ComputeAccount, Departed, ProjectAccount } from '../model/ledger.ts'
import { NO_ROLLUPS } from '../model/rollup.ts'
import { after, instant, latest, micros, millis, seconds, type Instant } from '../model/units.ts'
import { addBounds, NO_TIME } from './cu-time.ts'
import { NO_EVIDENCE } from './evidence.ts'
import { NO_READINGS } from './reading-account.ts'
import { spendOf } from './totals.ts'

/** By then its last day, of 25 hours at the most, is over and settled. Doubled, the deleted previews of a day more are kept in memory. */
const FAREWELL = seconds(26 * 3600)

/** When nothing more can happen to a compute that is gone; undefined while it is there. */
export const departsAt = ({ goneAt }: Pick<ComputeAccount, 'goneAt'>): Instant | undefined =>
  goneAt === undefined ? undefined : after(goneAt, FAREWELL)

/** @returns undefined while anything of it may still change */
export function departing(account: ComputeAccount, now: Instant): ComputeAccount | undefined {
  const at = departsAt(account)
  const isSettled = account.unsettled.length === 0 && account.days.length === 0 && !account.carried
  if (at === undefined || now < at || !isSettled) return undefined
  return {
    ...account,
    departed: true,
    settlesAt: undefined,
    evidence: NO_EVIDENCE,
    reading: NO_READINGS,
    rollups: NO_ROLLUPS,
  }
}

/** The project's account with the sums of `gone`: those of the whole account stay what they were. */
export function withDeparted(project: ProjectAccount, gone: ComputeAccount): ProjectAccount {
  const { totals, counters } = gone
  const before = project.departed ?? NOBODY
  return {
    ...project,
    departed: {
      until: latest(before.until, gone.settledUntil),
      awake: addBounds(before.awake, totals.awake, millis),
      spend: addBounds(before.spend, spendOf(totals.cuTime), micros),
      extension: millis(before.extension + totals.extension),
      observerSpend: micros(before.observerSpend + counters.observerSpend),
      wakes: before.wakes + counters.wakes,
      suspends: before.suspends + counters.suspends,
      wakesCaused: before.wakesCaused + counters.wakesCaused,
    },
  }
}

const NO_SPEND: Bounds<Departed['observerSpend']> = { low: micros(0), likely: micros(0), high: micros(0) }

const NOBODY: Departed = {
  until: instant(0),
  awake: NO_TIME,
  spend: NO_SPEND,
  extension: millis(0),
  observerSpend: micros(0),
  wakes: 0,
  suspends: 0,
  wakesCaused: 0,
}
