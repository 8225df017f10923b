import { type Catalogue, datedAt } from '../control/project.ts'
import type { Random } from '../random.ts'

/** The first database, its owner, and the reader for monitoring, all in the template. */
const DATABASE = 'app'
const OWNER = 'app_owner'
export const MONITOR = 'dormouse'

/** Characters of [a-z0-9]. The interface leaves the lengths open. */
export const ID_LENGTH = 12
export const PASSWORD_LENGTH = 24
export const KEY_LENGTH = 64

type FirstCatalogueInput = Readonly<{
  /** Default `DATABASE` and `OWNER`. */
  database?: string | undefined
  role?: string | undefined
  monitoringPassword: string
  random: Random
  now: number
}>

/** Catalogue of a new project's default branch. */
export function firstCatalogue(input: FirstCatalogueInput): Catalogue {
  const { database: name = DATABASE, role: owner = OWNER, now } = input
  const times = datedAt(now)
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
