// Whom the configuration wants to be told, and of what.
import type { Logger } from 'pino'
import type { Config } from '../config/load.ts'
import type { SelfMetrics } from '../metrics/self.ts'
import { computeKey, type ComputeRef } from '../model/compute.ts'
import type { ToldEvent } from '../model/kept-event.ts'
import { NOBODY, type Owner, type Owners } from '../model/owner.ts'
import type { Clock, Outbox, Random, Store } from '../model/ports.ts'
import { targetOf } from '../model/selector.ts'
import { messageOf } from '../send/events.ts'
import { createDeliverer, type Deliverer } from './deliver.ts'
import type { Lanes } from './lanes.ts'
import { reportMessage } from './report-message.ts'
import { sinkOf } from './sinks.ts'

export type DeliveryMachine = {
  readonly clock: Clock
  readonly random: Random
  readonly store: Pick<Store, 'commit'> & Outbox
  readonly self: SelfMetrics
  readonly log: Logger
}

export function createDeliveries(
  config: Pick<Config, 'accounts' | 'notifications' | 'report'> & { readonly owners: () => Owners },
  lanes: Pick<Lanes, 'all' | 'snapshot'>,
  machine: DeliveryMachine,
): Deliverer {
  const { clock, store, self } = machine
  const listeners = config.notifications.map(({ name, receiver, wish }) => ({
    name,
    sink: sinkOf(receiver, clock),
    wish,
  }))
  const readers = config.report.sinks.map(({ name, receiver, format, team }) => ({
    name: reportSinkName(name),
    sink: sinkOf(receiver, clock),
    wish: undefined,
    type: receiver.type,
    format,
    team,
  }))
  for (const { name } of listeners) self.receiver(name)
  for (const { name } of config.report.sinks) self.reportReceiver(name)
  return createDeliverer([...listeners, ...readers], {
    ...machine,
    accounts: config.accounts.map(({ name }) => name),
    ownerOf: (event) => ownerOf(event, config.owners(), lanes),
    messageOf: async ({ account, kind, item, sink }) => {
      const reader = readers.find(({ name }) => name === sink)
      if (kind === 'report') {
        const report = reader && (await store.report(account, item))
        if (!report) return undefined
        return reportMessage(report, { ...reader, sink: bareName(sink) })
      }
      const kept = await store.event(account, item)
      return kept && messageOf(kept, sink)
    },
    counted: (kind, sink, result) => {
      if (kind === 'event') self.delivery(sink, result)
      else self.reportDelivery(bareName(sink), result)
    },
    succeeded: (account, sink, at) => self.reportSucceeded(account, bareName(sink), at / 1000),
  })
}

/** One name may be that of a receiver of reports and of another of events. */
const REPORTS = 'report/'
export const reportSinkName = (name: string): string => REPORTS + name
const bareName = (sink: string): string => sink.slice(sink.startsWith(REPORTS) ? REPORTS.length : 0)

/** Nobody where the account as a whole is meant. */
function ownerOf(
  event: ToldEvent,
  owners: Owners,
  { all, snapshot }: Pick<Lanes, 'all' | 'snapshot'>,
): Owner {
  const ledger = all.map((lane) => lane.state().ledger).find(({ account }) => account === event.account)
  switch (event.kind) {
    case 'wake-caused':
      return ofCompute(event.ref)
    case 'count-off':
    case 'count-agrees': {
      const project = ledger?.projects.get(event.projectId)?.project
      return project ? owners.ofProject(event.account, project) : NOBODY
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
      return NOBODY
  }

  function ofCompute(ref: ComputeRef): Owner {
    const found = ledger?.computes.get(computeKey(ref))
    const project = ledger?.projects.get(ref.projectId)?.project
    return found ? owners.of(targetOf(ref.account, found.compute, project)) : NOBODY
  }
}
