// Words for what keeps a compute awake, the same in explanations, on pages, in recommendations and in reports.
import type { AwakeCause } from '../../model/ledger/evidence.ts'

const CAUSE_TEXTS = {
  clients: 'clients',
  other: 'others',
  'idle-in-transaction': 'a transaction left open',
  'keep-alive': 'queries that only keep a connection open',
  replication: 'replication',
  subscription: 'a subscription to another database',
  autovacuum: 'autovacuum',
  'autosuspend-off': 'autosuspend being off',
  'availability-check': "the service's own check",
} satisfies Record<AwakeCause, string>

/** Completes `held awake by …`. A cause of another version keeps its id. */
export const causeText = (cause: string): string =>
  (CAUSE_TEXTS as Readonly<Record<string, string>>)[cause] ?? cause

type Client = Readonly<Record<'application' | 'user' | 'database', string | null>>

/** `queries that only keep a connection open (web / app / shop)`; no brackets where no client is named. */
export function culpritText({ cause, application, user, database }: Client & { cause: string }): string {
  const names = [application, user, database].filter(Boolean).join(' / ')
  return `${causeText(cause)}${names && ` (${names})`}`
}
