// Who asks: tokens, of which only the digests are known.
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

/** The token that `text` is; it takes as long whichever it is, and whether it is one. */
export function findToken(tokens: readonly ApiToken[], text: string): ApiToken | undefined {
  const digest = createHash('sha256').update(text).digest()
  return tokens.filter((token) => timingSafeEqual(token.digest, digest))[0]
}

/** Wrong tokens in a minute after which an address waits. Doubled, guessing is twice as fast: still hopeless. */
const TRIES = 5
const MINUTE = 60
/** Addresses that are remembered. Doubled, a crowd that guesses costs twice the memory before its first is forgotten. */
const ADDRESSES = 10_000

export type FailedLogins = {
  /** Seconds until `address` may try again; 0 when it may. */
  readonly wait: (address: string) => number
  readonly failed: (address: string) => void
}

export function createFailedLogins(clock: Clock): FailedLogins {
  const known = new Map<string, readonly Seconds[]>()
  const lately = (address: string): readonly Seconds[] =>
    (known.get(address) ?? []).filter((at) => clock.monotonic() - at < MINUTE)
  return {
    wait: (address) => {
      const [first, ...others] = lately(address)
      if (first === undefined || others.length < TRIES - 1) return 0
      return Math.ceil(first + MINUTE - clock.monotonic())
    },
    failed: (address) => {
      const tried = [...lately(address), clock.monotonic()].slice(-TRIES)
      // the one that came last is the last to be forgotten
      known.delete(address)
      known.set(address, tried)
      const [oldest] = known.keys()
      if (known.size > ADDRESSES && oldest !== undefined) known.delete(oldest)
    },
  }
}
