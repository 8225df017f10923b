// What `check-service --json` writes.
export type Report = {
  readonly findings: number
  readonly requests: number
  readonly checks: {
    readonly topic: string
    readonly verdict: string
    readonly seen: string
    readonly follows: string
  }[]
}

export const verdicts = ({ checks }: Report): Record<string, string> =>
  Object.fromEntries(checks.map(({ topic, verdict }) => [topic, verdict]))

export const checkOf = ({ checks }: Report, topic: string) => checks.find((one) => one.topic === topic)
