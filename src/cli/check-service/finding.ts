/** A check of a service: what was seen, and what follows from it for Dormouse. */
export type Check = {
  readonly topic: string
  /** `full`: Dormouse can do everything. `less`: it leaves something out or is less exact. `unknown`: it could not be checked. */
  readonly verdict: 'full' | 'less' | 'unknown'
  readonly seen: string
  readonly follows: string
}

const check =
  (verdict: Check['verdict']) =>
  (topic: string, observed: string, follows: string): Check => ({ topic, verdict, seen: observed, follows })

export const fullCheck = check('full')
export const reducedCheck = check('less')
export const unknownCheck = check('unknown')
