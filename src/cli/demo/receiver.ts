// In place of pagers, chats and mail.
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text as textOf } from 'node:stream/consumers'

export type ReceivedNotification = Readonly<{
  at: string
  by: 'alertmanager' | 'dormouse'
  /** Receiver of Alertmanager's routing or of the configuration. */
  to: string
  severity: string
  state: 'firing' | 'resolved' | 'event'
  name: string
  text: string
}>

export type DemoReceiver = AsyncDisposable & {
  readonly url: string
  readonly token: string
  /** Earliest first; grows. */
  readonly notifications: readonly ReceivedNotification[]
}

/** Path of Dormouse's events; all other paths are Alertmanager's. */
export const EVENTS_PATH = '/dormouse'

export async function openReceiver(token: string, now: () => string): Promise<DemoReceiver> {
  const notifications: ReceivedNotification[] = []
  // Alertmanager sends a whole group whenever one of its alerts changes
  const states = new Map<string, string>()
  const receive = (path: string, body: unknown): void => {
    if (path === EVENTS_PATH) {
      notifications.push(eventOf(body as Event, now()))
      return
    }
    const { receiver, alerts } = body as Payload
    for (const alert of alerts) {
      if (states.get(alert.fingerprint) === alert.status) continue
      states.set(alert.fingerprint, alert.status)
      notifications.push(alertOf(alert, receiver, now()))
    }
  }
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    const isExpected = path === EVENTS_PATH || request.headers.authorization === `Bearer ${token}`
    void textOf(request)
      .then((body) => isExpected && receive(path, JSON.parse(body)))
      .then(
        () => response.writeHead(isExpected ? 200 : 401).end(),
        () => response.writeHead(400).end(),
      )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token,
    notifications,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** The part of Alertmanager's webhook body, version 4, that is shown. */
type Payload = Readonly<{
  receiver: string
  alerts: readonly Readonly<{
    fingerprint: string
    status: 'firing' | 'resolved'
    labels: Readonly<Record<string, string>>
    annotations: Readonly<Record<string, string>>
  }>[]
}>

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

type Event = Readonly<{ kind: string; severity: string; text: string }>

const eventOf = ({ kind, severity, text }: Event, at: string): ReceivedNotification => ({
  at,
  by: 'dormouse',
  to: 'screen',
  severity,
  state: 'event',
  name: kind,
  text,
})

export function notificationText({ at, by, to, severity, state, name, text }: ReceivedNotification): string {
  const sender = by === 'dormouse' ? 'Dormouse' : `Alertmanager to ${to}`
  return `${at.slice(11, 19)} ${sender}: ${[severity, name, ...(state === 'event' ? [] : [state])].join(' ')}: ${text}`
}
