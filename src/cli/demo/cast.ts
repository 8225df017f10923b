// Who plays in the demo: four computes with delays short enough to watch.

export type Role = 'busy' | 'chatty' | 'bursty' | 'unused'

export type Player = {
  readonly role: Role
  readonly cu: number
  /** Autosuspend delay. */
  readonly delay: number
  readonly about: string
}

export const CAST: readonly Player[] = [
  { role: 'busy', cu: 1, delay: 6, about: 'queries all the time' },
  { role: 'chatty', cu: 0.5, delay: 6, about: 'one short query every few seconds keeps it awake' },
  { role: 'bursty', cu: 0.25, delay: 4, about: 'a few seconds of work, then a pause longer than its delay' },
  { role: 'unused', cu: 0.25, delay: 5, about: 'nobody uses it' },
]
