// The receivers of events and reports that the configuration names.
import type { Logger } from 'pino'
import type { Config } from '../../config/load.ts'
import type { Notification } from '../../config/sections/notifications.ts'
import type { ReportSink } from '../../config/sections/report.ts'
import type { SelfMetrics } from '../../outputs/metrics/self.ts'
import { computeKey, type ComputeRef } from '../../model/service/compute.ts'
import { notificationOf, type NotifiableEvent } from '../../model/output/event-kinds.ts'
import { NO_OWNER, type Owner, type Owners } from '../../model/policy/owner.ts'
import type { Clock, Random } from '../../model/ports/clock.ts'
import type { Outbox } from '../../model/ports/outbox.ts'
import type { Store } from '../../model/ports/store.ts'
import { selectorTargetOf } from '../../model/policy/selector.ts'
import { eventMessage } from '../../outputs/notify/messages.ts'
import { createDispatcher, type Dispatcher } from './dispatcher.ts'
import type { DeliveryReceiver } from './delivery-worker.ts'
import type { AccountRunners } from '../accounts/account-runners.ts'
import { reportMessage } from '../reports/message.ts'
import { createSink } from './sinks.ts'

export type NotificationEnvironment = {
  readonly clock: Clock
  readonly random: Random
  readonly store: Pick<Store, 'account'> & Outbox
  readonly self: SelfMetrics
  readonly log: Logger
}

/** @param current the configuration in effect */
export function createNotifications(
  current: () => Config,
  runners: Pick<AccountRunners, 'all' | 'snapshot'>,
  environment: NotificationEnvironment,
): Dispatcher {
  const { self } = environment
  const eventReceivers = cached((entry: Notification) => eventReceiver(entry, environment))
  const reportReceivers = cached((entry: ReportSink) => reportReceiver(entry, environment))
  return createDispatcher(
    () => [...eventReceivers(current().notifications), ...reportReceivers(current().report.sinks)],
    {
      ...environment,
      accounts: current().accounts.map(({ name }) => name),
      ownerOf: (event) => ownerOf(event, current().owners, runners),
      recordResult: (kind, sink, result) => {
        if (kind === 'event') self.delivery(sink, result)
        else self.reportDelivery(bareName(sink), result)
      },
      recordReportSuccess: (account, sink, at) => self.reportSucceeded(account, bareName(sink), at / 1000),
      recordRemoval: (account, sink) => {
        if (sink.startsWith(REPORT_PREFIX)) self.reportReceiverLeft(account, bareName(sink))
      },
    },
  )
}

/** Makes a receiver again only when its configuration changed. */
function cached<Entry, Receiver>(
  make: (entry: Entry) => Receiver,
): (entries: readonly Entry[]) => readonly Receiver[] {
  let receivers = new Map<string, Receiver>()
  return (entries) => {
    receivers = new Map(
      entries.map((entry) => {
        const key = JSON.stringify(entry)
        return [key, receivers.get(key) ?? make(entry)]
      }),
    )
    return [...receivers.values()]
  }
}

function eventReceiver(
  { name, receiver, subscription }: Notification,
  { clock, store, self }: NotificationEnvironment,
): DeliveryReceiver {
  self.receiver(name)
  return {
    name,
    sink: createSink(receiver, clock),
    subscription,
    messageOf: async ({ account, item }) => {
      const event = await store.event(account, item)
      return event && eventMessage(event, name)
    },
  }
}

function reportReceiver(
  { name, receiver, format }: ReportSink,
  { clock, store, self }: NotificationEnvironment,
): DeliveryReceiver {
  self.reportReceiver(name)
  return {
    name: reportSinkName(name),
    sink: createSink(receiver, clock),
    subscription: undefined,
    messageOf: async ({ account, item }) => {
      const report = await store.report(account, item)
      return report && reportMessage(report, { sink: name, type: receiver.type, format }, clock)
    },
  }
}

/** Prefix of receivers of reports: a receiver of events may have the same name. */
const REPORT_PREFIX = 'report/'
export const reportSinkName = (name: string): string => REPORT_PREFIX + name
const bareName = (sink: string): string =>
  sink.slice(sink.startsWith(REPORT_PREFIX) ? REPORT_PREFIX.length : 0)

/** No owner for events about the account as a whole. */
function ownerOf(
  event: NotifiableEvent,
  owners: Owners,
  { all, snapshot }: Pick<AccountRunners, 'all' | 'snapshot'>,
): Owner {
  const ledger = all.map((runner) => runner.state().ledger).find(({ account }) => account === event.account)
  const subject = notificationOf(event).subject(event)
  switch (subject.kind) {
    case 'compute':
      return ofCompute(subject.ref)
    case 'project': {
      const project = ledger?.projects.get(subject.projectId)?.project
      return project ? owners.ofProject(event.account, project) : NO_OWNER
    }
    case 'budget': {
      const view = snapshot()?.accounts.find(({ account }) => account === event.account)
      const team = view?.budgets.find(({ name }) => name === subject.budget)?.team ?? ''
      return owners.ofTeam(team)
    }
    case 'account':
    case 'receiver':
      return NO_OWNER
  }

  function ofCompute(ref: ComputeRef): Owner {
    const entry = ledger?.computes.get(computeKey(ref))
    const project = ledger?.projects.get(ref.projectId)?.project
    return entry ? owners.of(selectorTargetOf(ref.account, entry.compute, project)) : NO_OWNER
  }
}
