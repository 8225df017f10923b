import type { ProbeResult } from './probe-result.ts'

export type Check = Readonly<{
  topic: string
  /** `full`: Dormouse can do everything. `less`: it leaves something out or is less exact. `unknown`: not checkable. */
  verdict: 'full' | 'less' | 'unknown'
  seen: string
  follows: string
}>
export type CheckResult = Omit<Check, 'topic'>

const result =
  (verdict: Check['verdict']) =>
  (seen: string, follows: string): CheckResult => ({ verdict, seen, follows })

export const full = result('full')
export const less = result('less')
export const unproven = result('unknown')

export const notAsked = ({ unasked }: { readonly unasked: string }, follows = 'see project list') =>
  unproven(`not asked: ${unasked}`, follows)

export type AssessSettings = Readonly<{
  requestsPerMinute: number
  plan: string | undefined
  named: number | undefined
}>

/** Topic → its assessment; undefined where there is nothing to say. */
export type Assessments = Readonly<
  Record<string, (result: ProbeResult, settings: AssessSettings) => CheckResult | undefined>
>
