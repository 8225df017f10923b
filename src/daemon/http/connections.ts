// Limits on the connections of one listener.
//
// 1. Admission: 56 connections, at most 16 of one address. A connection beyond that may ask for health, once, and is closed. Of these
//    8 are open at a time; the next one replaces the oldest, of its own address if there is one. So probes are answered whatever
//    clients hold open.
// 2. Requests: 4 in flight on a connection; the fifth is refused, and the connection closed after that answer, or at once if many more
//    follow. The thousandth request is the last.
// 3. Answers: a client that does not take in 30 s what was written is cut.
//
// The limits of a request that arrives slowly are those of Node (listen.ts).
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Seconds } from '../../model/units.ts'
import type { ConnectionLimit } from '../../outputs/metrics/self.ts'

/** Connections that may ask for everything: some Prometheus servers, a proxy and a few people need a dozen. */
const MAX_OPEN = 56
/** Connections of one address: two browsers with 6 connections each, a pair of Prometheus servers, the kubelet and a script may share it (loopback, NAT). */
const MAX_PER_ADDRESS = 16
/** Connections beyond the limits, for health: 64 in all. */
const MAX_LIMITED = 8
/** Requests of a connection that are not answered yet; browsers and Prometheus send one at a time. */
const MAX_IN_FLIGHT = 4
/** Requests of a connection in all: with a scrape every 15 s it lasts four hours. Node's own limit leaves it open. */
const MAX_REQUESTS = 1000
/** Requests behind a refusal after which the connection is cut at once: each has some kB until the connection is closed. */
const MAX_IGNORED = 64
/** Time in which a client takes what was written, s: three times the usual scrape timeout. */
const WRITE_DEADLINE = 30

/** Paths that a connection beyond the limits may ask for. */
const HEALTH_PATHS = ['/-/healthy', '/healthz', '/-/ready', '/readyz']

export type ConnectionEvents = Readonly<{
  /** A connection came when a limit was reached. */
  limited: (limit: ConnectionLimit, address: string) => void
  /** A request was refused without asking the app. */
  refused: (status: number) => void
}>

type Options = Partial<ConnectionEvents> &
  Readonly<{
    /** What must be taken within the deadline: `piece` of an answer, for answers of any length, or the whole `answer`. */
    deadlineOf?: 'piece' | 'answer'
  }>

type Connection = {
  readonly address: string
  readonly isLimited: boolean
  /** With TLS that of TLS, from the first request on. */
  socket: Socket
  requests: number
  inFlight: number
  /** Requests since the last that is answered; undefined before that one. */
  ignored: number | undefined
  /** Since when written bytes wait for the client, monotonic. */
  waitingSince: Seconds | undefined
}

export type ConnectionGuard = ReturnType<typeof createConnectionGuard>

export function createConnectionGuard({
  limited = () => undefined,
  refused = () => undefined,
  deadlineOf = 'piece',
}: Options = {}) {
  /** By `keyOf`, oldest first. */
  const connections = new Map<string, Connection>()
  const limitReached = (address: string): ConnectionLimit | undefined => {
    const open = [...connections.values()].filter(({ isLimited }) => !isLimited)
    const own = open.filter((connection) => connection.address === address)
    if (own.length >= MAX_PER_ADDRESS) return 'address'
    return open.length >= MAX_OPEN ? 'listener' : undefined
  }
  const makeRoom = (address: string) => {
    const others = [...connections.values()].filter(({ isLimited }) => isLimited)
    if (others.length < MAX_LIMITED) return
    const oldest = others.find((connection) => connection.address === address) ?? others[0]
    if (!oldest) return
    // its socket closes later, and another connection may come before
    connections.delete(keyOf(oldest.socket))
    oldest.socket.destroy()
  }
  const refuse = (outgoing: ServerResponse, { status, message }: Refusal) => {
    outgoing.writeHead(status, { 'content-type': 'application/json', 'retry-after': '1' })
    outgoing.end(JSON.stringify({ message }))
    refused(status)
  }

  return {
    /** Each new TCP connection. */
    admit: (socket: Socket) => {
      const address = socket.remoteAddress
      // closed by the client since
      if (address === undefined) return void socket.destroy()
      const limit = limitReached(address)
      if (limit) {
        limited(limit, address)
        makeRoom(address)
      }
      const key = keyOf(socket)
      const connection: Connection = {
        address,
        isLimited: limit !== undefined,
        socket,
        requests: 0,
        inFlight: 0,
        ignored: undefined,
        waitingSince: undefined,
      }
      connections.set(key, connection)
      socket.once('close', () => {
        if (connections.get(key) === connection) connections.delete(key)
      })
    },
    /** Whether the app is asked. A request behind a refusal is not answered: its connection closes. */
    mayAsk: (incoming: IncomingMessage, outgoing: ServerResponse): boolean => {
      const connection = connections.get(keyOf(incoming.socket))
      if (!connection) {
        incoming.socket.destroy()
        return false
      }
      if (connection.ignored !== undefined) {
        connection.ignored += 1
        if (connection.ignored > MAX_IGNORED) incoming.socket.destroy()
        return false
      }
      connection.socket = incoming.socket
      connection.requests += 1
      const refusal = refusalOf(connection, incoming.url)
      if (refusal || connection.isLimited || connection.requests === MAX_REQUESTS) {
        connection.ignored = 0
        outgoing.setHeader('connection', 'close')
      }
      if (refusal) {
        incoming.socket.pause()
        refuse(outgoing, refusal)
        return false
      }
      connection.inFlight += 1
      outgoing.once('close', () => (connection.inFlight -= 1))
      if (deadlineOf === 'piece') outgoing.on('drain', () => (connection.waitingSince = undefined))
      return true
    },
    /** Also those in a TLS handshake, which the server does not close by itself. */
    cutAll: () => {
      for (const { socket } of connections.values()) socket.destroy()
    },
    /** To be called every few seconds. `now` is monotonic. */
    cutUnread: (now: Seconds) => {
      for (const connection of connections.values()) {
        const { socket, waitingSince = now } = connection
        const isWaiting = socket.writableLength > 0
        connection.waitingSince = isWaiting ? waitingSince : undefined
        if (isWaiting && now - waitingSince >= WRITE_DEADLINE) socket.destroy()
      }
    },
  }
}

type Refusal = Readonly<{ status: 429 | 503; message: string }>

function refusalOf({ isLimited, inFlight }: Connection, url = ''): Refusal | undefined {
  const isHealth = HEALTH_PATHS.includes(url.split('?')[0] ?? '')
  if (isLimited && !isHealth) return { status: 503, message: 'too many connections' }
  if (inFlight < MAX_IN_FLIGHT) return undefined
  return { status: 429, message: 'too many requests in flight on this connection' }
}

/** Key of a TCP connection and of TLS on it. */
const keyOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`
