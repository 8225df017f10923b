import { type Listener, listenTcp } from './listen.ts'
import { type SessionOptions, serveClient } from './session.ts'

/** The ports clients connect to: one for all computes, and one for each. */
export type ClientListeners = {
  readonly port: number
  /** The compute's own port; undefined while it has none. */
  portOf(endpointId: string): number | undefined
  /** Opens doors for these computes of a project and closes those of computes it no longer has. */
  sync(projectId: string, endpointIds: readonly string[]): Promise<void>
  /** Resolves when all changes asked for so far are made. */
  settled(): Promise<void>
  close(): Promise<void>
}

export type ClientListenersOptions = {
  readonly session: Omit<SessionOptions, 'endpointId'>
  /** 0: any free port. */
  readonly port: number
  /** The port a compute had before, and where to remember the one it has. */
  readonly rememberedPort: (endpointId: string) => number | undefined
  readonly remember: (endpointId: string, port: number) => void
  /** A further place of the compute's own; undefined when it has none. */
  readonly placeOf?: (endpointId: string) => { readonly host: string; readonly port: number } | undefined
}

type Door = {
  readonly projectId: string
  readonly listener: Listener
  readonly further: Listener | undefined
}

const shut = ({ listener, further }: Door): Promise<unknown> =>
  Promise.all([listener.close(), further?.close()])

/** Opens the main door; undefined when its port is taken. */
export async function openClientListeners(
  options: ClientListenersOptions,
): Promise<ClientListeners | undefined> {
  const { clock } = options.session
  const main = await listenTcp(
    options.port,
    (client) => serveClient(client, { ...options.session, endpointId: undefined }),
    clock,
  )
  if (!main) return undefined
  const doors = new Map<string, Door>()
  const open = async (projectId: string, endpointId: string): Promise<void> => {
    const serve = (client: Parameters<typeof serveClient>[0]): void =>
      serveClient(client, { ...options.session, endpointId })
    const remembered = options.rememberedPort(endpointId)
    const listener = (await listenTcp(remembered ?? 0, serve, clock)) ?? (await listenTcp(0, serve, clock))
    if (!listener) throw new Error(`no free port on 127.0.0.1 for endpoint ${endpointId}`)
    const place = options.placeOf?.(endpointId)
    const further = place && (await listenTcp(place, serve, clock))
    doors.set(endpointId, { projectId, listener, further })
    if (place && !further)
      throw new Error(`${place.host}:${place.port} cannot be listened on for endpoint ${endpointId}`)
    if (listener.port !== remembered) options.remember(endpointId, listener.port)
  }
  const syncNow = async (projectId: string, endpointIds: readonly string[]): Promise<void> => {
    const closing = [...doors].filter(
      ([id, door]) => door.projectId === projectId && !endpointIds.includes(id),
    )
    for (const [endpointId] of closing) doors.delete(endpointId)
    await Promise.all([
      ...closing.map(([, door]) => shut(door)),
      ...endpointIds.filter((id) => !doors.has(id)).map((id) => open(projectId, id)),
    ])
  }
  let last: Promise<void> = Promise.resolve() // one at a time, so that no door is opened twice
  return {
    port: main.port,
    portOf: (endpointId) => doors.get(endpointId)?.listener.port,
    sync: (projectId, endpointIds) => {
      last = last.then(
        () => syncNow(projectId, endpointIds),
        () => syncNow(projectId, endpointIds),
      )
      return last
    },
    settled: () => last,
    close: async () => {
      await last.catch(() => undefined) // whoever asked for that change was told
      await Promise.all([main.close(), ...[...doors.values()].map(shut)])
      doors.clear()
    },
  }
}
