import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findBinaries } from '../../src/local/compute/binaries.ts'

/** Globs of the test files that start Postgres. Where there is none they are left out; with `CI=true` they run nevertheless, and fail. */
export const POSTGRES_FILES: readonly string[] = [
  'test/cli/check-service/check-service.test.ts',
  'test/cli/commands/{computes,init,keys,projects}.test.ts',
  'test/end-to-end/*.test.ts',
  'test/local/{autoscale-service,crash,lifecycle,replica,replica-crash,simulated,stops}.test.ts',
  'test/local/api/{bad-input,client,failures,interrupted,pages,random-bodies,resources,switches}.test.ts',
  'test/local/compute/{computes,sizing}.test.ts',
  'test/local/conformance/*.test.ts',
  'test/local/history/{folder,service}.test.ts',
  'test/local/pooler/*.test.ts',
  'test/local/proxy/{clients,hostile,loopback}.test.ts',
  'test/observe/reading/{batched-query,readings}.test.ts',
  'test/service/{contract,rates}.test.ts',
]

/** True where the local service finds a Postgres. */
export function hasPostgres(): boolean {
  try {
    findBinaries({
      chosen: process.env['PG_BIN'],
      copyTo: join(tmpdir(), 'dormouse-postgres'),
      owner: undefined,
    })
    return true
  } catch {
    return false
  }
}
