// Plays a schedule on a compute, through the service's front like any client.
import { Client } from 'pg'
import type { Visit } from './schedule.ts'

/** How many rows the table has that the queries read. */
const ROWS = 5000

export const FILL = `
create table item as select n as id, repeat(md5(n::text), 6) as filler from generate_series(1, ${ROWS}) as n;
create index on item (id);
vacuum analyze item`

/** Resolves when all visits are over. `begun` is the instant of the schedule's 0 on `performance.now`. */
export async function play(uri: string, visits: readonly Visit[], begun: number): Promise<void> {
  await Promise.all(visits.map((visit) => paid(uri, visit, begun)))
}

async function paid(uri: string, { at, application, queries }: Visit, begun: number): Promise<void> {
  await until(begun + at * 1000)
  const client = new Client({ connectionString: uri, application_name: application })
  client.on('error', () => undefined)
  try {
    await client.connect()
    for (const [index, query] of queries.entries()) {
      await until(begun + (at + query) * 1000)
      const from = (index * 997 + Math.round(at * 31)) % ROWS
      await client.query('select count(filler) from item where id between $1 and $2', [from, from + 100])
    }
  } finally {
    await client.end().catch(() => undefined)
  }
}

export async function run(uri: string, text: string): Promise<void> {
  const client = new Client({ connectionString: uri, application_name: 'setup' })
  await client.connect()
  for (const statement of text.split(';')) await client.query(statement)
  await client.end()
}

async function until(when: number): Promise<void> {
  const left = when - performance.now()
  if (left > 0) await new Promise((resolve) => setTimeout(resolve, left))
}
