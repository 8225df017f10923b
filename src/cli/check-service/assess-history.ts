import { planOfSubscription, type Granularity, type ProjectDetail } from '../../model/service/consumption.ts'
import { serviceErrorText } from '../../model/service/service-error.ts'
import { toIsoSecond } from '../../model/time.ts'
import { full, less, notAsked, type Assessments } from './finding.ts'
import { probedValue, type ProbeResult } from './probe-result.ts'

export const HISTORY_TOPICS: Assessments = {
  operations({ operations: answer }) {
    if ('unasked' in answer) return notAsked(answer)
    if (!answer.ok)
      return less(
        `there is no list (${serviceErrorText(answer.error)})`,
        'transitions are derived from differences between looks: a short sleep between two looks is missed, and the time before the first start is unknown',
      )
    const { count, more, oldest } = answer.value
    if (oldest === undefined)
      return full('listed; the project asked for has none yet', 'transitions are dated to the second')
    return full(
      `${count}${more ? ' and more' : ''} for the project asked for, back to ${toIsoSecond(oldest)}`,
      'transitions are dated to the second, and the history before the first start can be read',
    )
  },

  counters({ detail: answer }) {
    if ('unasked' in answer) return notAsked(answer)
    if (!answer.ok)
      return less(
        `no record of a single project (${serviceErrorText(answer.error)})`,
        'the ledger cannot be compared with the counters of the project; quotas and announced restarts are unknown',
      )
    const { period, counters } = answer.value
    if (period === undefined || counters.computeTime === undefined)
      return less(
        'a project record does not show the CU-seconds of the current period',
        'the ledger cannot be compared with them',
      )
    return full(
      `CU-seconds of a period from ${toIsoSecond(period.from)} to ${toIsoSecond(period.to)}${extrasText(answer.value)}`,
      'the ledger can be compared with them; they lag',
    )
  },

  plan({ detail }, { plan: configured }) {
    const subscription = probedValue(detail)?.subscription
    if (subscription === undefined) return undefined
    const named = `the service calls it ${subscription}`
    const plan = planOfSubscription(subscription)
    if (plan === undefined)
      return less(named, 'the price file has no such plan: set plan and cu_hour of the account')
    if (configured === undefined || configured === plan) return full(named, `its prices are those of ${plan}`)
    return less(
      `${named}, the configuration ${configured}`,
      `spend is computed with the prices of ${configured}: set plan: ${plan}, or a price that fits your contract`,
    )
  },

  consumption({ consumption: answers, operations }) {
    const available = GRANULARITIES.filter((each) => probedValue(answers[each])?.kind === 'page')
    const [first, ...others] = GRANULARITIES.filter((each) => !available.includes(each))
    if (first === undefined)
      return full(
        'history by hour, day and month',
        'the ledger can be compared with what is billed, and earlier months can be shown',
      )
    const answer = answers[first]
    if ('unasked' in answer) return notAsked(answer)
    const source = probedValue(operations) ? 'is known from operations only' : 'is unknown'
    const partial = `history ${available.join(' and ')}, not ${[first, ...others].join(' and ')}`
    return less(
      `${available.length === 0 ? 'no history' : partial} (${reasonOf(answer)})`,
      `the ledger cannot be compared with what is billed, and spend before the first start ${source}`,
    )
  },

  'connection strings'({ connectionUri: answer }) {
    const needsDsn = 'readings inside Postgres need the dsn of the account'
    if ('unasked' in answer) return notAsked(answer, needsDsn)
    if (!answer.ok)
      return less(`the service does not give them (${serviceErrorText(answer.error)})`, needsDsn)
    const { role, database } = answer.value
    return full(`given for role ${role} and database ${database}`, 'readings work without a dsn')
  },
}

const GRANULARITIES: readonly Granularity[] = ['hourly', 'daily', 'monthly']

function extrasText({ quota, maintenanceAt }: ProjectDetail) {
  const hasQuota = Object.values(quota).some((limit) => limit !== undefined)
  const restart =
    maintenanceAt === undefined ? '' : `; a restart is announced for ${toIsoSecond(maintenanceAt)}`
  return (hasQuota ? '; it has a quota that stops its computes' : '') + restart
}

function reasonOf(answer: Exclude<ProbeResult['consumption'][Granularity], { unasked: string }>) {
  if (!answer.ok) return serviceErrorText(answer.error)
  if (answer.value.kind === 'page') return ''
  return answer.value.because === 'plan' ? `not on this plan: ${answer.value.message}` : answer.value.message
}
