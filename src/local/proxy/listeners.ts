import { type ListenAddress, listenTcp } from './listen.ts'
import { type SessionOptions, serveClient } from './session.ts'

/** Ports for clients: one for all computes, and one for each. */
export type ClientListeners = {
  readonly port: number
  portOf(endpointId: string): number | undefined
  /** Opens and closes so that a project has listeners for exactly these computes. */
  sync(projectId: string, endpointIds: readonly string[]): Promise<void>
  /** Resolves when all changes requested so far are made. */
  settled(): Promise<void>
  close(): Promise<void>
}

type ListenersOptions = Readonly<{
  session: Omit<SessionOptions, 'endpointId'>
  /** 0: any. */
  port: number
  /** Port from an earlier start. */
  rememberedPort: (endpointId: string) => number | undefined
  remember: (endpointId: string, port: number) => void
  /** A second address, if any. */
  extraAddress?: (endpointId: string) => ListenAddress | undefined
}>

type ComputeListeners = { readonly projectId: string; readonly port: number; close(): Promise<unknown> }

/** Undefined when the main port is taken. */
export async function openClientListeners(options: ListenersOptions): Promise<ClientListeners | undefined> {
  const { session } = options
  const listen = (address: ListenAddress, endpointId: string | undefined) =>
    listenTcp(address, (client) => serveClient(client, { ...session, endpointId }), session.clock)
  const main = await listen(options, undefined)
  if (!main) return undefined
  const opened = new Map<string, ComputeListeners>()
  const open = async (projectId: string, endpointId: string) => {
    const remembered = options.rememberedPort(endpointId)
    const preferred = await listen({ port: remembered ?? 0 }, endpointId)
    const listener = preferred ?? (await listen({ port: 0 }, endpointId))
    if (!listener) throw new Error(`no free port on 127.0.0.1 for endpoint ${endpointId}`)
    const address = options.extraAddress?.(endpointId)
    const extra = address && (await listen(address, endpointId))
    const close = () => Promise.all([listener.close(), extra?.close()])
    opened.set(endpointId, { projectId, port: listener.port, close })
    if (address && !extra)
      throw new Error(`${address.host}:${address.port} cannot be listened on for endpoint ${endpointId}`)
    if (listener.port !== remembered) options.remember(endpointId, listener.port)
  }
  const syncNow = async (projectId: string, endpointIds: readonly string[]) => {
    const closing = [...opened].filter(([id, of]) => of.projectId === projectId && !endpointIds.includes(id))
    for (const [endpointId] of closing) opened.delete(endpointId)
    await Promise.all([
      ...closing.map(([, listeners]) => listeners.close()),
      ...endpointIds.filter((id) => !opened.has(id)).map((id) => open(projectId, id)),
    ])
  }
  let last: Promise<void> = Promise.resolve() // one at a time, so that no port is opened twice
  return {
    port: main.port,
    portOf: (endpointId) => opened.get(endpointId)?.port,
    sync: (projectId, endpointIds) => {
      last = last.catch(() => undefined).then(() => syncNow(projectId, endpointIds))
      return last
    },
    settled: () => last,
    close: async () => {
      await last.catch(() => undefined) // its caller gets the error
      await Promise.all([main.close(), ...[...opened.values()].map((listeners) => listeners.close())])
      opened.clear()
    },
  }
}
