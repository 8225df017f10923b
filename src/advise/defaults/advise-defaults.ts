// Recommended defaults of a project, or the reason why there are none: the delay and the range with the least cost over the lives of its computes
// that existed for hours. Nothing is judged of a compute that lives longer: it earns a recommendation of its own.
//
// 1. The delay (default-delay.ts) and the range (default-range.ts) are chosen apart: which delay costs the least does not depend on the size.
// 2. They are one recommendation and one request (joint-proposal.ts). Where one of them stays as it is, the other is recommended alone, and
//    the recommendation says why.
// 3. A setting that was implemented less than 28 days ago is followed up, and the other one is recommended alone.
// 4. Where a setting of an open recommendation cannot be judged, that is the answer, and the other setting alone is none.
import type { Proposal, Withheld } from '../../model/policy/recommendation.ts'
import { after, DAY, earliest, SECOND } from '../../model/units.ts'
import { FOLLOW_UP } from '../follow-up.ts'
import { withhold } from '../propose.ts'
import { adviseDefaultDelay } from './default-delay.ts'
import { adviseDefaultRange, type DefaultRange } from './default-range.ts'
import type { DefaultsInput } from './input.ts'
import { jointProposal } from './joint-proposal.ts'

export function adviseDefaults(input: DefaultsInput): Proposal | Withheld {
  const { plan, policy, project } = input
  if (!policy.kinds.includes('defaults')) return withhold('defaults', 'policy')
  if (project.hasDefaults === false) return withhold('defaults', 'not-listed')
  if (!plan) return withhold('defaults', 'plan-unknown')
  const delay = unlessFollowedUp(adviseDefaultDelay(input, plan), 'delay', input)
  const range = unlessFollowedUp(adviseDefaultRange(input, plan), 'sizing', input)
  return together(input, delay, range)
}

function together(
  input: DefaultsInput,
  delay: Proposal | Withheld,
  range: DefaultRange | Withheld,
): Proposal | Withheld {
  const open = input.previous.findLast(({ life }) => life.state === 'open')?.to ?? {}
  if (isWithheld(delay)) {
    const isAlone = !isWithheld(range) && open.delay === undefined
    return isAlone ? jointProposal(input, { delay, range }) : bothReasons(delay, range)
  }
  const isUnjudged = isWithheld(range) && open.sizing !== undefined
  return isUnjudged ? { ...range, sizing: range.because } : jointProposal(input, { delay, range })
}

function unlessFollowedUp<Judged extends Proposal | DefaultRange>(
  judged: Judged | Withheld,
  field: 'delay' | 'sizing',
  { previous, now }: DefaultsInput,
): Judged | Withheld {
  const implemented = previous.flatMap(({ life, to }) =>
    life.state === 'implemented' && to[field] !== undefined ? [life.at] : [],
  )
  const [at] = implemented.slice(-1)
  const until = at && after(at, FOLLOW_UP)
  if (isWithheld(judged) || at === undefined || until === undefined || now >= until) return judged
  return withhold('defaults', 'follow-up', {
    have: Math.floor((now - at) / DAY),
    needs: (FOLLOW_UP * SECOND) / DAY,
    until,
  })
}

const isWithheld = (result: Proposal | DefaultRange | Withheld): result is Withheld => 'because' in result

function bothReasons(delay: Withheld, range: DefaultRange | Withheld): Withheld {
  if (!isWithheld(range)) return delay
  const ends = [delay.until, range.until].filter((until) => until !== undefined)
  return { ...delay, sizing: range.because, until: ends.length === 0 ? undefined : earliest(...ends) }
}
