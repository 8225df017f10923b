import type { ProbeResult } from './probe-result.ts'

export type Check = Readonly<{
  topic: string
  /** `full`: Dormouse can do everything. `less`: it leaves something out or is less exact. `unknown`: not checkable. */
  verdict: 'full' | 'less' | 'unknown'
  seen: string
  follows: string
}>
export type CheckResult = Omit<Check, 'topic'>
export const full = (seen: string, follows: string): CheckResult => ({ verdict: 'full', seen, follows })
export const less = (seen: string, follows: string): CheckResult => ({ verdict: 'less', seen, follows })
export const unproven = (seen: string, follows: string): CheckResult => ({
  verdict: 'unknown',
  seen,
  follows,
})

export type AssessSettings = Readonly<{
  requestsPerMinute: number
  plan: string | undefined
  /** Projects that the configuration names. */
  named: number | undefined
}>

/** Topic → its assessment; undefined where there is nothing to say. */
export type Assessments = Readonly<
  Record<string, (result: ProbeResult, settings: AssessSettings) => CheckResult | undefined>
>
