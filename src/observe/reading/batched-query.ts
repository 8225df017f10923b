// Several questions to one server in one round trip, each of which may fail alone.
import { DatabaseError, type Client } from 'pg'
import type { NotRead } from '../../model/observation.ts'

/** The row a part answered, or why there is none. */
export type PartAnswer<Row> = Row | NotRead

/** Part → its question: a query of one row. */
type Questions<Rows> = { readonly [Part in keyof Rows]: string }

/**
 * Asks all parts in one statement. Where that fails, because a view is missing or a right, or one part takes too long,
 * each is asked by itself: one that fails is then missing with its reason, the others stand.
 *
 * @throws when the connection is lost
 */
export async function queryParts<Rows extends Readonly<Record<string, object>>>(
  client: Client,
  questions: Questions<Rows>,
): Promise<{ readonly [Part in keyof Rows]: PartAnswer<Rows[Part]> }> {
  type Answers = { readonly [Part in keyof Rows]: PartAnswer<Rows[Part]> }
  const parts = Object.entries<string>(questions)
  const together = await answerOf<Answers>(client, `select ${parts.map(columnOf).join(',\n')}`)
  if (!('missing' in together)) return { ...silent(parts), ...withoutNulls(together) }
  const answers: Record<string, unknown> = {}
  for (const [name, question] of parts) {
    // oxlint-disable-next-line no-await-in-loop -- one connection answers one question after the other
    answers[name] = await answerOf(client, question)
  }
  return answers as Answers
}

const columnOf = ([name, question]: readonly [string, string]): string =>
  `(select pg_catalog.row_to_json(answer) from (${question}) as answer) as ${name}`

const NO_ROW: NotRead = { missing: 'the server answered no row' }

const silent = (parts: readonly (readonly [string, string])[]): Readonly<Record<string, NotRead>> =>
  Object.fromEntries(parts.map(([name]) => [name, NO_ROW]))

const withoutNulls = <Row extends object>(row: Row): Row =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as Row

async function answerOf<Row extends object>(client: Client, text: string): Promise<PartAnswer<Row>> {
  try {
    const { rows } = await client.query<Row>(`/* dormouse: reading */\n${text}`)
    return rows[0] ?? NO_ROW
  } catch (error) {
    if (error instanceof DatabaseError && !isEnd(error)) return { missing: error.message }
    throw error
  }
}

/** Classes 08 and 57P: the server has ended the session. */
const isEnd = ({ code = '' }: DatabaseError): boolean => code.startsWith('08') || code.startsWith('57P')
