import type { Branch, Database, Role } from '../../control/project.ts'
import { timestamp } from './records.ts'

/** A role without its password: only creation, `reset_password` and `reveal_password` show it. */
export const roleWire = ({ id }: Branch, role: Role): Record<string, unknown> => ({
  branch_id: id,
  name: role.name,
  protected: false,
  authentication_method: 'password',
  created_at: timestamp(role.createdAt),
  updated_at: timestamp(role.updatedAt),
})

export const databaseWire = ({ id }: Branch, database: Database): Record<string, unknown> => ({
  id: database.id,
  branch_id: id,
  name: database.name,
  owner_name: database.owner,
  created_at: timestamp(database.createdAt),
  updated_at: timestamp(database.updatedAt),
})
