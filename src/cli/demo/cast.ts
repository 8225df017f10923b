// Computes of the demo: five that act in front of the audience, with delays short enough to watch, and those with a past only.
import type { LocalOptions } from '../../local/start.ts'

export type Role = 'busy' | 'chatty' | 'bursty' | 'oversized' | 'forgotten'

type Player = Readonly<{
  role: Role
  team: string
  cu: number
  /** Autosuspend delay, seconds. */
  delay: number | 'never'
  about: string
  /** Kind of use in the past; absent: made when the demo starts, so that what it spends today begins at zero. */
  past?: PastProject['kind']
}>

type PastProject = NonNullable<NonNullable<LocalOptions['past']>['chosen']>[number]

/** Team whose monthly budget will be exceeded. */
export const AT_RISK = 'storefront'

/** Days of past. */
export const PAST_DAYS = 45

/** Seconds for which a recommendation is shown before somebody follows it. */
export const SHOWN_FOR = 10

export const CAST: readonly Player[] = [
  { role: 'busy', team: 'payments', cu: 1, delay: 6, about: 'queries all the time' },
  {
    role: 'chatty',
    team: 'payments',
    cu: 0.5,
    delay: 6,
    about: 'one short query every few seconds keeps it awake',
  },
  {
    role: 'bursty',
    team: 'search',
    cu: 0.25,
    delay: 4,
    about: 'a few seconds of work, then a pause longer than its delay',
    past: 'rare',
  },
  {
    role: 'oversized',
    team: 'storefront',
    cu: 1,
    delay: 5,
    about: 'a client for half a minute; somebody approves the size that Dormouse recommends',
  },
  {
    role: 'forgotten',
    team: 'search',
    cu: 0.25,
    delay: 'never',
    about: 'nobody uses it, until somebody follows the recommendation of Dormouse',
    past: 'idle',
  },
]

/** Whether a project of the demo acts in front of the audience. */
export const isActing = (projectName: string | null): boolean => CAST.some(({ role }) => role === projectName)

const sized = (minCu: number, maxCu = minCu, suspendTimeout = 0) => ({ minCu, maxCu, suspendTimeout })

/** Team → projects whose computes sleep since their past ended: under 10,000 operations in all, which the daemon reads in one sweep. */
export const PAST_TEAMS: Readonly<Record<string, readonly PastProject[]>> = {
  payments: [
    { name: 'checkout', kind: 'office', ...sized(0.5, 1) },
    { name: 'invoices', kind: 'batch', ...sized(1) },
    { name: 'fraud', kind: 'bursty', ...sized(0.5) },
    { name: 'bookings', kind: 'always', ...sized(1, 1, -1) },
  ],
  search: [
    { name: 'catalogue', kind: 'office', ...sized(1) },
    { name: 'indexer', kind: 'timer', ...sized(0.5), days: 14 },
    { name: 'suggest', kind: 'chatty', ...sized(0.25) },
    { name: 'crawler', kind: 'bursty', ...sized(0.25), days: 30 },
  ],
  storefront: [
    { name: 'website', kind: 'daily-preview', ...sized(0.25) },
    { name: 'shop', kind: 'office', ...sized(2) },
    { name: 'mailer', kind: 'timer', ...sized(0.25), days: 8 },
    { name: 'cms', kind: 'rare', ...sized(0.25) },
  ],
  analytics: [
    { name: 'warehouse', kind: 'batch', ...sized(8) },
    { name: 'dashboards', kind: 'office', ...sized(1, 1, 1800) },
    { name: 'exports', kind: 'batch', ...sized(0.5) },
    { name: 'events', kind: 'bursty', ...sized(0.25, 0.25, 900) },
    { name: 'notebooks', kind: 'rare', ...sized(2, 2, 3600) },
    { name: 'archive', kind: 'idle', ...sized(0.25) },
  ],
}
