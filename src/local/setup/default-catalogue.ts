import type { Catalogue, Role } from '../control/project.ts'
import type { Random } from '../random.ts'

/** The database every data folder begins with, its owner, and a reader for monitoring. The template has all three. */
export const DATABASE = 'app'
export const OWNER = 'app_owner'
export const MONITOR = 'dormouse'

/** Length of the random part of ids, of passwords and of API keys, characters of [a-z0-9]. The interface leaves it open. */
export const ID_LENGTH = 12
export const PASSWORD_LENGTH = 24
export const KEY_LENGTH = 64

type First = {
  /** Other names than the usual ones, when the client chose some. */
  readonly database?: string | undefined
  readonly role?: string | undefined
  readonly monitoringPassword: string
  readonly random: Random
  readonly now: number
}

/** What the default branch of a new project holds. */
export function firstCatalogue({ database, role, monitoringPassword, random, now }: First): Catalogue {
  const owner = role ?? OWNER
  const name = database ?? DATABASE
  const roleOf = (called: string, password: string): Role => ({
    name: called,
    password,
    createdAt: now,
    updatedAt: now,
  })
  return {
    roles: [roleOf(owner, random.text(PASSWORD_LENGTH)), roleOf(MONITOR, monitoringPassword)],
    databases: [{ id: 1, name, owner, createdAt: now, updatedAt: now }],
    dropped: {
      roles: owner === OWNER ? [] : [OWNER],
      databases: name === DATABASE ? [] : [DATABASE],
    },
    revision: 1,
  }
}
