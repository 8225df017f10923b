// How one sweep shares out its requests. Pure.
import type { FinishedList } from '../model/observation.ts'
import { seconds, type Seconds } from '../model/units.ts'

export type PollPlan = {
  /** Requests that one sweep may make. */
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

/** The most of a sweep's requests that go into the project list: a larger one is read over several sweeps. Doubled, a list of 100,000 is read in one, and nothing is left for what it shows. */
const LIST_SHARE = 0.4
/** However short the interval is, a sweep looks at so many projects. Doubled, a sweep at a short interval takes longer. */
const FEWEST_LOOKS = 50
/** Kept back for operations and for the looks before readings. Doubled, a transition waits longer where there are very many. */
const RESERVE = 0.1
/** The most that goes to computes that just go on, so that transitions of the next minute find room. */
const RESTFUL = 0.75
/** Of that, what goes to projects that nobody ever looked at, when others wait, too. Doubled, a new account is known sooner and seen less often until then. */
const UNSEEN = 0.5
/** The part of the budget that looking at everything now and then may take. Source: the poll plan of the design. */
const AGE_SHARE = 0.25

/** How many pages of the project list a sweep reads; all of them where it is not known how many there are. */
export function pagesToRead({ requests }: PollPlan, last: FinishedList | undefined): number {
  if (!last) return Number.POSITIVE_INFINITY
  const sweeps = Math.max(1, Math.ceil(last.pages / (requests * LIST_SHARE)))
  return Math.max(1, Math.ceil(last.pages / sweeps))
}

/** How many requests a sweep that has read `pages` of the list spends on looking at projects. */
export type Looks = {
  readonly most: number
  /** Of these, for what just goes on or was never looked at. */
  readonly restful: number
  /** Of those, for what was never looked at. */
  readonly unseen: number
}

export function looksToMake({ requests, unseenFirst = false }: PollPlan, pages: number): Looks {
  const most = Math.max(FEWEST_LOOKS, Math.floor((requests - pages) * (1 - RESERVE)))
  const restful = Math.max(FEWEST_LOOKS, Math.floor(most * RESTFUL))
  return { most, restful, unseen: unseenFirst ? restful : Math.floor(restful * UNSEEN) }
}

/** Seconds in which the history of all projects has to be read, or none is: an account as large as that has other work. Doubled, one of 20,000 projects is known half as fast at its first start. */
const HISTORY_TIME = 3600

/** Whether the history of a project is read when it is seen for the first time, which takes a request more. */
export const readsHistory = ({ requests, interval }: PollPlan, projects: number): boolean =>
  2 * projects <= (requests * HISTORY_TIME) / interval

/** The oldest a look may become: as configured, or what a quarter of the budget affords for all. */
export const affordableAge = ({ requests, maxAge, interval }: PollPlan, projects: number): Seconds =>
  seconds(Math.max(maxAge, (projects * interval) / (requests * AGE_SHARE)))
