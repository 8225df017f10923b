// The tables of the store without a disk under them.
import { DatabaseSync } from 'node:sqlite'
import type { Outbox } from '../../../src/model/ports/outbox.ts'
import type { Store } from '../../../src/model/ports/store.ts'
import { createOutbox, createOutboxWriter, outboxRows } from '../../../src/store/sqlite/outbox.ts'
import { compressReports } from '../../../src/store/rows/compressed-reports.ts'
import { createSchema } from '../../../src/store/sqlite/schema.ts'

export type Kept = Pick<Store, 'commit'> & Outbox

export function keptInMemory(): Kept {
  const database = new DatabaseSync(':memory:')
  createSchema(database, 'memory')
  const put = createOutboxWriter(database)
  return {
    ...createOutbox(database),
    commit: async (given) => {
      const whole = await compressReports(given)
      database.exec('begin')
      for (const row of outboxRows(whole)) put(row)
      database.exec('commit')
    },
  }
}
