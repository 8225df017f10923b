// Assessment of the service's history and metering. Pure.
import { planOfSubscription, type Granularity, type ProjectDetail } from '../../model/service/consumption.ts'
import { serviceErrorText } from '../../model/service/service-error.ts'
import { toIso } from '../../model/time.ts'
import { fullCheck, reducedCheck, unknownCheck, type Check } from './finding.ts'
import type { ProbeResult } from './probe-result.ts'

export const historyChecks = (
  result: ProbeResult,
  { plan }: { readonly plan: string | undefined },
): Check[] => [
  operations(result),
  detail(result),
  ...planCheck(result, plan),
  consumption(result),
  connections(result),
]

function operations({ operations: answer }: ProbeResult): Check {
  const topic = 'operations'
  if ('unasked' in answer) return unknownCheck(topic, `not asked: ${answer.unasked}`, 'see project list')
  if (!answer.ok)
    return reducedCheck(
      topic,
      `there is no list (${serviceErrorText(answer.error)})`,
      'transitions are derived from differences between looks: a short sleep between two looks is missed, and the time before the first start is unknown',
    )
  const { count, more, oldest } = answer.value
  if (oldest === undefined)
    return fullCheck(
      topic,
      'listed; the project asked for has none yet',
      'transitions are dated to the second',
    )
  return fullCheck(
    topic,
    `${count}${more ? ' and more' : ''} for the project asked for, back to ${toIso(oldest)}`,
    'transitions are dated to the second, and the history before the first start can be read',
  )
}

function detail({ detail: answer }: ProbeResult): Check {
  const topic = 'counters'
  if ('unasked' in answer) return unknownCheck(topic, `not asked: ${answer.unasked}`, 'see project list')
  if (!answer.ok)
    return reducedCheck(
      topic,
      `no record of a single project (${serviceErrorText(answer.error)})`,
      'the ledger cannot be compared with the counters of the project; quotas and announced restarts are unknown',
    )
  const { period, counters } = answer.value
  if (period === undefined || counters.computeTime === undefined)
    return reducedCheck(
      topic,
      'a project record does not show the CU-seconds of the current period',
      'the ledger cannot be compared with them',
    )
  return fullCheck(
    topic,
    `CU-seconds of a period from ${toIso(period.from)} to ${toIso(period.to)}${extrasText(answer.value)}`,
    'the ledger can be compared with them; they lag',
  )
}

function extrasText({ quota, maintenanceAt }: ProjectDetail): string {
  const hasQuota = Object.values(quota).some((limit) => limit !== undefined)
  return [
    hasQuota ? '; it has a quota that stops its computes' : '',
    maintenanceAt === undefined ? '' : `; a restart is announced for ${toIso(maintenanceAt)}`,
  ].join('')
}

/** No check if the service does not name the plan. */
function planCheck({ detail: answer }: ProbeResult, configured: string | undefined): Check[] {
  const subscription = 'ok' in answer && answer.ok ? answer.value.subscription : undefined
  if (subscription === undefined) return []
  const plan = planOfSubscription(subscription)
  if (plan === undefined)
    return [
      reducedCheck(
        'plan',
        `the service calls it ${subscription}`,
        'the price file has no such plan: set plan and cu_hour of the account',
      ),
    ]
  if (configured === undefined || configured === plan)
    return [fullCheck('plan', `the service calls it ${subscription}`, `its prices are those of ${plan}`)]
  return [
    reducedCheck(
      'plan',
      `the service calls it ${subscription}, the configuration ${configured}`,
      `spend is computed with the prices of ${configured}: set plan: ${plan}, or a price that fits your contract`,
    ),
  ]
}

const GRANULARITIES: readonly Granularity[] = ['hourly', 'daily', 'monthly']

function consumption({ consumption: answers, operations: listed }: ProbeResult): Check {
  const topic = 'consumption'
  const available = GRANULARITIES.filter((granularity) => {
    const answer = answers[granularity]
    return 'ok' in answer && answer.ok && answer.value.kind === 'page'
  })
  const missing = GRANULARITIES.filter((granularity) => !available.includes(granularity))
  if (missing.length === 0)
    return fullCheck(
      topic,
      'history by hour, day and month',
      'the ledger can be compared with what is billed, and earlier months can be shown',
    )
  const [first = 'hourly'] = missing
  const answer = answers[first]
  if ('unasked' in answer) return unknownCheck(topic, `not asked: ${answer.unasked}`, 'see project list')
  const source = 'ok' in listed && listed.ok ? 'is known from operations only' : 'is unknown'
  const has =
    available.length === 0 ? 'no history' : `history ${available.join(' and ')}, not ${missing.join(' and ')}`
  return reducedCheck(
    topic,
    `${has} (${whyNot(answers[first])})`,
    `the ledger cannot be compared with what is billed, and spend before the first start ${source}`,
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
    return reducedCheck(topic, `the service does not give them (${serviceErrorText(answer.error)})`, needsDsn)
  const { role, database } = answer.value
  return fullCheck(topic, `given for role ${role} and database ${database}`, 'readings work without a dsn')
}
