// What the columns of a server's answers may hold. The server may be anybody's: what is outside of these ranges is not taken for a reading.
import { z } from 'zod'
import { bytes, instant, millis, seconds } from '../../model/units.ts'

/** Milliseconds: the years 2000 to 2200. */
const [FIRST_MS, LAST_MS] = [Date.UTC(2000), Date.UTC(2200)]
/** Seconds: longer than any server of these years runs. */
const LONGEST_SECONDS = 1e10
/** Bytes of a name. Source: Postgres, NAMEDATALEN. */
const MAX_NAME = 63
/** Connections. Source: Postgres, `max_connections`. */
const MAX_CONNECTIONS = 262_143

const atMost = (most: number) => z.number().min(0).max(most)

/** Cumulative counters come as floating point and stay exact up to 2⁵³. */
export const counter = atMost(Number.MAX_SAFE_INTEGER)
export const size = counter.transform(bytes)
export const milliseconds = counter.transform(millis)
export const sessionCount = z.int().min(0).max(MAX_CONNECTIONS)
export const instantMs = z
  .number()
  .min(FIRST_MS)
  .max(LAST_MS)
  .transform((ms) => instant(Math.round(ms)))
export const elapsedSeconds = z
  .number()
  .min(-1)
  .max(LONGEST_SECONDS)
  .transform((span) => seconds(Math.max(0, span)))
export const name = z.string().refine((text) => Buffer.byteLength(text) <= MAX_NAME)

/** Undefined for NULL. */
export const optional = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullable().transform((value) => value ?? undefined)
