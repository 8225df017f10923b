import type { Catalogue } from '../control/project.ts'
import type { Random } from '../random.ts'

/** The first database, its owner, and the reader for monitoring. The template data folder has all three. */
export const DATABASE = 'app'
export const OWNER = 'app_owner'
export const MONITOR = 'dormouse'

/** Length of the random part of ids, of passwords and of API keys, characters of [a-z0-9]. The interface leaves it open. */
export const ID_LENGTH = 12
export const PASSWORD_LENGTH = 24
export const KEY_LENGTH = 64

type FirstCatalogueInput = Readonly<{
  /** Names chosen by the client; default `DATABASE` and `OWNER`. */
  database?: string | undefined
  role?: string | undefined
  monitoringPassword: string
  random: Random
  now: number
}>

/** Roles and databases of the default branch of a new project. */
export function firstCatalogue(input: FirstCatalogueInput): Catalogue {
  const { database: name = DATABASE, role: owner = OWNER, now } = input
  const times = { createdAt: now, updatedAt: now }
  const password = input.random.text(PASSWORD_LENGTH)
  return {
    roles: [
      { name: owner, password, ...times },
      { name: MONITOR, password: input.monitoringPassword, ...times },
    ],
    databases: [{ id: 1, name, owner, ...times }],
    dropped: { roles: owner === OWNER ? [] : [OWNER], databases: name === DATABASE ? [] : [DATABASE] },
    revision: 1,
  }
}
