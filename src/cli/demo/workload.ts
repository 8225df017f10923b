import { Client } from 'pg'
import type { Clock, Random } from '../../model/ports/clock.ts'
import { seconds } from '../../model/units.ts'
import type { Role } from './cast.ts'

export type Stage = Readonly<{ clock: Clock; random: Random; signal: AbortSignal }>

/** `isOver`: asked after each scene. */
type Play = Stage & Readonly<{ isOver?: () => Promise<boolean> }>

/** Until the signal aborts or it is over. Lost connections are opened again. */
export async function play(role: Role, uri: string, stage: Play): Promise<void> {
  const scene = SCENES[role]
  do {
    // oxlint-disable-next-line no-await-in-loop -- one by one
    await scene(uri, stage)
    // oxlint-disable-next-line no-await-in-loop -- as above
  } while (!stage.signal.aborted && !(await stage.isOver?.()))
}

type Scene = (uri: string, stage: Stage) => Promise<void>

const SCENES: Readonly<Record<Role, Scene>> = {
  busy: (uri, stage) => session('web', { uri, length: 600, rows: 60_000 }, stage),
  chatty: async (uri, stage) => {
    await session('poller', { uri, length: 0, rows: 2000 }, stage)
    await pause(2 + stage.random.unit(), stage)
  },
  bursty: async (uri, stage) => {
    await session('batch', { uri, length: 3, rows: 30_000 }, stage)
    await pause(8.5 + stage.random.unit(), stage)
  },
  oversized: (uri, stage) => session('importer', { uri, length: 40, rows: 2000 }, stage),
  forgotten: idle,
}

function idle(_: string, { clock, signal }: Stage) {
  return clock.sleep(seconds(86_400), signal)
}

type Session = Readonly<{
  uri: string
  /** Seconds; at least one query is sent. */
  length: number
  rows: number
}>

async function session(application: string, { uri, length, rows }: Session, stage: Stage) {
  const { clock, random, signal } = stage
  const client = new Client({
    connectionString: uri,
    application_name: application,
    connectionTimeoutMillis: 30_000,
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query(makeTable(rows))
    const until = clock.monotonic() + length
    do {
      const from = Math.floor(random.unit() ** 3 * rows)
      // oxlint-disable-next-line no-await-in-loop -- one by one
      await client.query('select count(*), max(filler) from item where id between $1 and $2', [
        from,
        from + 200,
      ])
      // oxlint-disable-next-line no-await-in-loop -- the pace of a client
      await pause(0.2 + 0.3 * random.unit(), stage)
    } while (clock.monotonic() < until && !signal.aborted)
  } catch {
    // a restart drops clients; they come back after a moment
    await pause(1, stage)
  } finally {
    await client.end().catch(() => undefined)
  }
}

const pause = (span: number, { clock, signal }: Stage) => clock.sleep(seconds(span), signal)

const makeTable = (rows: number) => `
do $$ begin
  if to_regclass('item') is null then
    create table item (id int primary key, filler text not null);
    insert into item select n, repeat(md5(n::text), 6) from generate_series(1, ${rows}) as n;
  end if;
end $$`
