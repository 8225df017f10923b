import { existsSync, readFileSync } from 'node:fs'
import { ID_LENGTH, KEY_LENGTH } from './default-catalogue.ts'
import type { Clock } from '../clock.ts'
import { writeSecret } from '../compute/files.ts'
import type { Random } from '../random.ts'
import type { KeyStore } from '../state/keys.ts'
import type { Store } from '../state/store.ts'

/** The first call of a folder creates the value. */
export function ensureSetting(store: Store, name: string, create: () => string): string {
  const stored = store.setting(name)
  if (stored !== undefined) return stored
  const value = create()
  store.setSetting(name, value)
  return value
}

/** Loads the account, the same at every start. Its id, a UUID, is the creator of everything. */
export const loadAccount = (store: Store, random: Random, clock: Clock) => ({
  id: ensureSetting(store, 'account', () => random.uuid()),
  organizationId: ensureSetting(store, 'organization', () => `org-${random.text(ID_LENGTH)}`),
  createdAt: Number(ensureSetting(store, 'account-created', () => String(clock.now()))),
})

export type Account = Readonly<ReturnType<typeof loadAccount>>

type KeyParts = Readonly<{ keys: KeyStore; clock: Clock; random: Random }>

/** The key in the file while valid, else a new one. Only its owner may read the file. */
export function ensureFirstKey(path: string, { keys, clock, random }: KeyParts): string {
  const existing = existsSync(path) ? readFileSync(path, 'utf8').trim() : ''
  if (existing && keys.isValid(existing)) return existing
  const value = random.text(KEY_LENGTH)
  writeSecret(path, `${value}\n`, undefined)
  keys.create('local', value, clock.now())
  return value
}
