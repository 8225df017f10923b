// Poll plan: how one sweep divides its requests. Pure.
import type { FinishedList, Urgency } from '../../model/observation.ts'
import { CONFIGURED_PAGE } from '../../model/ports/service.ts'
import { seconds, type Seconds } from '../../model/units.ts'

export type PollPlan = Readonly<{
  /** Requests that one sweep may make; fewer than `MIN_REQUESTS` count as that many. */
  requests: number
  /** Requests that the configuration allows, whatever the pace of the last sweep was; default `requests`. */
  allowance?: number
  /** Oldest age of a look, as long as the request allowance affords it. */
  maxAge: Seconds
  interval: Seconds
  /** Length of the history that is read of a new compute. */
  history: Seconds
  /** Whether this is the small first sweep of a process; default false. */
  isOpening?: boolean
  /** Whether new projects come before awake ones; default false. */
  unseenFirst?: boolean
  /** The configuration names the projects, so that no list shows a deletion; default false. */
  hasConfiguredProjects?: boolean
  /** How late the project list may show activity. */
  listLag: Seconds
  /** Projects in which a change of Dormouse is under way; default none. */
  changing?: ReadonlySet<string>
}>

/** Requests of a sweep, however short the interval is. */
export const MIN_REQUESTS = 60
/** Requests of the first sweep of a process, 20: at the default rate the first states are shown after 4 s, and not after a minute. */
const OPENING_REQUESTS = 20
/** Largest share of a sweep's requests for the project list; a larger list is read over several sweeps, so that requests remain for what it shows. */
const LIST_SHARE = 0.4
/** Share before the first list was finished. */
const FIRST_LIST_SHARE = 0.8
/** Share of the requests behind the list that is reserved for operations and for the looks before readings. */
const RESERVE = 0.1
/** Reserve where an account is too large for histories, so that few operations are read. */
const SMALL_RESERVE = 0.03
/** Largest share of the looks for projects without a transition, so that transitions of the next minute find requests. */
const RESTFUL_SHARE = 0.75
/** Share of those for new projects, when others wait, too. */
const NEW_SHARE = 0.5
/** Share of the looks that each urgency gets before the more urgent ones take the rest; for transitions, the share of the oldest. */
const SHARES = { transition: 0.35, unseen: 0.1, awake: 0.05, age: 0.1, failing: 0.05 }
/** Share of the requests that looks by age may take. */
const AGE_SHARE = 0.25

/** Requests of a sweep: pages, looks, operations and the looks before readings together. */
export const requestsPerSweep = ({
  requests,
  isOpening = false,
}: Pick<PollPlan, 'requests' | 'isOpening'>): number =>
  isOpening ? OPENING_REQUESTS : Math.max(MIN_REQUESTS, requests)

/** Requests of a pass, and how long the whole pass took. */
export type SweepThroughput = { readonly requestsMade: number; readonly took: Seconds }

/** Share of the interval within which a pass should end, 0.98: the next one starts that early. */
const MAX_DURATION = 0.98

/** Requests as planned, or as many as the last pass would have made within the interval: a pass that takes longer costs the next one. */
export function adaptToThroughput(
  { requests, interval }: Pick<PollPlan, 'requests' | 'interval'>,
  throughput: SweepThroughput | undefined,
): number {
  if (!throughput || throughput.took <= 0) return requests
  return Math.min(
    requests,
    Math.max(MIN_REQUESTS, Math.floor((throughput.requestsMade * interval * MAX_DURATION) / throughput.took)),
  )
}

/** Until the sweep after one that left histories: the part of the interval whose requests it made. */
export const untilNextHistories = (
  { requests, interval }: Pick<PollPlan, 'requests' | 'interval'>,
  { requestsMade }: SweepThroughput,
): Seconds => seconds(interval * Math.min(1, requestsMade / requests))

/** Pages of the project list that a sweep may read with `share` of its requests. */
const pagesWithin = (share: number, plan: ListPlan): number =>
  Math.max(
    1,
    Math.floor((requestsPerSweep(plan) * share) / (plan.hasConfiguredProjects ? CONFIGURED_PAGE : 1)),
  )

type ListPlan = Pick<PollPlan, 'requests' | 'hasConfiguredProjects' | 'isOpening'>

/** Pages of the project list that a sweep reads. */
export function pagesToRead(plan: ListPlan, last: FinishedList | undefined): number {
  if (!last) return pagesWithin(plan.isOpening ? LIST_SHARE : FIRST_LIST_SHARE, plan)
  const sweeps = Math.max(1, Math.ceil(last.pages / pagesWithin(LIST_SHARE, plan)))
  return Math.max(1, Math.ceil(last.pages / sweeps))
}

/** Requests of a sweep for the project list, and projects of the account. */
export type ListSize = { readonly pages: number; readonly projects: number }

/** Sweeps of an interval: as many as reading the list takes, so that the projects of one part of a long list are looked at before the next part is read. */
export function sweepsPerInterval(plan: ListPlan, last: FinishedList | undefined): number {
  if (!last) return 1
  const needed = Math.ceil(last.pages / pagesWithin(LIST_SHARE, plan))
  return Math.max(1, Math.min(needed, Math.floor(plan.requests / (2 * MIN_REQUESTS))))
}

/** Plan of one of `count` sweeps of an interval. */
export const planShare = <Plan extends Pick<PollPlan, 'requests' | 'allowance' | 'interval'>>(
  plan: Plan,
  count: number,
): Plan => ({
  ...plan,
  requests: Math.floor(plan.requests / count),
  ...(plan.allowance !== undefined && { allowance: plan.allowance / count }),
  interval: seconds(plan.interval / count),
})

/** Looks that a sweep may make, one request each. */
export type LookAllowance = Readonly<{
  most: number
  /** Part of `most` for projects without a transition. */
  restful: number
  /** Part of `restful` for new projects. */
  unseen: number
  /** Looks of `most` that each urgency gets first. */
  shares: Readonly<Record<Urgency, number>>
}>

export function lookAllowance(plan: PollPlan, { pages, projects }: ListSize): LookAllowance {
  const reserve = readsHistory(plan, projects) ? RESERVE : SMALL_RESERVE
  const most = Math.max(0, Math.floor((requestsPerSweep(plan) - pages) * (1 - reserve)))
  const restful = Math.floor(most * RESTFUL_SHARE)
  const part = (share: number): number => Math.ceil(most * share)
  return {
    most,
    restful,
    unseen: plan.unseenFirst ? restful : Math.floor(restful * NEW_SHARE),
    shares: {
      'in-flight': 0,
      transition: plan.unseenFirst ? part(SHARES.age) : part(SHARES.transition),
      unseen: plan.unseenFirst ? restful : part(SHARES.unseen),
      awake: plan.unseenFirst ? 0 : part(SHARES.awake),
      age: part(SHARES.age),
      failing: part(SHARES.failing),
    },
  }
}

/** Longest time that reading the history of all projects may take, an hour; in a larger account no history is read. */
const MAX_HISTORY_TIME = 3600

/** Whether the history of a new project is read, which takes one more request. */
export const readsHistory = (
  { requests, allowance = requests, interval }: PollPlan,
  projects: number,
): boolean => 2 * projects <= (allowance * MAX_HISTORY_TIME) / interval

/** Age from which a look is old: as configured, or as a quarter of the requests affords for all projects. */
export const affordableAge = ({ requests, maxAge, interval }: PollPlan, projects: number): Seconds =>
  seconds(Math.max(maxAge, (projects * interval) / (requests * AGE_SHARE)))

/**
 * Oldest age of a look at a project that answers, whatever else is urgent, as long as sweeps end within their interval: old looks have a
 * share of their own, the oldest first.
 */
export const longestAge = (plan: PollPlan, listed: ListSize): Seconds =>
  seconds(
    affordableAge(plan, listed.projects) +
      (Math.ceil(listed.projects / lookAllowance(plan, listed).shares.age) + 1) * plan.interval,
  )
