// Whom the configuration wants to be told, and of what.
import type { Logger } from 'pino'
import type { Config } from '../../config/load.ts'
import type { ReportSink } from '../../config/sections/report.ts'
import type { SelfMetrics } from '../../outputs/metrics/self.ts'
import { computeKey, type ComputeRef } from '../../model/service/compute.ts'
import type { NotifiableEvent } from '../../model/output/outbox-event.ts'
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
  readonly store: Pick<Store, 'commit'> & Outbox
  readonly self: SelfMetrics
  readonly log: Logger
}

/** @param current the receivers are those of the configuration as it is when it is asked for */
export function createNotifications(
  current: () => Config,
  lanes: Pick<AccountRunners, 'all' | 'snapshot'>,
  machine: NotificationEnvironment,
): Dispatcher {
  const { self } = machine
  const listeners = remembered((one: Listening) => listenerOf(one, machine))
  const readers = remembered((one: ReportSink) => readerOf(one, machine))
  return createDispatcher(() => [...listeners(current().notifications), ...readers(current().report.sinks)], {
    ...machine,
    accounts: current().accounts.map(({ name }) => name),
    ownerOf: (event) => ownerOf(event, current().owners, lanes),
    counted: (kind, sink, result) => {
      if (kind === 'event') self.delivery(sink, result)
      else self.reportDelivery(bareName(sink), result)
    },
    succeeded: (account, sink, at) => self.reportSucceeded(account, bareName(sink), at / 1000),
    left: (account, sink) => {
      if (sink.startsWith(REPORTS)) self.reportReceiverLeft(account, bareName(sink))
    },
  })
}

type Listening = Config['notifications'][number]

/** Makes each once, and again only where what it is made of is another. */
function remembered<One, Made>(make: (one: One) => Made): (all: readonly One[]) => readonly Made[] {
  let known = new Map<string, Made>()
  return (all) => {
    const next = new Map(
      all.map((one) => {
        const text = JSON.stringify(one)
        return [text, known.get(text) ?? make(one)]
      }),
    )
    known = next
    return [...next.values()]
  }
}

function listenerOf(
  { name, receiver, wish }: Listening,
  { clock, store, self }: NotificationEnvironment,
): DeliveryReceiver {
  self.receiver(name)
  return {
    name,
    sink: createSink(receiver, clock),
    wish,
    messageOf: async ({ account, item }) => {
      const kept = await store.event(account, item)
      return kept && eventMessage(kept, name)
    },
  }
}

function readerOf(
  { name, receiver, format }: ReportSink,
  { clock, store, self }: NotificationEnvironment,
): DeliveryReceiver {
  self.reportReceiver(name)
  return {
    name: reportSinkName(name),
    sink: createSink(receiver, clock),
    wish: undefined,
    messageOf: async ({ account, item }) => {
      const report = await store.report(account, item)
      return report && reportMessage(report, { sink: name, type: receiver.type, format }, clock)
    },
  }
}

/** One name may be that of a receiver of reports and of another of events. */
const REPORTS = 'report/'
export const reportSinkName = (name: string): string => REPORTS + name
const bareName = (sink: string): string => sink.slice(sink.startsWith(REPORTS) ? REPORTS.length : 0)

/** Nobody where the account as a whole is meant. */
function ownerOf(
  event: NotifiableEvent,
  owners: Owners,
  { all, snapshot }: Pick<AccountRunners, 'all' | 'snapshot'>,
): Owner {
  const ledger = all.map((lane) => lane.state().ledger).find(({ account }) => account === event.account)
  switch (event.kind) {
    case 'wake-caused':
      return ofCompute(event.ref)
    case 'count-off':
    case 'count-agrees': {
      const project = ledger?.projects.get(event.projectId)?.project
      return project ? owners.ofProject(event.account, project) : NO_OWNER
    }
    case 'budget-rung': {
      const view = snapshot()?.accounts.find(({ account }) => account === event.account)
      const team = view?.budgets.find(({ name }) => name === event.budget)?.team ?? ''
      return owners.ofTeam(team)
    }
    case 'key-refused':
    case 'key-accepted':
    case 'service-unavailable':
    case 'service-available':
    case 'problem':
    case 'delivery-failed':
      return NO_OWNER
  }

  function ofCompute(ref: ComputeRef): Owner {
    const found = ledger?.computes.get(computeKey(ref))
    const project = ledger?.projects.get(ref.projectId)?.project
    return found ? owners.of(selectorTargetOf(ref.account, found.compute, project)) : NO_OWNER
  }
}
