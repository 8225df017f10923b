// API tokens: only their digests are configured.
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../model/ports/clock.ts'
import type { Seconds } from '../../model/units.ts'

export type ApiToken = { readonly name: string; readonly scope: 'read' | 'operate'; readonly digest: Buffer }

export const parseTokens = (
  configured: Readonly<Record<string, { readonly sha256: string; readonly scope: ApiToken['scope'] }>>,
): readonly ApiToken[] =>
  Object.entries(configured).map(([name, { sha256, scope }]) => ({
    name,
    scope,
    digest: Buffer.from(sha256, 'hex'),
  }))

/** Token with this text. Takes the same time for every text, right or wrong. */
export function findToken(tokens: readonly ApiToken[], text: string): ApiToken | undefined {
  const digest = createHash('sha256').update(text).digest()
  return tokens.filter((token) => timingSafeEqual(token.digest, digest))[0]
}

/** Wrong tokens within the window after which an address has to wait. */
const MAX_FAILURES = 5
/** Seconds. */
const FAILURE_WINDOW = 60
/** Addresses that are remembered: bounds the memory that many guessing clients cost. */
const MAX_ADDRESSES = 10_000

export type FailedLogins = {
  /** Seconds until `address` may try again; 0 when it may. */
  readonly wait: (address: string) => number
  readonly failed: (address: string) => void
}

export function createFailedLogins(clock: Clock): FailedLogins {
  const failures = new Map<string, readonly Seconds[]>()
  const recentFailures = (address: string): readonly Seconds[] =>
    (failures.get(address) ?? []).filter((at) => clock.monotonic() - at < FAILURE_WINDOW)
  return {
    wait: (address) => {
      const [first, ...others] = recentFailures(address)
      if (first === undefined || others.length < MAX_FAILURES - 1) return 0
      return Math.ceil(first + FAILURE_WINDOW - clock.monotonic())
    },
    failed: (address) => {
      const recent = [...recentFailures(address), clock.monotonic()].slice(-MAX_FAILURES)
      // deleted first: a map is ordered by insertion, and the oldest address is dropped
      failures.delete(address)
      failures.set(address, recent)
      const [oldest] = failures.keys()
      if (failures.size > MAX_ADDRESSES && oldest !== undefined) failures.delete(oldest)
    },
  }
}
