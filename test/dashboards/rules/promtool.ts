// Runs `promtool` over temporary files.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { ruleFile, runbookOf } from '../../../dashboards/rules/rules.ts'
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

/** Whether the rules of `groups` give the expected alerts in every case; `named` replaces the alert of each case. */
export function judge(
  groups: readonly RuleGroup[],
  cases: readonly Case[],
  named?: readonly string[],
): Judged {
  const rules = groups.flatMap((group) => group.rules)
  const tests = STEPS.map((step) => ({
    name: `cases-${step}.yaml`,
    content: {
      rule_files: ['rules.yaml'],
      evaluation_interval: step,
      tests: cases.filter((one) => one.step === step).map((one) => testOf(one, rules, named ?? [one.alert])),
    },
  }))
  return promtool(['test', 'rules', ...tests.map(({ name }) => name)], {
    'rules.yaml': ruleFile(groups),
    ...Object.fromEntries(tests.map(({ name, content }) => [name, content])),
  })
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
