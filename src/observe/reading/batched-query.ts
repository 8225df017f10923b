// Several queries to one server in one round trip. Each may fail alone.
import { DatabaseError, type Client } from 'pg'
import type { NotRead } from '../../model/observation.ts'

/** Part → a query of one row. */
type PartQueries<Rows> = { readonly [Part in keyof Rows]: string }

/**
 * Runs all parts as one statement. Where that fails, because a view or a right is missing or one part takes too long, each runs alone:
 * a part that fails then is `NotRead` with its reason, the others stand.
 *
 * @throws when the connection is lost
 */
export async function queryParts<Rows extends Readonly<Record<string, object>>>(
  client: Client,
  queries: PartQueries<Rows>,
): Promise<{ readonly [Part in keyof Rows]: Rows[Part] | NotRead }> {
  type Answers = { readonly [Part in keyof Rows]: Rows[Part] | NotRead }
  const parts = Object.entries<string>(queries)
  const together = await answerOf<Answers>(client, `select ${parts.map(columnOf).join(',\n')}`)
  if (!('missing' in together))
    return { ...Object.fromEntries(parts.map(([name]) => [name, NO_ROW])), ...withoutNulls(together) }
  const answers: Record<string, unknown> = {}
  for (const [name, query] of parts) {
    // oxlint-disable-next-line no-await-in-loop -- one connection answers one query after the other
    answers[name] = await answerOf(client, query)
  }
  return answers as Answers
}

const columnOf = ([name, query]: readonly [string, string]): string =>
  `(select pg_catalog.row_to_json(answer) from (${query}) as answer) as ${name}`

const NO_ROW: NotRead = { missing: 'the server answered no row' }

const withoutNulls = <Row extends object>(row: Row): Row =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as Row

async function answerOf<Row extends object>(client: Client, text: string): Promise<Row | NotRead> {
  try {
    const { rows } = await client.query<Row>(`/* dormouse: reading */\n${text}`)
    return rows[0] ?? NO_ROW
  } catch (error) {
    if (error instanceof DatabaseError && !isSessionEnd(error)) return { missing: error.message }
    throw error
  }
}

/** Classes 08 and 57P. */
const isSessionEnd = ({ code = '' }: DatabaseError): boolean =>
  code.startsWith('08') || code.startsWith('57P')
