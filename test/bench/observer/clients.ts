// Plays a schedule on a compute, through the service's front like any client.
import { Client } from 'pg'
import type { Visit } from './schedule.ts'

/** How many rows the table has that the queries read. */
const ROWS = 5000

const FILL = [
  'drop table if exists item',
  `create table item as select n as id, repeat(md5(n::text), 6) as filler from generate_series(1, ${ROWS}) as n`,
  'create index on item (id)',
  'vacuum analyze item',
]

/** What a client did on its compute: connecting, a query, leaving. Epoch ms. */
export type Deed = { readonly from: number; readonly to: number }

export type Played = {
  readonly deeds: readonly Deed[]
  /** Visits that failed: on a machine that is too busy a client may lose its compute. */
  readonly lost: number
}

/** Resolves when all visits are over. `begun` is the instant of the schedule's 0 on `performance.now`. */
export async function play(uri: string, visits: readonly Visit[], begun: number): Promise<Played> {
  const deeds: Deed[] = []
  const paid = await Promise.all(visits.map((visit) => isPaid(uri, visit, { begun, deeds })))
  return { deeds: deeds.toSorted((a, b) => a.from - b.from), lost: paid.filter((one) => !one).length }
}

async function isPaid(
  uri: string,
  { at, application, queries }: Visit,
  { begun, deeds }: { readonly begun: number; readonly deeds: Deed[] },
): Promise<boolean> {
  await until(begun + at * 1000)
  let from = Date.now()
  const noteDeed = (): void => void deeds.push({ from, to: Date.now() })
  const done = await inSession(uri, application, async (client) => {
    noteDeed()
    for (const [index, query] of queries.entries()) {
      await until(begun + (at + query) * 1000)
      from = Date.now()
      const first = (index * 997 + Math.round(at * 31)) % ROWS
      await client.query('select count(filler) from item where id between $1 and $2', [first, first + 100])
      noteDeed()
    }
    from = Date.now()
  })
  noteDeed()
  return done
}

/** @throws when it fails again and again */
export async function fill(uri: string): Promise<void> {
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const done = await inSession(uri, 'setup', async (client) => {
      for (const statement of FILL) await client.query(statement)
    })
    if (done) return
  }
  throw new Error('a compute could not be filled')
}

/** Whether all of `work` was done. */
async function inSession(
  uri: string,
  application: string,
  work: (client: Client) => Promise<void>,
): Promise<boolean> {
  const client = new Client({ connectionString: uri, application_name: application })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await work(client)
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => undefined)
  }
}

async function until(when: number): Promise<void> {
  const left = when - performance.now()
  if (left > 0) await new Promise((resolve) => setTimeout(resolve, left))
}
