// The configured receivers of events and reports.
import type { Config } from '../../config/load.ts'
import type { Notification } from '../../config/sections/notifications.ts'
import type { ReportSink } from '../../config/sections/report.ts'
import { computeKey, type ComputeRef } from '../../model/service/compute.ts'
import { subjectOf, type NotifiableEvent } from '../../model/output/event-kinds.ts'
import type { Ledger } from '../../model/ledger/ledger.ts'
import { NO_OWNER, type Owner, type Owners } from '../../model/policy/owner.ts'
import { selectorTargetOf } from '../../model/policy/selector.ts'
import { eventMessage } from '../../outputs/notify/messages.ts'
import { createDispatcher, type Dispatcher } from './dispatcher.ts'
import type { DeliveryReceiver } from './delivery-worker.ts'
import type { EventQueue } from './event-queue.ts'
import type { AccountRunners } from '../accounts/account-runners.ts'
import type { DaemonEnvironment } from '../environment.ts'
import { reportMessage } from '../reports/message.ts'
import { createSink } from './sinks.ts'

type Environment = Omit<EventQueue, 'ownerOf'> & Pick<DaemonEnvironment, 'random' | 'self' | 'log'>
type Accounts = Pick<AccountRunners, 'all' | 'snapshot'>

export function createNotifications(
  current: () => Config,
  runners: Accounts,
  environment: Environment,
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
function cached<Entry>(make: (entry: Entry) => DeliveryReceiver) {
  let receivers = new Map<string, DeliveryReceiver>()
  return (entries: readonly Entry[]): readonly DeliveryReceiver[] => {
    const keyed = entries.map((entry) => [JSON.stringify(entry), entry] as const)
    receivers = new Map(keyed.map(([key, entry]) => [key, receivers.get(key) ?? make(entry)]))
    return [...receivers.values()]
  }
}

function eventReceiver(
  { name, receiver, subscription }: Notification,
  { clock, store, self }: Environment,
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
  { clock, store, self }: Environment,
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

/** A receiver of events may have the same name. */
const REPORT_PREFIX = 'report/'
export const reportSinkName = (name: string): string => REPORT_PREFIX + name
const bareName = (sink: string) => sink.replace(/^report\//, '')

/** None for events about the account as a whole. */
function ownerOf(event: NotifiableEvent, owners: Owners, { all, snapshot }: Accounts) {
  const ledger = all.map((runner) => runner.state().ledger).find(({ account }) => account === event.account)
  const subject = subjectOf(event)
  switch (subject.kind) {
    case 'compute':
      return ownerOfCompute(subject.ref, ledger, owners)
    case 'project': {
      const project = ledger?.projects.get(subject.projectId)?.project
      return project ? owners.ofProject(event.account, project) : NO_OWNER
    }
    case 'budget': {
      const budgets = snapshot()?.accounts.find(({ account }) => account === event.account)?.budgets
      return owners.ofTeam(budgets?.find(({ name }) => name === subject.budget)?.team ?? '')
    }
    case 'account':
    case 'receiver':
      return NO_OWNER
  }
}

function ownerOfCompute(ref: ComputeRef, ledger: Ledger | undefined, owners: Owners): Owner {
  const entry = ledger?.computes.get(computeKey(ref))
  const project = ledger?.projects.get(ref.projectId)?.project
  return entry ? owners.of(selectorTargetOf(ref.account, entry.compute, project)) : NO_OWNER
}
