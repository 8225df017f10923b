// All rules, and the rule file of Prometheus as data.
import { BUDGET_RULES } from './budgets.ts'
import { ANY_KIND } from './changes.ts'
import { COMPUTE_RULES } from './computes.ts'
import { DAEMON_RULES } from './daemon.ts'
import { COMPUTE_OWNER, PROJECT_OWNER } from './recording.ts'
import { CHANGE_KINDS, type ChangeKind } from '../../src/model/policy/change.ts'
import { type Duration, type RuleGroup, type AlertRule, type AlertSeverity } from './rule.ts'

export const RULE_GROUPS: readonly RuleGroup[] = [COMPUTE_RULES, BUDGET_RULES, DAEMON_RULES]

/** Prefix of every alert name: it sets them apart from other rules in the same Prometheus. */
const ALERT_PREFIX = 'Dormouse'

export const alertName = ({ name }: AlertRule): string => ALERT_PREFIX + name

/** Relative to the root of the repository. */
export const runbookOf = (rule: AlertRule): string => `dashboards/runbooks/${alertName(rule)}.md`

/**
 * The condition joined with the owner's labels. The owner is the "many" side: where two replicas name different owners, each gets an
 * alert, while the join the other way round would fail and with it every alert of the rule.
 */
export const alertExpr = (rule: AlertRule): string =>
  rule.ofFleet === undefined ? ownedExpr(rule) : `${ownedExpr(rule)} or ${rule.ofFleet}`

function ownedExpr({ about, core }: AlertRule): string {
  switch (about) {
    case 'compute':
      return `${COMPUTE_OWNER.record} * on (project_id, endpoint_id) group_left () (${core})`
    case 'change':
      return CHANGE_KINDS.map((kind) => ofKind(kind, core)).join(' or ')
    case 'project':
      return `${PROJECT_OWNER.record} * on (project_id) group_left () (${core})`
    case 'budget':
    case 'daemon':
      return core
  }
}

/** Owners and kinds are both "many", which no join allows: each kind has its own. */
const ofKind = (kind: ChangeKind, core: string) =>
  `label_replace(${ownerOf(kind)} group_left () (${core.replaceAll(ANY_KIND, kind)}), "kind", "${kind}", "", "")`

/** Changes of defaults are those of a project. Its owner is recorded in another group, which may be evaluated later. */
const ownerOf = (kind: ChangeKind): string =>
  kind === 'defaults'
    ? `${PROJECT_OWNER.expr} * on (project_id)`
    : `${COMPUTE_OWNER.record} * on (project_id, endpoint_id)`

/** The format of Prometheus. */
export type RuleFile = {
  readonly groups: readonly { readonly name: string; readonly rules: readonly (AlertEntry | RecordEntry)[] }[]
}
type RecordEntry = { readonly record: string; readonly expr: string }
type AlertEntry = {
  readonly alert: string
  readonly expr: string
  readonly for?: Duration
  readonly keep_firing_for?: Duration
  readonly labels: { readonly severity: AlertSeverity }
  readonly annotations: {
    readonly summary: string
    readonly description: string
    readonly runbook_url: string
  }
}

export const ruleFile = (groups: readonly RuleGroup[]): RuleFile => ({
  groups: groups.map(({ name, recordings, rules }) => ({
    name,
    rules: [...recordings, ...rules.map(alertEntry)],
  })),
})

const alertEntry = (rule: AlertRule): AlertEntry => ({
  alert: alertName(rule),
  expr: alertExpr(rule),
  ...(rule.for && { for: rule.for }),
  ...(rule.keepFiringFor && { keep_firing_for: rule.keepFiringFor }),
  labels: { severity: rule.severity },
  annotations: { summary: rule.summary, description: rule.description, runbook_url: runbookOf(rule) },
})
