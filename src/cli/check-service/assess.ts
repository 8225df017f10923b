// Assessment of the probe results: one check per topic with what follows for Dormouse. Pure.
import { serviceErrorText, type ServiceError } from '../../model/service/service-error.ts'
import type { Result } from '../../std/result.ts'
import { historyChecks } from './assess-history.ts'
import { fullCheck, reducedCheck, unknownCheck, type Check } from './finding.ts'
import type { FieldCounts, ProbeResult, Traffic } from './probe-result.ts'

/** Settings of the command and the configuration. */
export type AssessSettings = {
  readonly requestsPerMinute: number
  /** Service plan of the configuration. */
  readonly plan: string | undefined
  /** Number of projects that the configuration names. */
  readonly named: number | undefined
}

/** All checks, in the order of the output. */
export const assessService = (result: ProbeResult, settings: AssessSettings): Check[] => [
  speed(result.traffic),
  rates(result.traffic, settings),
  clock(result.traffic),
  key(result),
  projectList(result, settings),
  paging(result),
  projectActivity(result),
  computeRecords(result),
  quietness(result),
  awakeEdges(result),
  lastActive(result),
  delay(result),
  oneCompute(result),
  ...historyChecks(result, settings),
]

/** Seconds of the median latency above which looks are old when a reading begins. */
const SLOW = 1

function speed({ requests, median, longest }: Traffic): Check {
  const latency = `median ${millisText(median)}, longest ${millisText(longest)} over ${requests} requests`
  return median > SLOW
    ? reducedCheck(
        'speed',
        latency,
        'looks are old when they arrive, so awake intervals that only looks show have wider bounds',
      )
    : fullCheck('speed', latency, 'looks are recent enough')
}

const millisText = (span: number): string => `${Math.round(span * 1000)} ms`

function rates({ refusedForRate, rateHeaders }: Traffic, { requestsPerMinute }: AssessSettings): Check {
  const headers = rateHeaders.length === 0 ? 'no headers about rates' : rateHeaders.join('; ')
  const allowance = `Dormouse sends at most ${requestsPerMinute} requests a minute, and fewer after 429 answers`
  return refusedForRate > 0
    ? reducedCheck(
        'rate limit',
        `${refusedForRate} of these few requests were answered 429; ${headers}`,
        `other clients use up the rate of the account, so sweeps take longer. ${allowance}`,
      )
    : fullCheck('rate limit', headers, allowance)
}

/** Clock offset by the Date headers, which the interface does not promise. */
function clock({ clock: offset }: Traffic): Check {
  if (!offset)
    return unknownCheck(
      'clock',
      'no Date header',
      "Dormouse assumes that this machine's clock is right to 3 s when it starts: set it by NTP",
    )
  const { low, high } = offset
  return fullCheck(
    'clock',
    `the service's clock minus ours is between ${tenths(low)} and ${tenths(high)} s`,
    "all times are those of the service's clock, whatever ours shows",
  )
}

/** Number with one decimal, zero without a sign. */
const tenths = (span: number): string => (Math.round(span * 10) / 10 || 0).toFixed(1)

const KEY_KINDS: Readonly<Record<string, string>> = {
  api_key_user: 'a personal key',
  api_key_org: 'a key of an organisation',
}

function key({ keyKind, keys }: ProbeResult): Check {
  const kind = keyKind === undefined ? 'accepted' : `accepted, ${KEY_KINDS[keyKind] ?? keyKind}`
  if (keys.ok)
    return fullCheck(
      'key',
      `${kind}; it may list the account's keys, ${keys.value} of them`,
      'what it may change cannot be checked without a change; by the interface a key may do everything. ' +
        'Dormouse only reads in the modes off, observe and suggest',
    )
  return fullCheck(
    'key',
    `${kind}; it may not list keys (${errorText(keys)})`,
    'ages and last uses of keys are unknown; a narrower key is safer',
  )
}

function projectList({ projects: { list, problems } }: ProbeResult, { named }: AssessSettings): Check {
  if (!list.ok)
    return reducedCheck(
      'project list',
      errorText(list),
      named === undefined
        ? 'Dormouse sees nothing until accounts[].projects names the ids of the projects'
        : `the ${named} projects of the configuration are asked for one by one: one request each and sweep`,
    )
  const { count, more } = list.value
  const listed = more ? `${count} projects on the first page, and more` : plural(count, 'project')
  if (problems.length > 0)
    return reducedCheck(
      'project list',
      `${listed}; ${plural(problems.length, 'record')} not understood: ${problems[0]}`,
      'those projects are left out',
    )
  if (count === 0)
    return reducedCheck('project list', listed, 'there is nothing to observe; a personal key may need org_id')
  return fullCheck('project list', listed, 'new projects are found without configuration')
}

const PAGINGS = {
  cursor: 'by cursor, with as many projects as requested',
  none: 'none: every project in one answer',
  repeats: 'the cursor is ignored: every page is the first',
  unproven: 'too few projects to tell',
} as const satisfies Record<ProbeResult['projects']['paging'], string>

function paging({ projects }: ProbeResult): Check {
  const observed = PAGINGS[projects.paging]
  switch (projects.paging) {
    case 'cursor':
      return fullCheck('pages', observed, 'a sweep lists 400 projects with one request')
    case 'none':
      return fullCheck('pages', observed, 'one request lists the account, up to 32 MiB: some 50,000 projects')
    case 'repeats':
      return reducedCheck(
        'pages',
        observed,
        'an account of more than 400 projects cannot be listed: name them in accounts[].projects',
      )
    case 'unproven':
      return unknownCheck('pages', observed, 'Dormouse requests pages of 400 until the list ends')
  }
}

const presence = ({ records, present }: FieldCounts, name: string): string =>
  `${present[name] ?? 0} of ${records}`
const isPresent = ({ present }: FieldCounts, name: string): boolean => (present[name] ?? 0) > 0

function projectActivity({ projects: { fields }, computes }: ProbeResult): Check {
  const topic = 'project activity'
  if (fields.records === 0) return unknownCheck(topic, 'no project record was seen', 'see project list')
  const observed = `compute_last_active_at in ${presence(fields, 'compute_last_active_at')} records, cpu_used_sec in ${presence(fields, 'cpu_used_sec')}`
  if (isPresent(fields, 'compute_last_active_at'))
    return fullCheck(
      topic,
      observed,
      'the list shows which projects were active, and only those are looked at',
    )
  if (computes.fields.records === 0)
    return unknownCheck(topic, observed, 'the fields may be absent because no compute was ever used')
  return reducedCheck(
    topic,
    observed,
    'the list does not show which projects were active: a wake is noticed when the record of the project changes, at the latest after poll.max_age',
  )
}

function computeRecords({ computes, sampled }: ProbeResult): Check {
  const { awake, asleep, problems } = computes
  const observed = `${plural(awake + asleep, 'compute')} in ${plural(sampled, 'project')}, ${awake} awake`
  if (problems.length > 0)
    return reducedCheck(
      'computes',
      `${observed}; ${plural(problems.length, 'answer')} not understood or refused: ${problems[0]}`,
      'those computes are left out',
    )
  if (awake + asleep === 0)
    return unknownCheck('computes', observed, 'the fields of their records are not known yet')
  return fullCheck('computes', observed, 'states, sizes and delays are read from these records')
}

function quietness({ computes: { woke, asleep } }: ProbeResult): Check {
  if (asleep === 0)
    return unknownCheck(
      'looking',
      'no compute was asleep',
      'whether looking wakes computes could not be checked',
    )
  if (woke.length === 0)
    return fullCheck(
      'looking',
      `${plural(asleep, 'sleeping compute')} slept on while their records were read`,
      'looks through the API wake no compute',
    )
  return reducedCheck(
    'looking',
    `${woke.join(', ')} woke while the records were read`,
    'a client may have woken them: run this again. If it happens every time, reading records wakes computes here, and Dormouse must not be used',
  )
}

function awakeEdges({ computes: { fields }, operations }: ProbeResult): Check {
  const topic = 'awake intervals'
  if (fields.records === 0) return unknownCheck(topic, 'no compute that has started was seen', 'see computes')
  const observed = `started_at in ${presence(fields, 'started_at')} records, suspended_at in ${presence(fields, 'suspended_at')}`
  if (isPresent(fields, 'started_at') || isPresent(fields, 'suspended_at'))
    return fullCheck(topic, observed, 'one look after an awake interval dates both ends to the second')
  const dated = 'ok' in operations && operations.ok
  return reducedCheck(
    topic,
    observed,
    dated
      ? 'both ends come from operations, exact to a few seconds'
      : 'both ends are only known to lie between two looks: spend has wide bounds, and a shorter poll.interval narrows them',
  )
}

function lastActive({ computes: { fields, asleep } }: ProbeResult): Check {
  const topic = 'activity'
  if (fields.records === 0) return unknownCheck(topic, 'no compute that has started was seen', 'see computes')
  const observed = `last_active in ${presence(fields, 'last_active')} records`
  if (isPresent(fields, 'last_active'))
    return fullCheck(
      topic,
      observed,
      'idle tails are known, and no reading is made while a compute is about to suspend',
    )
  if (asleep === 0) return unknownCheck(topic, observed, 'it may be absent because no compute was used yet')
  return reducedCheck(
    topic,
    observed,
    'idle tails are unknown, and no readings are made inside Postgres, because they could keep a compute awake',
  )
}

function delay({ computes: { fields } }: ProbeResult): Check {
  const topic = 'delays'
  if (fields.records === 0) return unknownCheck(topic, 'no compute that has started was seen', 'see computes')
  const observed = `suspend_timeout_seconds in ${presence(fields, 'suspend_timeout_seconds')} records`
  return isPresent(fields, 'suspend_timeout_seconds')
    ? fullCheck(topic, observed, 'the autosuspend delay of each compute is known')
    : reducedCheck(
        topic,
        observed,
        'Dormouse assumes the default delay for every compute, 5 minutes unless the project names one; only observation shows that a compute never suspends',
      )
}

function oneCompute({ oneCompute: answer }: ProbeResult): Check {
  const follows = "the daemon lists the project's computes instead"
  if ('unasked' in answer) return unknownCheck('one compute', `not asked: ${answer.unasked}`, follows)
  return answer.ok
    ? fullCheck('one compute', 'its record can be read alone', 'computes get works')
    : reducedCheck(
        'one compute',
        `its record cannot be read alone (${errorText(answer)})`,
        `computes get does not work; ${follows}`,
      )
}

export const errorText = (answer: Result<unknown, ServiceError>): string =>
  answer.ok ? '' : serviceErrorText(answer.error)

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
