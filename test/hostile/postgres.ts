// A malicious Postgres server: speaks enough of the protocol to be asked, and does to its client what it can. Loopback only.
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { IN } from './postgres-messages.ts'
import { MODES, type Mode } from './postgres-modes.ts'

export type HostilePostgres = AsyncDisposable & {
  readonly port: number
  /** All that clients sent, in the order of arrival. */
  readonly received: () => string
  readonly connections: () => number
  /** Bytes that clients took, when all of them are gone. */
  readonly taken: () => Promise<number>
}

const SSL_REQUEST = 80_877_103

/** @param modeOf name of the mode for a client, by its start-up parameters */
export async function startHostilePostgres(
  modeOf: (parameters: ReadonlyMap<string, string>) => string,
): Promise<HostilePostgres> {
  const clients = new Set<Socket>()
  const received: string[] = []
  let taken = 0
  let connections = 0
  const server = createServer((client) => {
    connections += 1
    clients.add(client)
    client.on('error', () => undefined)
    client.once('close', () => {
      taken += client.bytesWritten - client.writableLength
      clients.delete(client)
    })
    client.on('data', (bytes) => received.push(bytes.toString('latin1')))
    client.on('data', (bytes) => {
      const startsNow = bytes.length >= 8 && bytes.readInt32BE(0) === bytes.length
      if (startsNow && bytes.readInt32BE(4) === SSL_REQUEST) return client.write('N')
      if (startsNow) return begin(client, MODES[modeOf(parametersOf(bytes))] ?? {})
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    received: () => received.join(''),
    connections: () => connections,
    taken: async () => {
      await Promise.all([...clients].map((client) => new Promise((resolve) => client.once('close', resolve))))
      return taken
    },
    [Symbol.asyncDispose]: async () => {
      for (const client of clients) client.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

function begin(client: Socket, { startup, query }: Mode) {
  if (startup) return startup(client, [])
  client.on('data', (bytes) => {
    if (bytes[0] === 'X'.charCodeAt(0)) client.end()
    if (bytes[0] !== 'Q'.charCodeAt(0)) return
    const columns = [...bytes.toString('utf8').matchAll(/ as answer\) as (\w+)/g)].map(
      ([, name = '']) => name,
    )
    query?.(client, columns)
  })
  client.write(IN)
}

/** Name → value of a start-up packet. */
function parametersOf(packet: Buffer): ReadonlyMap<string, string> {
  const words = packet.subarray(8).toString('utf8').split('\0')
  return new Map(words.flatMap((word, index) => (index % 2 === 0 ? [[word, words[index + 1] ?? '']] : [])))
}

/** Mode of the compute `ep-7`: the eighth. */
const modeOfEndpoint = (parameters: ReadonlyMap<string, string>): string => {
  const [, index = ''] = /endpoint=ep-(\d+)/.exec(parameters.get('options') ?? '') ?? []
  return Object.keys(MODES)[Number(index)] ?? 'honest'
}

// `node test/hostile/postgres.ts MODE` listens and prints its port; without a mode each compute has its own
if (process.argv[1] === import.meta.filename) {
  const [, , mode] = process.argv
  const server = await startHostilePostgres(mode === undefined ? modeOfEndpoint : () => mode)
  process.stdout.write(`${server.port}\n`)
}
