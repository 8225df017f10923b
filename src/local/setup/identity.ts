import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { ID_LENGTH, KEY_LENGTH } from './default-catalogue.ts'
import type { Clock } from '../clock.ts'
import type { Random } from '../random.ts'
import type { KeyStore } from '../state/keys.ts'
import type { Store } from '../state/store.ts'

/** The only account, and its only organisation. */
export type Account = {
  /** UUID; the creator of everything. */
  readonly id: string
  readonly organizationId: string
  readonly createdAt: number
}

/** A value that is made once per folder and then kept. */
export function ensureSetting(store: Store, name: string, make: () => string): string {
  const kept = store.setting(name)
  if (kept !== undefined) return kept
  const made = make()
  store.setSetting(name, made)
  return made
}

/** The account of this folder, the same at every start. */
export const loadAccount = (store: Store, random: Random, clock: Clock): Account => ({
  id: ensureSetting(store, 'account', () => random.uuid()),
  organizationId: ensureSetting(store, 'organization', () => `org-${random.text(ID_LENGTH)}`),
  createdAt: Number(ensureSetting(store, 'account-created', () => String(clock.now()))),
})

type KeyFile = {
  readonly path: string
  readonly keys: KeyStore
  readonly clock: Clock
  readonly random: Random
}

/** The key in the folder's file while it is valid, else a new one put there. Readable by its owner only. */
export function firstKey({ path, keys, clock, random }: KeyFile): string {
  const known = existsSync(path) ? readFileSync(path, 'utf8').trim() : ''
  if (known && keys.isValid(known)) return known
  const value = random.text(KEY_LENGTH)
  writeFileSync(path, `${value}\n`, { mode: 0o600 })
  keys.create('local', value, clock.now())
  return value
}
