// How one sweep shares out its requests. Pure.
import type { FinishedList, Urgency } from '../../model/observation.ts'
import { seconds, type Seconds } from '../../model/units.ts'

export type PollPlan = {
  /** Requests that one sweep may make; at least `MIN_REQUESTS` are. */
  readonly requests: number
  /** The oldest a look may become while the budget affords it. */
  readonly maxAge: Seconds
  readonly interval: Seconds
  /** How far back the operations of a compute are read when it is seen for the first time. */
  readonly history: Seconds
  /** Whether what was never looked at comes before what goes on; default not. */
  readonly unseenFirst?: boolean
  /** How late the project list may show activity. */
  readonly listLag: Seconds
}

/** However short the interval is, a sweep may make so many requests. Doubled, a sweep at a short interval takes twice as long. */
export const MIN_REQUESTS = 60
/** The most of a sweep's requests that go into the project list: a larger one is read over several sweeps. Doubled, a list of 100,000 is read in one, and nothing is left for what it shows. */
const LIST_SHARE = 0.4
/** The same while nobody knows how long the list is. Doubled, a sweep of a very large account only lists. */
const FIRST_LIST_SHARE = 0.8
/** Kept back for operations and for the looks before readings. Doubled, a transition waits longer where there are very many. */
const RESERVE = 0.1
/** The same where an account is too large for histories, so that few operations are read. Doubled, what the records do not date waits half as long, and a transition longer. */
const SMALL_RESERVE = 0.03
/** The most that goes to computes that just go on, so that transitions of the next minute find room. */
const RESTFUL = 0.75
/** Of that, what goes to projects that nobody ever looked at, when others wait, too. Doubled, a new account is known sooner and seen less often until then. */
const UNSEEN = 0.5
/**
 * What of the looks each kind gets before the more urgent ones take the rest; of transitions it is what the oldest get. Doubled, what is
 * urgent waits longer behind what is not, and most transitions behind those that are late already.
 */
const SHARES = { transition: 0.35, unseen: 0.1, awake: 0.05, age: 0.1, failing: 0.05 }
/** The part of the budget that looking at everything now and then may take. Source: the poll plan of the design. */
const AGE_SHARE = 0.25

/** How many requests a sweep may make: pages, looks, operations and the looks before readings together. */
export const requestsPerSweep = ({ requests }: Pick<PollPlan, 'requests'>): number =>
  Math.max(MIN_REQUESTS, requests)

/** Requests that a pass made, and what it took with all that was made of them. */
export type SweepThroughput = { readonly asked: number; readonly took: Seconds }

/** The part of an interval within which a pass is to end: turns begin that early. Doubled slack, a slow service is asked for a fiftieth less. */
const ENDS_WITHIN = 0.98

/** As planned, or as many as the last pass would have made within the interval: one that takes longer loses the next, and with it a reading of the list. */
export function adaptToThroughput(
  { requests, interval }: Pick<PollPlan, 'requests' | 'interval'>,
  pace: SweepThroughput | undefined,
): number {
  if (!pace || pace.took <= 0) return requests
  return Math.min(
    requests,
    Math.max(MIN_REQUESTS, Math.floor((pace.asked * interval * ENDS_WITHIN) / pace.took)),
  )
}

/** How many pages of the project list a sweep reads. */
export function pagesToRead(plan: Pick<PollPlan, 'requests'>, last: FinishedList | undefined): number {
  const requests = requestsPerSweep(plan)
  if (!last) return Math.floor(requests * FIRST_LIST_SHARE)
  const sweeps = Math.max(1, Math.ceil(last.pages / Math.floor(requests * LIST_SHARE)))
  return Math.max(1, Math.ceil(last.pages / sweeps))
}

/** What a sweep goes by: the pages of the project list that it reads, and how many projects there are. */
export type ListSize = { readonly pages: number; readonly projects: number }

/**
 * Into how many sweeps an interval is cut: as many as one would need to read the list, so that what a part of a long list shows is
 * looked at, and known, before the next part is read.
 */
export function sweepsPerInterval(plan: Pick<PollPlan, 'requests'>, last: FinishedList | undefined): number {
  if (!last) return 1
  const needed = Math.ceil(last.pages / Math.floor(requestsPerSweep(plan) * LIST_SHARE))
  return Math.max(1, Math.min(needed, Math.floor(plan.requests / (2 * MIN_REQUESTS))))
}

/** What one of `count` sweeps of an interval may do. */
export const planShare = <Plan extends Pick<PollPlan, 'requests' | 'interval'>>(
  plan: Plan,
  count: number,
): Plan => ({
  ...plan,
  requests: Math.floor(plan.requests / count),
  interval: seconds(plan.interval / count),
})

/** How many requests a sweep that has read `pages` of the list spends on looking at projects. */
export type LookAllowance = {
  readonly most: number
  /** Of these, for what just goes on or was never looked at. */
  readonly restful: number
  /** Of those, for what was never looked at. */
  readonly unseen: number
  /** Of `most`, what each kind gets first where it has use for it. */
  readonly shares: Readonly<Record<Urgency, number>>
}

/** @param projects as many as are known to be there */
export function lookAllowance(plan: PollPlan, { pages, projects }: ListSize): LookAllowance {
  const reserve = readsHistory(plan, projects) ? RESERVE : SMALL_RESERVE
  const most = Math.max(0, Math.floor((requestsPerSweep(plan) - pages) * (1 - reserve)))
  const restful = Math.floor(most * RESTFUL)
  const part = (share: number): number => Math.ceil(most * share)
  return {
    most,
    restful,
    unseen: plan.unseenFirst ? restful : Math.floor(restful * UNSEEN),
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

/** Seconds in which the history of all projects has to be read, or none is: an account as large as that has other work. Doubled, one of 20,000 projects is known half as fast at its first start. */
const HISTORY_TIME = 3600

/** Whether the history of a project is read when it is seen for the first time, which takes a request more. */
export const readsHistory = ({ requests, interval }: PollPlan, projects: number): boolean =>
  2 * projects <= (requests * HISTORY_TIME) / interval

/** From when on a look is old: as configured, or what a quarter of the budget affords for all. */
export const affordableAge = ({ requests, maxAge, interval }: PollPlan, projects: number): Seconds =>
  seconds(Math.max(maxAge, (projects * interval) / (requests * AGE_SHARE)))

/**
 * The oldest a look at a project becomes that answers, whatever else there is to look at, while sweeps end within their
 * interval: those that are old are looked at the oldest first, and have a share of their own.
 */
export const longestAge = (plan: PollPlan, listed: ListSize): Seconds =>
  seconds(
    affordableAge(plan, listed.projects) +
      (Math.ceil(listed.projects / lookAllowance(plan, listed).shares.age) + 1) * plan.interval,
  )
