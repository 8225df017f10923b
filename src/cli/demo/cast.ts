// Delays are short enough to watch.

export type Role = 'busy' | 'chatty' | 'bursty' | 'unused' | 'forgotten'

type Player = Readonly<{
  role: Role
  team: string
  cu: number
  /** Autosuspend delay, seconds. */
  delay: number | 'never'
  about: string
}>

/** Seconds for which the recommendation for the forgotten compute is shown before somebody follows it. */
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
  },
  { role: 'unused', team: 'search', cu: 0.25, delay: 5, about: 'nobody uses it' },
  {
    role: 'forgotten',
    team: 'search',
    cu: 0.25,
    delay: 'never',
    about: 'nobody uses it, until somebody follows the recommendation of Dormouse',
  },
]
