// Starts of a compute ahead of clients: the next one, or why there is none, and what its past says of them.
import type { Hold } from '../../model/policy/change.ts'
import type { NoWarmUpReason, WarmUpBacktest, WarmUpView } from '../../model/policy/warm-up.ts'
import type { Instant } from '../../model/units.ts'
import { toIso } from '../../model/time.ts'
import { countWithNoun, instantText, spanText } from './amounts.ts'
import { holdText } from './change-text.ts'

const REASON_TEXTS: Readonly<Record<NoWarmUpReason, string>> = {
  unseen: 'nobody knows when a client was active last',
  'autosuspend-off': 'autosuspend is off',
  'wake-cost': 'a wake costs no more than the delay and a minute',
  'few-gaps': 'fewer than five gaps between clients were seen',
  'in-loss': 'starts would have cost more than they saved, and those since have not made that good',
  'no-gain': 'no start in this gap saves 5 %',
}

export function warmUpLines({ plan, nextAt, hold }: WarmUpView): readonly string[] {
  if (!plan) return ['starts ahead of clients: none while it is awake']
  return [
    `starts ahead of clients: ${nextText({ because: plan.because, nextAt, hold })}`,
    ...backtestLines(plan.backtest),
  ]
}

function nextText({
  because,
  nextAt,
  hold,
}: Readonly<{ because: NoWarmUpReason | undefined; nextAt: Instant | undefined; hold: Hold | undefined }>) {
  if (because !== undefined) return `none, ${REASON_TEXTS[because]}`
  if (nextAt === undefined) return 'no further one in this gap'
  const at = instantText(toIso(nextAt))
  return hold ? `the one of ${at} is held, ${holdText(hold.because)}` : `next at ${at}`
}

function backtestLines({ gaps, predicted, came, saved }: WarmUpBacktest): readonly string[] {
  if (predicted === 0) return []
  const gain = saved < 0 ? `cost ${spanText(-1000 * saved)}` : `saved ${spanText(1000 * saved)}`
  return [
    `  over its last ${countWithNoun(gaps, 'gap')}: ${countWithNoun(predicted, 'start')}, ${countWithNoun(came, 'client')} came, ${gain} of awake time, each wake at its price`,
  ]
}
