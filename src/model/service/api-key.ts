import type { Instant } from '../units.ts'

/** Without its value. Source: service interface, "API key". */
export type ApiKey = Readonly<{
  keyId: number
  name: string
  createdAt: Instant | undefined
  lastUsedAt: Instant | undefined
  lastUsedFrom: string | undefined
  revoked: boolean
}>

/** The service shows its value only once. */
export type CreatedApiKey = Readonly<{ keyId: number; key: string }>
