// What pagers, chats and mail would be: it hears Alertmanager and Dormouse, and keeps what is new.
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text as textOf } from 'node:stream/consumers'

/** One thing that somebody was told of. */
export type ReceivedNotification = {
  readonly at: string
  readonly by: 'alertmanager' | 'dormouse'
  /** The receiver of the routing, or of the configuration. */
  readonly to: string
  readonly severity: string
  readonly state: 'firing' | 'resolved' | 'event'
  /** The name of the alert, or the kind of the event. */
  readonly name: string
  readonly text: string
}

export type DemoReceiver = AsyncDisposable & {
  readonly url: string
  /** What Alertmanager has to know. */
  readonly token: string
  /** The earliest first; it grows. */
  readonly told: readonly ReceivedNotification[]
}

/** Where Dormouse tells its events; all other paths are Alertmanager's. */
export const EVENTS_PATH = '/dormouse'

export async function openReceiver(token: string, now: () => string): Promise<DemoReceiver> {
  const told: ReceivedNotification[] = []
  /** Alertmanager tells of a whole group whenever one of it changes. */
  const states = new Map<string, string>()
  const hear = (path: string, body: unknown): void => {
    if (path === EVENTS_PATH) {
      told.push(eventOf(body as Event, now()))
      return
    }
    const { receiver, alerts } = body as Payload
    for (const alert of alerts) {
      if (states.get(alert.fingerprint) === alert.status) continue
      states.set(alert.fingerprint, alert.status)
      told.push(alertOf(alert, receiver, now()))
    }
  }
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    const isOurs = path === EVENTS_PATH || request.headers.authorization === `Bearer ${token}`
    void textOf(request)
      .then((body) => isOurs && hear(path, JSON.parse(body)))
      .then(
        () => response.writeHead(isOurs ? 200 : 401).end(),
        () => response.writeHead(400).end(),
      )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token,
    told,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** What Alertmanager sends, version 4, as far as it is shown. */
type Payload = {
  readonly receiver: string
  readonly alerts: readonly {
    readonly fingerprint: string
    readonly status: 'firing' | 'resolved'
    readonly labels: Readonly<Record<string, string>>
    readonly annotations: Readonly<Record<string, string>>
  }[]
}

const alertOf = (
  { status, labels, annotations }: Payload['alerts'][number],
  receiver: string,
  at: string,
): ReceivedNotification => ({
  at,
  by: 'alertmanager',
  to: receiver,
  severity: labels['severity'] ?? '',
  state: status,
  name: labels['alertname'] ?? '',
  text: annotations['summary'] ?? '',
})

/** What a webhook of `notifications` gets, as far as it is shown. */
type Event = { readonly kind: string; readonly severity: string; readonly text: string }

const eventOf = ({ kind, severity, text }: Event, at: string): ReceivedNotification => ({
  at,
  by: 'dormouse',
  to: 'screen',
  severity,
  state: 'event',
  name: kind,
  text,
})

/** One line. */
export function notificationText({ at, by, to, severity, state, name, text }: ReceivedNotification): string {
  const whom = by === 'dormouse' ? 'Dormouse' : `Alertmanager to ${to}`
  return `${at.slice(11, 19)} ${whom}: ${[severity, name, ...(state === 'event' ? [] : [state])].join(' ')}: ${text}`
}
