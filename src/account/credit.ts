import type { AutosuspendDelay } from '../model/compute.ts'
import type { ReadingAccount } from '../model/ledger.ts'
import { seconds, type Millis, type Seconds } from '../model/units.ts'

/** The observer's budget of one compute: its awake time earns it, at most one delay in all, and readings spend it. */
export function creditAfter(
  account: ReadingAccount,
  earned: { readonly awake: Millis; readonly overhead: number; readonly delay: AutosuspendDelay },
  spent: Seconds,
): Seconds {
  const most = earned.delay === 'never' ? Number.POSITIVE_INFINITY : earned.delay
  return seconds(
    Math.min(most, account.credit + (Math.max(0, earned.awake) / 1000) * earned.overhead) - spent,
  )
}
