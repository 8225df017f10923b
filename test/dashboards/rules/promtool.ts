// Runs `promtool` over temporary files.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { alertExpr, ruleFile, runbookOf } from '../../../dashboards/rules/rules.ts'
import type { RuleGroup, AlertRule } from '../../../dashboards/rules/rule.ts'
import type { Case, Firing } from './case.ts'

const STEPS: readonly Case['step'][] = ['1m', '2m', '15m']

export type Judged = { readonly ok: boolean; readonly said: string }

/** Runs `promtool` with `words` in a temporary folder with `files`, name → content. */
export function promtool(words: readonly string[], files: Readonly<Record<string, unknown>>): Judged {
  const folder = mkdtempSync(join(tmpdir(), 'dormouse-promtool-'))
  try {
    for (const [name, content] of Object.entries(files))
      writeFileSync(join(folder, name), stringify(content, { aliasDuplicateObjects: false }))
    const { status, stdout, stderr } = spawnSync('promtool', words, { cwd: folder, encoding: 'utf8' })
    return { ok: status === 0, said: `${stdout}${stderr}` }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export type Trial = {
  readonly group: RuleGroup
  readonly cases: readonly Case[]
  /** Replaces the alert of each case. */
  readonly named?: readonly string[]
}

/** Whether the rules of each trial give the expected alerts in its cases: all by one process, each without the rules of the others. */
export function judge(trials: readonly Trial[]): Judged {
  const rules = trials.map(({ group }, at) => [`rules-${at}.yaml`, ruleFile([withNeeded(group)])] as const)
  const tests = trials.flatMap((trial, at) =>
    STEPS.map((step) => [`cases-${at}-${step}.yaml`, testFile(trial, step, `rules-${at}.yaml`)] as const),
  )
  return promtool(
    ['test', 'rules', ...tests.map(([name]) => name)],
    Object.fromEntries<unknown>([...rules, ...tests]),
  )
}

const testFile = ({ group, cases, named }: Trial, step: Case['step'], rules: string): object => ({
  rule_files: [rules],
  evaluation_interval: step,
  tests: cases
    .filter((one) => one.step === step)
    .map((one) => testOf(one, group.rules, named ?? [one.alert])),
})

/** The group without the recordings that none of its rules needs. */
function withNeeded({ name, recordings, rules }: RuleGroup): RuleGroup {
  const needed = recordings.reduceRight<readonly RuleGroup['recordings'][number][]>(
    (later, one) =>
      [...rules.map(alertExpr), ...later.map(({ expr }) => expr)].some((expr) => expr.includes(one.record))
        ? [one, ...later]
        : later,
    [],
  )
  return { name, recordings: needed, rules }
}

const testOf = (
  { title, alert, step, series, checks }: Case,
  rules: readonly AlertRule[],
  named: readonly string[],
): object => ({
  name: `${alert}: ${title}`,
  interval: step,
  input_series: series,
  alert_rule_test: named.flatMap((name) =>
    checks.map(([at, fires]) => ({
      eval_time: at,
      alertname: `Dormouse${name}`,
      exp_alerts: fires.map((firing) => expected(firing, rules, name)),
    })),
  ),
})

function expected({ severity, labels, summary }: Firing, rules: readonly AlertRule[], alert: string): object {
  const rule = rules.find((one) => one.name === alert && one.severity === severity)
  if (!rule) throw new Error(`there is no rule ${alert} of severity ${severity}`)
  return {
    exp_labels: { severity, ...labels },
    exp_annotations: { summary, description: rule.description, runbook_url: runbookOf(rule) },
  }
}
