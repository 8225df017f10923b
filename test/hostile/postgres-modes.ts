// What a malicious Postgres server does to its client, by name.
import type { Socket } from 'node:net'
import {
  authentication,
  dataRow,
  DONE,
  failure,
  IN,
  int16,
  int32,
  message,
  READY,
  rowDescription,
  text,
} from './postgres-messages.ts'

/** One answer to a start-up or a query. `columns`: names of the query's columns. */
type Scene = (client: Socket, columns: readonly string[]) => void

/** What a server does at the start-up, and at a query once the client was let in. */
export type Mode = Readonly<{ startup?: Scene; query?: Scene }>

/** Part of a reading → what an honest server answers. */
export const honestRows = (): Readonly<Record<string, object>> => ({
  limits: {
    max_connections: 112,
    reserved_connections: 3,
    started_ms: Date.now() - 1000,
    now_ms: Date.now(),
    cache_limit: null,
    sees_all: true,
  },
  clients: {
    total: 1,
    active: 0,
    idle: 1,
    idle_in_transaction: 0,
    working: 0,
    last_statement_ms: Date.now() - 500,
    longest_transaction: null,
    groups: [group({})],
  },
  workers: { replication: 0, subscriptions: 0, autovacuum: 0, prepared: 0 },
  use: { sessions: 5, active_ms: 100 },
})

function group(over: object) {
  return {
    application: 'web',
    user: 'app',
    database: 'app',
    connections: 1,
    working: 0,
    idle_in_transaction: 0,
    last_statement_ms: null,
    ...over,
  }
}

type Forgery = Readonly<{ limits?: object; clients?: object; workers?: object; use?: object }>

/** Answers each column, with some fields of some parts replaced. */
const rows =
  (forged: Forgery): Scene =>
  (client, columns) => {
    const parts: Record<string, object | undefined> = forged
    const values = columns.map((name) => {
      const honest = honestRows()[name]
      return honest ? JSON.stringify({ ...honest, ...parts[name] }) : null
    })
    client.write(Buffer.concat([rowDescription(columns), dataRow(values), DONE]))
  }

/** One text in place of every column. */
const cells =
  (value: string | null): Scene =>
  (client, columns) =>
    client.write(Buffer.concat([rowDescription(columns), dataRow(columns.map(() => value)), DONE]))

/** Sends `piece` for as long as the client takes it. */
const endless =
  (piece: Buffer, start: Buffer = Buffer.of()): Scene =>
  (client) => {
    client.write(start)
    const some = Buffer.concat(Array.from({ length: Math.ceil(65_536 / piece.length) }, () => piece))
    const more = () => {
      while (!client.destroyed && client.writable && client.write(some));
    }
    client.on('drain', more)
    more()
  }

const sends =
  (...pieces: readonly Buffer[]): Scene =>
  (client) =>
    client.write(Buffer.concat(pieces))

const LINE = '1\ndormouse_compute_connections{project_id="victim",endpoint_id="ep-victim"} 99999'
const CLEAR_TEXT = authentication(3)
const MD5 = authentication(5, Buffer.from('salt'))
const SCRAM = authentication(10, text('SCRAM-SHA-256'), Buffer.from('\0'))
const MANY = 32_767

const startups: Readonly<Record<string, Scene>> = {
  'clear text': sends(CLEAR_TEXT),
  md5: sends(MD5),
  'clear text after SCRAM': (client) => {
    client.write(SCRAM)
    client.once('data', () => client.write(CLEAR_TEXT))
  },
  'clear text beside SCRAM': sends(SCRAM, CLEAR_TEXT),
  'a SCRAM that never ends': (client) => {
    client.write(SCRAM)
    client.once('data', (first) => {
      const nonce = /r=([^,]*)/.exec(first.toString('latin1'))?.[1] ?? ''
      client.write(authentication(11, Buffer.from(`r=${nonce}x,s=${btoa('salt')},i=2147483647`)))
    })
  },
  'SCRAM out of turn': sends(authentication(11, Buffer.from('r=x')), authentication(12, Buffer.from('v=x'))),
  'an unknown method': sends(authentication(99)),
  'closes at once': (client) => client.destroy(),
  silence: () => undefined,
  'the limit': sends(failure('53300', 'sorry, too many clients already')),
  'endless failures': endless(failure('XX000', '')),
  'endless zeros': endless(Buffer.alloc(1024)),
  'endless notices': endless(message('N', text('SNOTICE'), text('Mx'), Buffer.from('\0')), authentication(0)),
  'endless settings': endless(message('S', text('a'), text('b')), authentication(0)),
  'a message of a gigabyte': endless(
    Buffer.alloc(65_536, 'x'),
    Buffer.concat([Buffer.from('S'), int32(2 ** 30)]),
  ),
  'a message of no length': sends(Buffer.from('R'), int32(0), IN),
  'a message of negative length': sends(Buffer.from('S'), int32(-1), IN),
}

const queries: Readonly<Record<string, Scene>> = {
  'lines in numbers': rows({
    clients: { total: LINE, idle: LINE },
    limits: { max_connections: LINE, cache_limit: LINE },
    use: { sessions: LINE, active_ms: LINE },
    workers: { replication: LINE },
  }),
  'numbers without end': rows({
    limits: { max_connections: 1e308, reserved_connections: -1e308 },
    use: { sessions: 1e308, active_ms: 'Infinity' },
  }),
  'lists and objects as numbers': rows({
    clients: { total: [1], idle: { valueOf: 1 } },
    use: { sessions: [[]] },
  }),
  'odd dates': rows({
    limits: { started_ms: 8.64e15, now_ms: -8.64e15 },
    clients: { last_statement_ms: 1e300 },
  }),
  'a clock of another year': rows({ limits: { started_ms: Date.UTC(2190), now_ms: Date.UTC(2191) } }),
  'a statement of the future': rows({ clients: { last_statement_ms: Date.UTC(2190) } }),
  'a start in the future': rows({ limits: { started_ms: Date.UTC(2199), now_ms: Date.UTC(2001) } }),
  'a thousand groups': rows({ clients: { groups: Array.from({ length: 1000 }, () => group({})) } }),
  'long names': rows({ clients: { groups: [group({ application: 'x'.repeat(10_000) })] } }),
  'names with lines': rows({
    clients: {
      groups: [group({ application: 'a"} 1\nb{c="', user: '\u001B[2J\u202E', database: '\0\r\n' })],
    },
  }),
  'names that are no text': rows({ clients: { groups: [group({ application: { toString: 1 } })] } }),
  'fields of every object': cells('{"__proto__":{"missing":1},"constructor":{"prototype":{"missing":1}}}'),
  'nested lists': cells('['.repeat(200_000)),
  'no JSON': cells('max_connections'),
  'no values': cells(null),
  'no row': (client, columns) => client.write(Buffer.concat([rowDescription(columns), DONE])),
  'too many columns': (client, columns) =>
    client.write(
      Buffer.concat([rowDescription(columns), dataRow(Array.from({ length: 50 }, () => '1')), DONE]),
    ),
  'a column that is longer than its row': (client, columns) =>
    client.write(Buffer.concat([rowDescription(columns), message('D', int16(1), int32(2 ** 30)), DONE])),
  'a row that ends in the middle': (client, columns) =>
    client.write(Buffer.concat([rowDescription(columns), message('D', int16(9), int32(1))])),
  'rows before their description': sends(dataRow(['1']), DONE),
  'every column twice': (client, columns) => {
    const answer = Buffer.concat([
      rowDescription(columns),
      dataRow(columns.map(() => '{}')),
      message('C', text('SELECT 1')),
    ])
    client.write(Buffer.concat([answer, answer, READY]))
  },
  'thirty thousand columns': (client) => {
    const names = Array.from({ length: MANY }, (_, index) => `c${index}`)
    client.write(Buffer.concat([rowDescription(names), dataRow(names.map(() => null)), DONE]))
  },
  'other types': (client, columns) =>
    client.write(
      Buffer.concat([rowDescription(columns, 1115), dataRow(columns.map(() => 'infinity')), DONE]),
    ),
  'endless rows': (client, columns) => endless(dataRow([LINE]), rowDescription(columns))(client, columns),
  'endless empty rows': endless(dataRow([]), rowDescription([])),
  'endless results': endless(
    Buffer.concat([rowDescription(['a']), dataRow(['1']), message('C', text('SELECT 1'))]),
  ),
  'endless answers': endless(DONE),
  'endless notifications': endless(message('A', int32(1), text('c'), text('x'.repeat(1000)))),
  'a row of a gigabyte': (client, columns) => {
    const start = Buffer.concat([Buffer.from('D'), int32(2 ** 30), int16(1), int32(2 ** 30)])
    endless(Buffer.alloc(65_536, 'x'), Buffer.concat([rowDescription(columns), start]))(client, columns)
  },
  'a slow answer': (client, columns) => {
    client.write(rowDescription(columns))
    const timer = setInterval(() => client.write(message('N', text('Mx'), Buffer.from('\0'))), 20)
    client.once('close', () => clearInterval(timer))
  },
  'an answer that never comes': () => undefined,
  'closes in the middle': (client, columns) => {
    client.write(rowDescription(columns))
    client.end()
  },
  'a long failure': sends(failure('XX000', `\u001B[2J\u202E${'x'.repeat(500_000)}`), READY),
  'wants a copy': sends(message('G', Buffer.of(0), int16(0)), READY),
  'sends a copy': endless(message('d', Buffer.alloc(1000))),
  'an unknown message': sends(Buffer.from('!'), int32(4)),
}

/** Name → behaviour. Each of `startups` is met before the client is let in, each of `queries` after it. */
export const MODES: Readonly<Record<string, Mode>> = {
  honest: { query: rows({}) },
  ...Object.fromEntries(Object.entries(startups).map(([name, startup]) => [name, { startup }])),
  ...Object.fromEntries(Object.entries(queries).map(([name, query]) => [name, { query }])),
}
