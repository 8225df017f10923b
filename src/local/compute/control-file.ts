import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Where the fields are in `pg_control`, the same from Postgres 14 to 18: state, then position of the last checkpoint. */
const STATE = 16
const CHECKPOINT = 32

/** The state of a server that was shut down in order. */
const SHUT_DOWN = 1

/** Where the log of a server ends that was shut down in order; undefined when it was not. */
export function endOfLog(dataFolder: string): bigint | undefined {
  const control = readFileSync(join(dataFolder, 'global', 'pg_control'))
  return control.readInt32LE(STATE) === SHUT_DOWN ? control.readBigUInt64LE(CHECKPOINT) : undefined
}

/** A position in the log as Postgres writes it: two hexadecimal halves. */
export function positionIn(text: string): bigint {
  const [high = '0', low = '0'] = text.split('/')
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`)
}
