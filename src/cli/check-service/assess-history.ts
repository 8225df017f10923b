// What the service has kept and counted, and what that is good for. Pure.
import { planOfSubscription, type Granularity, type ProjectDetail } from '../../model/service/consumption.ts'
import { serviceErrorText } from '../../model/service/service-error.ts'
import { toIso } from '../../model/time.ts'
import { fullCheck, reducedCheck, unknownCheck, type Check } from './finding.ts'
import type { ProbeResult } from './probe-result.ts'

export const historyChecks = (
  seen: ProbeResult,
  { plan }: { readonly plan: string | undefined },
): Check[] => [operations(seen), detail(seen), ...planCheck(seen, plan), consumption(seen), connections(seen)]

function operations({ operations: answer }: ProbeResult): Check {
  const topic = 'operations'
  if ('unasked' in answer) return unknownCheck(topic, `not asked: ${answer.unasked}`, 'see project list')
  if (!answer.ok)
    return reducedCheck(
      topic,
      `there is no list (${serviceErrorText(answer.error)})`,
      'transitions come from differences between looks; a short sleep between two looks is missed, and nothing is known of the time before the first start',
    )
  const { count, more, oldest } = answer.value
  if (oldest === undefined)
    return fullCheck(
      topic,
      'listed; the project asked about has none yet',
      'transitions are dated to the second',
    )
  return fullCheck(
    topic,
    `${count}${more ? ' and more' : ''} for the project asked about, back to ${toIso(oldest)}`,
    'transitions are dated to the second, and what was before the first start can be read back',
  )
}

function detail({ detail: answer }: ProbeResult): Check {
  const topic = 'counters'
  if ('unasked' in answer) return unknownCheck(topic, `not asked: ${answer.unasked}`, 'see project list')
  if (!answer.ok)
    return reducedCheck(
      topic,
      `no record of a single project (${serviceErrorText(answer.error)})`,
      'the ledger cannot be held against the counters of the project; quotas and announced restarts are not seen',
    )
  const { period, counters } = answer.value
  if (period === undefined || counters.computeTime === undefined)
    return reducedCheck(
      topic,
      'a project does not tell its CU-seconds of the current period',
      'the ledger cannot be held against them',
    )
  return fullCheck(
    topic,
    `CU-seconds of a period from ${toIso(period.from)} to ${toIso(period.to)}${extrasText(answer.value)}`,
    'the ledger can be held against them; they lag',
  )
}

function extrasText({ quota, maintenanceAt }: ProjectDetail): string {
  const hasQuota = Object.values(quota).some((limit) => limit !== undefined)
  return [
    hasQuota ? '; it has a quota that stops its computes' : '',
    maintenanceAt === undefined ? '' : `; a restart is announced for ${toIso(maintenanceAt)}`,
  ].join('')
}

/** Nothing to say where the service does not name the plan. */
function planCheck({ detail: answer }: ProbeResult, configured: string | undefined): Check[] {
  const told = 'ok' in answer && answer.ok ? answer.value.subscription : undefined
  if (told === undefined) return []
  const plan = planOfSubscription(told)
  if (plan === undefined)
    return [
      reducedCheck(
        'plan',
        `the service calls it ${told}`,
        'it is no row of the price file: set plan and cu_hour of the account',
      ),
    ]
  if (configured === undefined || configured === plan)
    return [fullCheck('plan', `the service calls it ${told}`, `its prices are those of ${plan}`)]
  return [
    reducedCheck(
      'plan',
      `the service calls it ${told}, the configuration ${configured}`,
      `spend is computed with the prices of ${configured}: set plan: ${plan}, or a price that fits your contract`,
    ),
  ]
}

const GRANULARITIES: readonly Granularity[] = ['hourly', 'daily', 'monthly']

function consumption({ consumption: answers, operations: listed }: ProbeResult): Check {
  const topic = 'consumption'
  const there = GRANULARITIES.filter((one) => {
    const answer = answers[one]
    return 'ok' in answer && answer.ok && answer.value.kind === 'page'
  })
  const missing = GRANULARITIES.filter((one) => !there.includes(one))
  if (missing.length === 0)
    return fullCheck(
      topic,
      'history by hour, day and month',
      'the ledger can be held against what is billed, and earlier months be shown',
    )
  const [first = 'hourly'] = missing
  const answer = answers[first]
  if ('unasked' in answer) return unknownCheck(topic, `not asked: ${answer.unasked}`, 'see project list')
  const before = 'ok' in listed && listed.ok ? 'from operations alone' : 'from nothing'
  const has =
    there.length === 0 ? 'no history' : `history ${there.join(' and ')}, not ${missing.join(' and ')}`
  return reducedCheck(
    topic,
    `${has} (${whyNot(answers[first])})`,
    `the ledger cannot be held against what is billed, and spend before the first start is known ${before}`,
  )
}

function whyNot(answer: ProbeResult['consumption'][Granularity]): string {
  if ('unasked' in answer) return answer.unasked
  if (!answer.ok) return serviceErrorText(answer.error)
  if (answer.value.kind === 'page') return ''
  return answer.value.because === 'plan' ? `not on this plan: ${answer.value.message}` : answer.value.message
}

function connections({ connectionUri: answer }: ProbeResult): Check {
  const topic = 'connection strings'
  const needsDsn = 'readings inside Postgres need the dsn of the account'
  if ('unasked' in answer) return unknownCheck(topic, `not asked: ${answer.unasked}`, needsDsn)
  if (!answer.ok)
    return reducedCheck(topic, `the service does not tell them (${serviceErrorText(answer.error)})`, needsDsn)
  const { role, database } = answer.value
  return fullCheck(
    topic,
    `told for role ${role} and database ${database}`,
    'computes can be read without a dsn',
  )
}
