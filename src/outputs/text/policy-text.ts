// What the policy of a compute changes without a request, and why it makes no change of a recommendation; starts ahead of clients that it
// allows: the next one, or why there is none, and what the past of the compute says of them.
import type { StepOrigin } from '../../model/policy/step-origin.ts'
import type { ChangePolicy, ForeignChangeAnswer, RestartRules } from '../../model/policy/change-policy.ts'
import type { NotMadeBecause, PolicyDecision } from '../../model/output/policy-decision.ts'
import type { Hold } from '../../model/policy/hold.ts'
import type { NoWarmUpReason, WarmUpBacktest, WarmUpView } from '../../model/policy/warm-up.ts'
import type { Instant } from '../../model/units.ts'
import { toIso } from '../../model/time.ts'
import { holdText } from './change-text.ts'
import { countWithNoun, exactDurationText, instantText, spanText } from './amounts.ts'

export const NOT_MADE_TEXTS: Readonly<Record<NotMadeBecause, string>> = {
  mode: 'the mode of its policy makes no changes',
  lever: 'its policy has no lever for it',
  kind: 'no policy makes such a change',
  'open-change': 'a change of the same kind is open',
  'made-before': 'one was made of it before, and only a person repeats it',
  barred: 'it was taken back on this compute, and is barred for a while',
  person: 'a person set it less than a day ago',
  demoted: 'the savings of its kind did not come, until a person releases that brake',
  budget: 'a budget set another value, and puts it back after its period',
  schedule: 'a schedule set another delay, and puts it back when its window closes',
  controller: 'somebody else keeps setting the compute, until a person releases that brake',
  'fleet-brake': 'policies want to restart too many computes at once: a person decides',
}

/** The policy, then each recommendation and each step of a budget of which no change is made. */
export const policyLines = ({ policy, held, steps }: PolicyDecision): readonly string[] => [
  `policy of changes: ${policyText(policy)}`,
  ...held.map(({ id, because }) => `  no change of ${id}: ${NOT_MADE_TEXTS[because]}`),
  ...steps.map(({ origin, because }) => `  no change ${stepText(origin)}: ${NOT_MADE_TEXTS[because]}`),
]

const FOREIGN_TEXTS: Readonly<Record<ForeignChangeAnswer, string | undefined>> = {
  adopt: undefined,
  alert: 'alerts where somebody else overwrites a value',
  reapply: 'sets a value again that somebody else overwrites',
}

const stepText = (origin: StepOrigin): string =>
  origin.by === 'budget'
    ? `at ${origin.rung} % of the budget ${origin.name}`
    : `while the window ${origin.name} is open`

function policyText({ path, line, mode, levers, restart, onForeignChange, managedBy }: ChangePolicy): string {
  const where = `${path ?? 'the configuration'}${line === undefined ? '' : ` (line ${line} of the file)`}`
  if (managedBy !== undefined)
    return `${where}, managed by ${managedBy}: nothing is changed without a request, recommendations are texts for it`
  const what = levers.join(' and ')
  return [
    `${where}, mode ${mode}, ${levers.length === 1 ? 'lever' : 'levers'} ${what}`,
    ...(levers.includes('sizing') ? [restartText(restart)] : []),
    ...(levers.some((lever) => lever !== 'warm') ? [expiryText(restart)] : []),
    ...(levers.includes('warm') ? ['starts computes ahead of clients'] : []),
    FOREIGN_TEXTS[onForeignChange ?? 'adopt'],
  ]
    .filter((part) => part !== undefined)
    .join('; ')
}

function restartText({ when, windows, deny }: RestartRules): string {
  const isAnyTime = when.includes('idle') || when.includes('natural')
  const suspended = `a suspended compute ${isAnyTime ? 'at any time' : `in ${namesText(windows)}`}`
  const awake = [
    ...(when.includes('quiet') ? ['while nobody uses it'] : []),
    ...(when.includes('window') ? ['at a low load, which interrupts clients'] : []),
  ].join(', or ')
  const place = isAnyTime ? `in ${namesText(windows)}` : 'there'
  return [
    `restarts ${suspended}`,
    ...(awake === '' ? [] : [`an awake one ${place} ${awake}`]),
    ...(deny.length === 0 ? [] : [`never in ${namesText(deny)}`]),
  ].join(', ')
}

const expiryText = ({ maxWait, onExpire }: RestartRules) =>
  `a change that waits for ${exactDurationText(maxWait)} expires with an ${onExpire}`

const namesText = (names: readonly string[]) =>
  `${names.length === 1 ? 'the window' : 'the windows'} ${names.join(', ')}`

const NO_START_TEXTS: Readonly<Record<NoWarmUpReason, string>> = {
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
  if (because !== undefined) return `none, ${NO_START_TEXTS[because]}`
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
