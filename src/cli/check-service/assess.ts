// Checks by topic, with what follows for Dormouse.
import { countWithNoun } from '../../outputs/text/amounts.ts'
import { serviceErrorText } from '../../model/service/service-error.ts'
import { HISTORY_TOPICS } from './assess-history.ts'
import { full, less, notAsked, unproven } from './finding.ts'
import type { Assessments, AssessSettings, Check, CheckResult } from './finding.ts'
import { probedValue, type FieldCounts, type ProbeResult } from './probe-result.ts'

/** In the order of the output. */
export const assessService = (result: ProbeResult, settings: AssessSettings): Check[] =>
  Object.entries({ ...TOPICS, ...HISTORY_TOPICS }).flatMap(([topic, assess]) => {
    const finding = assess(result, settings)
    return finding ? [{ topic, ...finding }] : []
  })

/** Median latency, seconds, above which looks are old when a reading begins. */
const SLOW = 1

const KEY_KINDS: Readonly<Record<string, string>> = {
  api_key_user: 'a personal key',
  api_key_org: 'a key of an organisation',
}

const PAGINGS: Readonly<Record<ProbeResult['projects']['paging'], CheckResult>> = {
  cursor: full(
    'by cursor, with as many projects as requested',
    'a sweep lists 400 projects with one request',
  ),
  none: full(
    'none: every project in one answer',
    'one request lists the account, up to 32 MiB: some 50,000 projects',
  ),
  repeats: less(
    'the cursor is ignored: every page is the first',
    'an account of more than 400 projects cannot be listed: name them in accounts[].projects',
  ),
  unproven: unproven('too few projects to tell', 'Dormouse requests pages of 400 until the list ends'),
}

const NO_COMPUTE_RECORD = unproven('no compute that has started was seen', 'see computes')

const TOPICS: Assessments = {
  speed({ traffic: { requests, median, longest } }) {
    const latency = `median ${millisText(median)}, longest ${millisText(longest)} over ${requests} requests`
    if (median <= SLOW) return full(latency, 'looks are recent enough')
    return less(
      latency,
      'looks are old when they arrive, so awake intervals that only looks show have wider bounds',
    )
  },

  'rate limit'({ traffic: { refusedForRate, rateHeaders } }, { requestsPerMinute }) {
    const headers = rateHeaders.length === 0 ? 'no headers about rates' : rateHeaders.join('; ')
    const allowance = `Dormouse sends at most ${requestsPerMinute} requests a minute, and fewer after 429 answers`
    if (refusedForRate === 0) return full(headers, allowance)
    return less(
      `${refusedForRate} of these few requests were answered 429; ${headers}`,
      `other clients use up the rate of the account, so sweeps take longer. ${allowance}`,
    )
  },

  // by the Date headers, which the interface does not promise
  clock({ traffic: { clock } }) {
    if (!clock)
      return unproven(
        'no Date header',
        "Dormouse assumes that this machine's clock is right to 3 s when it starts: set it by NTP",
      )
    const offset = `the service's clock minus ours is between ${tenths(clock.low)} and ${tenths(clock.high)} s`
    return full(offset, "all times are those of the service's clock, whatever ours shows")
  },

  key({ keyKind, keys }) {
    const kind = keyKind === undefined ? 'accepted' : `accepted, ${KEY_KINDS[keyKind] ?? keyKind}`
    if (!keys.ok)
      return full(
        `${kind}; it may not list keys (${serviceErrorText(keys.error)})`,
        'ages and last uses of keys are unknown; a narrower key is safer',
      )
    return full(
      `${kind}; it may list the account's keys, ${keys.value} of them`,
      'what it may change cannot be checked without a change; by the interface a key may do everything. ' +
        'Dormouse only reads in the modes off and observe; in the others it changes what a person asks for or approves, too',
    )
  },

  'project list'({ projects: { list, problems } }, { named }) {
    if (!list.ok)
      return less(
        serviceErrorText(list.error),
        named === undefined
          ? 'Dormouse sees nothing until accounts[].projects names the ids of the projects'
          : `the ${named} projects of the configuration are asked for one by one: one request each and sweep`,
      )
    const { count, more } = list.value
    const listed = more ? `${count} projects on the first page, and more` : countWithNoun(count, 'project')
    if (problems.length > 0)
      return less(
        `${listed}; ${countWithNoun(problems.length, 'record')} not understood: ${problems[0]}`,
        'those projects are left out',
      )
    return count === 0
      ? less(listed, 'there is nothing to observe; a personal key may need org_id')
      : full(listed, 'new projects are found without configuration')
  },

  pages: ({ projects }) => PAGINGS[projects.paging],

  'project activity'({ projects: { fields }, computes }) {
    if (fields.records === 0) return unproven('no project record was seen', 'see project list')
    const seen = presence(fields, 'compute_last_active_at', 'cpu_used_sec')
    if (isPresent(fields, 'compute_last_active_at'))
      return full(seen, 'the list shows which projects were active, and only those are looked at')
    if (computes.fields.records === 0)
      return unproven(seen, 'the fields may be absent because no compute was ever used')
    return less(
      seen,
      'the list does not show which projects were active: a wake is noticed when the record of the project changes, at the latest after poll.max_age',
    )
  },

  computes({ computes: { awake, asleep, problems }, sampled }) {
    const seen = `${countWithNoun(awake + asleep, 'compute')} in ${countWithNoun(sampled, 'project')}, ${awake} awake`
    if (problems.length > 0)
      return less(
        `${seen}; ${countWithNoun(problems.length, 'answer')} not understood or refused: ${problems[0]}`,
        'those computes are left out',
      )
    return awake + asleep === 0
      ? unproven(seen, 'the fields of their records are not known yet')
      : full(seen, 'states, sizes and delays are read from these records')
  },

  hosts({ computes: { hostsRefused, awake, asleep } }) {
    const [first] = hostsRefused
    const computes = countWithNoun(awake + asleep, 'compute')
    if (first === undefined)
      return full(`those of ${computes} may be read`, 'readings connect to the hosts of the records')
    return less(
      `${hostsRefused.length} of ${computes}, such as ${first}`,
      'they are not read (host-not-allowed) and not named to Prometheus: if the hosts are right, list their domain in reading.hosts',
    )
  },

  looking({ computes: { woke, asleep } }) {
    if (asleep === 0)
      return unproven('no compute was asleep', 'whether looking wakes computes could not be checked')
    const sleepers = countWithNoun(asleep, 'sleeping compute')
    if (woke.length === 0)
      return full(
        `${sleepers} slept on while their records were read`,
        'looks through the API wake no compute',
      )
    return less(
      `${woke.join(', ')} woke while the records were read`,
      'a client may have woken them: run this again. If it happens every time, reading records wakes computes here, and Dormouse must not be used',
    )
  },

  'awake intervals'({ computes: { fields }, operations }) {
    if (fields.records === 0) return NO_COMPUTE_RECORD
    const seen = presence(fields, 'started_at', 'suspended_at')
    if (isPresent(fields, 'started_at') || isPresent(fields, 'suspended_at'))
      return full(seen, 'one look after an awake interval dates both ends to the second')
    if (probedValue(operations)) return less(seen, 'both ends come from operations, exact to a few seconds')
    return less(
      seen,
      'both ends are only known to lie between two looks: spend has wide bounds, and a shorter poll.interval narrows them',
    )
  },

  activity({ computes: { fields, asleep } }) {
    if (fields.records === 0) return NO_COMPUTE_RECORD
    const seen = presence(fields, 'last_active')
    if (isPresent(fields, 'last_active'))
      return full(seen, 'idle tails are known, and no reading is made while a compute is about to suspend')
    if (asleep === 0) return unproven(seen, 'it may be absent because no compute was used yet')
    return less(
      seen,
      'idle tails are unknown, and no readings are made inside Postgres, because they could keep a compute awake',
    )
  },

  delays({ computes: { fields } }) {
    if (fields.records === 0) return NO_COMPUTE_RECORD
    const seen = presence(fields, 'suspend_timeout_seconds')
    if (isPresent(fields, 'suspend_timeout_seconds'))
      return full(seen, 'the autosuspend delay of each compute is known')
    return less(
      seen,
      'Dormouse assumes the default delay for every compute, 5 minutes unless the project names one; only observation shows that a compute never suspends',
    )
  },

  'one compute'({ oneCompute: answer }) {
    const follows = "the daemon lists the project's computes instead"
    if ('unasked' in answer) return notAsked(answer, follows)
    if (answer.ok) return full('its record can be read alone', 'computes get works')
    const refusal = `its record cannot be read alone (${serviceErrorText(answer.error)})`
    return less(refusal, `computes get does not work; ${follows}`)
  },
}

const millisText = (span: number) => `${Math.round(span * 1000)} ms`

/** Seconds with one decimal, zero without a sign. */
const tenths = (span: number) => (Math.round(span * 10) / 10 || 0).toFixed(1)

/** `a in 1 of 2 records, b in 2 of 2`. */
const presence = ({ records, present }: FieldCounts, first: string, ...others: readonly string[]) =>
  [
    `${first} in ${present[first] ?? 0} of ${records} records`,
    ...others.map((name) => `${name} in ${present[name] ?? 0} of ${records}`),
  ].join(', ')

const isPresent = ({ present }: FieldCounts, name: string) => (present[name] ?? 0) > 0
