// Several queries to one server in one round trip. Each may fail alone.
import { DatabaseError, type Client } from 'pg'
import type { z } from 'zod'
import type { NotRead } from '../../model/observation.ts'
import { sanitize } from '../../std/sanitize.ts'

/** A query of one row, and what the row must be. */
export type PartQuery<Row> = Readonly<{ sql: string; row: z.ZodType<Row> }>

type PartQueries<Rows> = { readonly [Part in keyof Rows]: PartQuery<Rows[Part]> }
type Answers<Rows> = { readonly [Part in keyof Rows]: Rows[Part] | NotRead }

/**
 * Runs all parts as one statement. Where that fails, because a view or a right is missing or one part takes too long, each runs alone:
 * a part that fails then, or whose row is not as it must be, is `NotRead` with its reason, the others stand.
 *
 * @throws when the connection is lost
 */
export async function queryParts<Rows extends object>(
  client: Client,
  queries: PartQueries<Rows>,
): Promise<Answers<Rows>> {
  const parts = Object.entries<PartQuery<unknown>>(queries)
  const together = await answersOf(client, parts)
  if (!('missing' in together)) return together as Answers<Rows>
  const answers: Record<string, unknown> = {}
  for (const part of parts) {
    // oxlint-disable-next-line no-await-in-loop -- one connection answers one query after the other
    const alone = await answersOf(client, [part])
    answers[part[0]] = 'missing' in alone ? alone : alone[part[0]]
  }
  return answers as Answers<Rows>
}

type NamedQuery = readonly [name: string, query: PartQuery<unknown>]

const columnOf = ([name, { sql }]: NamedQuery): string =>
  `(select pg_catalog.row_to_json(answer) from (${sql}) as answer) as ${name}`

async function answersOf(
  client: Client,
  parts: readonly NamedQuery[],
): Promise<NotRead | Readonly<Record<string, unknown>>> {
  try {
    const answer = await client.query<Record<string, unknown>>(
      `/* dormouse: reading */\nselect ${parts.map(columnOf).join(',\n')}`,
    )
    // a server that answers two results for one statement
    const row = [answer].flat()[0]?.rows[0] ?? {}
    return Object.fromEntries(parts.map(([name, query]) => [name, decodeRow(query, row[name])]))
  } catch (error) {
    if (error instanceof DatabaseError && !isSessionEnd(error)) return { missing: messageText(error.message) }
    throw error
  }
}

function decodeRow<Row>({ row }: PartQuery<Row>, text: unknown): Row | NotRead {
  if (typeof text !== 'string') return { missing: 'the server answered no row' }
  if (text.length > MAX_ROW) return { missing: 'the server answered a row that is too long' }
  const decoded = row.safeParse(parseJson(text))
  if (decoded.success) return decoded.data
  const path = decoded.error.issues[0]?.path.join('.') ?? ''
  return { missing: `the server answered what cannot be: ${path || 'no record'}` }
}

/** Characters of a row as JSON: twenty groups of clients with escapes in long names have 26,000. */
const MAX_ROW = 65_536

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Classes 08 and 57P. */
const isSessionEnd = ({ code = '' }: DatabaseError): boolean =>
  code.startsWith('08') || code.startsWith('57P')

/** Characters of a server's message that are stored and shown: those of Postgres have fewer. */
const MAX_MESSAGE = 300

export const messageText = (text: unknown): string => {
  const whole = String(text)
  return sanitize(whole.slice(0, MAX_MESSAGE)) + (whole.length > MAX_MESSAGE ? '…' : '')
}
