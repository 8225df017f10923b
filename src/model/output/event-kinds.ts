// Kinds of events. A new kind is one line in `EventFields` and one row in `EVENT_KINDS`: log, outbox, messages, report and
// configuration read the table.
import { amountInUnit, budgetUnit, type BudgetLimit, type Rung } from '../policy/budget.ts'
import type { ComputeRef } from '../service/compute.ts'
import type { Reconciliation } from '../ledger/metering.ts'
import type { Bounds } from '../ledger/quantities.ts'
import { toIso } from '../time.ts'
import type { Instant, Interval } from '../units.ts'
import { CHANGE_EVENT_KINDS, type ChangeMove, type ForeignMove } from './change-events.ts'
import { HOLD_EVENT_KINDS, type BrakeMove, type HoldMove } from './hold-events.ts'

type Transition = Readonly<{ ref: ComputeRef; occurredAt: Instant }>
type ReconciliationChange = Readonly<{ projectId: string; checked: Reconciliation }>

/** Besides `kind`, `account` and `at`; `unknown` for none. Events are stored as JSON. */
type EventFields = {
  wake: Transition
  suspend: Transition
  restart: Transition
  'compute-found': { readonly ref: ComputeRef }
  'compute-gone': { readonly ref: ComputeRef }
  'budget-rung': Readonly<{
    budget: string
    /** Highest rung reached for the first time. */
    rung: Rung
    /** In the unit of the limit. */
    spent: Bounds<number>
    limit: BudgetLimit
    period: Interval
  }>
  'wake-caused': { readonly ref: ComputeRef }
  'key-refused': unknown
  'key-accepted': unknown
  'service-unavailable': { readonly message: string }
  'service-available': unknown
  'count-off': ReconciliationChange
  'count-agrees': ReconciliationChange
  problem: Readonly<{ where: string; message: string }>
  'delivery-failed': Readonly<{
    /** Name of the receiver. */
    sink: string
    what: 'event' | 'report'
    because: string
  }>
  'change-scheduled': ChangeMove
  'change-applied': ChangeMove
  'change-superseded': ChangeMove
  'change-reverted': ChangeMove
  'change-expired': ChangeMove
  'change-failed': ChangeMove
  'change-unknown': ChangeMove
  'foreign-change': ForeignMove
  'hold-placed': HoldMove
  'hold-ended': HoldMove
  'brake-engaged': BrakeMove
  'brake-released': BrakeMove
}

export type EventKind = keyof EventFields
export type EventOf<Kind extends EventKind = EventKind> = {
  [K in Kind]: Readonly<{ kind: K; account: string; at: Instant }> & EventFields[K]
}[Kind]
/** Reported once. */
export type Event = EventOf

export const SEVERITIES = ['info', 'warning', 'critical'] as const
export type Severity = (typeof SEVERITIES)[number]

/** Decides the owner; a receiver is never notified about itself. */
type EventSubject = Readonly<
  | { kind: 'account' }
  | { kind: 'compute'; ref: ComputeRef }
  | { kind: 'project'; projectId: string }
  | { kind: 'budget'; budget: string }
  | { kind: 'receiver'; sink: string }
>

type Fields = Readonly<Record<string, unknown>>

type LogRow<Kind extends EventKind> = Readonly<{
  level: 'info' | 'warn' | 'error'
  /** What varies is in the fields. */
  text: string
  /** Besides the account. */
  fields?: (event: EventOf<Kind>) => Fields
}>

type NotificationRow<Kind extends EventKind> = Readonly<{
  severity: Severity | ((event: EventOf<Kind>) => Severity)
  /** The last event of a topic is its current state. */
  topic: (event: EventOf<Kind>) => string
  /** How often a topic is stored; default `each-time`. */
  stored?: 'once' | 'hourly' | 'each-time'
  /** Default: the account. */
  subject?: (event: EventOf<Kind>) => EventSubject
  /** Single line, not sanitized. */
  text: (event: EventOf<Kind>) => string
  /** Where `text` has names of projects or computes; others name them by their ids. */
  textWithoutNames?: (event: EventOf<Kind>) => string
  /** In the webhook body, in whole units. */
  fields?: (event: EventOf<Kind>) => Fields
}>

export type KindRow<Kind extends EventKind> = Readonly<{
  log: LogRow<Kind>
  /** Absent: history only, nobody is notified. */
  notification?: NotificationRow<Kind>
}>

/** From these rungs on an event is critical, a warning. */
const [CRITICAL_RUNG, WARNING_RUNG] = [100, 80]

const transitionFields = ({ ref, occurredAt }: Transition): Fields => ({
  ...ref,
  occurredAt: toIso(occurredAt),
})
const reconciliationFields = ({ projectId, checked }: ReconciliationChange): Fields => ({
  projectId,
  checked,
})

/** Notification about the service's count of a project. */
const ABOUT_COUNT = {
  topic: ({ projectId }: ReconciliationChange) => `count/${projectId}`,
  subject: ({ projectId }: ReconciliationChange): EventSubject => ({ kind: 'project', projectId }),
  fields: ({ projectId }: ReconciliationChange) => ({ project_id: projectId }),
} as const

/** The order is that of the configuration's schema. */
export const EVENT_KINDS = {
  wake: { log: { level: 'info', text: 'compute woke', fields: transitionFields } },
  suspend: { log: { level: 'info', text: 'compute suspended', fields: transitionFields } },
  restart: { log: { level: 'info', text: 'compute restarted', fields: transitionFields } },
  'compute-found': { log: { level: 'info', text: 'compute found', fields: ({ ref }) => ref } },
  'compute-gone': { log: { level: 'info', text: 'compute gone', fields: ({ ref }) => ref } },
  'budget-rung': {
    log: {
      level: 'warn',
      text: 'percent of a budget reached',
      fields: ({ budget, rung, spent, limit }) => ({ budget, rung, spent, limit }),
    },
    notification: {
      severity: ({ rung }) =>
        rung >= CRITICAL_RUNG ? 'critical' : rung >= WARNING_RUNG ? 'warning' : 'info',
      // rungs are reached anew with a new limit
      topic: ({ budget, period, rung, limit }) => `budget/${budget}/${period.from}/${rung}/${limit.amount}`,
      stored: 'once',
      subject: ({ budget }) => ({ kind: 'budget', budget }),
      text: ({ budget, rung, limit }) =>
        `Budget ${budget}: ${rung} % of ${amountInUnit(limit.amount, limit)} ${budgetUnit(limit)} reached`,
      fields: ({ budget, rung, spent, limit, period }) => ({
        budget,
        rung,
        limit: amountInUnit(limit.amount, limit),
        unit: budgetUnit(limit),
        spent: {
          low: amountInUnit(spent.low, limit),
          likely: amountInUnit(spent.likely, limit),
          high: amountInUnit(spent.high, limit),
        },
        from: toIso(period.from),
        to: toIso(period.to),
      }),
    },
  },
  'wake-caused': {
    log: {
      level: 'error',
      text: 'a reading woke a compute: this is a fault of Dormouse, set reading.mode: off and report it',
      fields: ({ ref }) => ref,
    },
    notification: {
      severity: 'critical',
      topic: ({ ref }) => `wake-caused/${ref.projectId}/${ref.endpointId}`,
      stored: 'hourly',
      subject: ({ ref }) => ({ kind: 'compute', ref }),
      text: ({ ref }) =>
        `A reading woke compute ${ref.endpointId}: a fault of Dormouse, set reading.mode: off and report it`,
      fields: ({ ref }) => ({ project_id: ref.projectId, endpoint_id: ref.endpointId }),
    },
  },
  'key-refused': {
    log: { level: 'error', text: 'API key refused, nothing is asked until the key is another one' },
    notification: {
      severity: 'critical',
      topic: () => 'key',
      text: () => 'The API key is refused: nothing is observed until it is replaced',
    },
  },
  'key-accepted': {
    log: { level: 'info', text: 'API key accepted again' },
    notification: { severity: 'info', topic: () => 'key', text: () => 'The API key is accepted again' },
  },
  'service-unavailable': {
    log: {
      level: 'warn',
      text: 'service cannot be reached, waiting longer between passes',
      fields: ({ message }) => ({ problem: message }),
    },
    notification: {
      severity: 'warning',
      topic: () => 'service',
      text: ({ message }) => `The service cannot be reached: ${message}`,
      fields: ({ message }) => ({ message }),
    },
  },
  'service-available': {
    log: { level: 'info', text: 'service answers again' },
    notification: { severity: 'info', topic: () => 'service', text: () => 'The service answers again' },
  },
  'count-off': {
    log: {
      level: 'warn',
      text: "the service's count of a project and the ledger do not agree",
      fields: reconciliationFields,
    },
    notification: {
      severity: 'warning',
      ...ABOUT_COUNT,
      text: ({ projectId }) => `The service's count of project ${projectId} and the ledger do not agree`,
    },
  },
  'count-agrees': {
    log: {
      level: 'info',
      text: "the service's count of a project and the ledger agree again",
      fields: reconciliationFields,
    },
    notification: {
      severity: 'info',
      ...ABOUT_COUNT,
      text: ({ projectId }) => `The service's count of project ${projectId} and the ledger agree again`,
    },
  },
  problem: {
    log: {
      level: 'warn',
      text: 'part of the account could not be seen',
      fields: ({ where, message }) => ({ where, problem: message }),
    },
    notification: {
      severity: 'warning',
      topic: ({ where, message }) => `problem/${where}/${message}`,
      text: ({ where, message }) => `Part of the account could not be seen: ${where}: ${message}`,
      fields: ({ where, message }) => ({ where, message }),
    },
  },
  'delivery-failed': {
    log: {
      level: 'warn',
      text: 'a message could not be delivered and is given up',
      fields: ({ sink, what, because }) => ({ sink, what, problem: because }),
    },
    notification: {
      severity: 'warning',
      topic: ({ sink }) => `delivery/${sink}`,
      subject: ({ sink }) => ({ kind: 'receiver', sink }),
      text: ({ sink, what, because }) => `${what} could not be delivered to ${sink}: ${because}`,
      fields: ({ sink, what, because }) => ({ sink, what, because }),
    },
  },
  ...CHANGE_EVENT_KINDS,
  ...HOLD_EVENT_KINDS,
} as const satisfies { readonly [Kind in EventKind]: KindRow<Kind> }

type NotifiableKind = {
  [Kind in EventKind]: (typeof EVENT_KINDS)[Kind] extends { readonly notification: object } ? Kind : never
}[EventKind]
export type NotifiableEvent = EventOf<NotifiableKind>

const isNotifiableKind = (kind: EventKind): kind is NotifiableKind => 'notification' in EVENT_KINDS[kind]
export const isNotifiable = (event: Event): event is NotifiableEvent => isNotifiableKind(event.kind)
export const NOTIFIABLE_KINDS = (Object.keys(EVENT_KINDS) as EventKind[]).filter(isNotifiableKind)

const LOG_ROWS: { readonly [Kind in EventKind]: { readonly log: LogRow<Kind> } } = EVENT_KINDS
const NOTIFICATION_ROWS: {
  readonly [Kind in NotifiableKind]: { readonly notification: NotificationRow<Kind> }
} = EVENT_KINDS

export const logRowOf = <Kind extends EventKind>(event: EventOf<Kind>): LogRow<Kind> =>
  LOG_ROWS[event.kind].log

export const notificationOf = <Kind extends NotifiableKind>(event: EventOf<Kind>): NotificationRow<Kind> =>
  NOTIFICATION_ROWS[event.kind].notification

export const subjectOf = <Kind extends NotifiableKind>(event: EventOf<Kind>): EventSubject =>
  notificationOf(event).subject?.(event) ?? { kind: 'account' }

export const eventText = <Kind extends NotifiableKind>(event: EventOf<Kind>): string =>
  notificationOf(event).text(event)

export const eventTextWithoutNames = <Kind extends NotifiableKind>(event: EventOf<Kind>): string =>
  notificationOf(event).textWithoutNames?.(event) ?? eventText(event)
