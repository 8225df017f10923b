import type { Instant } from '../units.ts'

/** An account's API key, without its value. Source: service interface, "API key". */
export type ApiKey = {
  readonly keyId: number
  readonly name: string
  readonly createdAt: Instant | undefined
  readonly lastUsedAt: Instant | undefined
  readonly lastUsedFrom: string | undefined
  readonly revoked: boolean
}

/** New key; the service shows its value only once. */
export type CreatedApiKey = { readonly keyId: number; readonly key: string }
