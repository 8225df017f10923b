import { expect, test } from 'vitest'
import { CATALOGUE, PREFIX, type FamilyKey } from '../../../src/outputs/metrics/catalogue.ts'
import type { AlertRule, RuleGroup } from '../../../dashboards/rules/rule.ts'
import { alertExpr, RULE_GROUPS, ruleFile } from '../../../dashboards/rules/rules.ts'
import { longTest, splitCases, testWith } from '../../support/tiers.ts'
import { API_CASES } from './cases-api.ts'
import { AWAKE_CASES } from './cases-awake.ts'
import { BUDGET_CASES } from './cases-budgets.ts'
import { CHANGE_CASES } from './cases-changes.ts'
import { INSIDE_CASES } from './cases-inside.ts'
import { BURN_CASES } from './cases-burn.ts'
import { DAEMON_CASES } from './cases-daemon.ts'
import type { Case } from './case.ts'
import { WAKE_CASES } from './cases-wakes.ts'
import { judge, promtool, type Judged, type Trial } from './promtool.ts'

const RULES = RULE_GROUPS.flatMap(({ rules }) => rules)
const CASES = [
  ...AWAKE_CASES,
  ...INSIDE_CASES,
  ...BUDGET_CASES,
  ...BURN_CASES,
  ...API_CASES,
  ...DAEMON_CASES,
  ...WAKE_CASES,
  ...CHANGE_CASES,
]
const NAMES = [...new Set(RULES.map(({ name }) => name))]

const casesOf = (rule: Pick<AlertRule, 'name'>): readonly Case[] =>
  CASES.filter(({ alert }) => alert === rule.name)

/** One trial for each name of its rules. */
const trialsOf = (group: RuleGroup): readonly Trial[] =>
  [...new Set(group.rules.map(({ name }) => name))].map((name) => ({
    group: { ...group, rules: group.rules.filter((rule) => rule.name === name) },
    cases: casesOf({ name }),
  }))

test('every metric is in the catalogue with basic detail, and every recorded one is recorded before its use', () => {
  const shown = Object.entries(CATALOGUE)
    .filter(([, { basic, owner, each }]) => basic || owner === 'self' || each === 0)
    .map(([name]) => PREFIX + name)
  const recorded = RULE_GROUPS.flatMap(({ recordings }) => recordings.map(({ record }) => record))
  for (const { recordings, rules } of RULE_GROUPS) {
    const here = recordings.map(({ record }) => record)
    const exprs = [...recordings.map(({ expr }) => expr), ...rules.map(alertExpr)]
    const named = exprs.flatMap((expr) => expr.match(/\bdormouse[_:][\w:]+/g) ?? [])
    expect(named.filter((name) => !shown.includes(name) && !here.includes(name))).toEqual([])
  }
  expect(new Set(recorded).size).toBe(recorded.length)
})

test('every rule has a case in which it fires and one in which it does not', () => {
  for (const rule of RULES) {
    const checks = casesOf(rule).map((one) =>
      one.checks.flatMap(([, fires]) => fires.filter((firing) => firing.severity === rule.severity)),
    )
    expect([rule.name, rule.severity, checks.some((fires) => fires.length > 0)]).toEqual([
      rule.name,
      rule.severity,
      true,
    ])
    expect([
      rule.name,
      rule.severity,
      casesOf(rule).some(({ checks: all }) => all.some(([, fires]) => fires.length === 0)),
    ]).toEqual([rule.name, rule.severity, true])
  }
  expect(CASES.filter(({ alert }) => !NAMES.includes(alert))).toEqual([])
})

const withProm = testWith('promtool')

withProm('promtool finds nothing to say about the file', () => {
  const words = ['check', 'rules', '--lint=all', '--lint-fatal', 'rules.yaml']
  const { ok, said } = promtool(words, { 'rules.yaml': ruleFile(RULE_GROUPS) })
  expect({ ok, said }).toEqual({ ok: true, said: expect.stringContaining('SUCCESS') as string })
})

const expectExpectedAlerts = (group: (typeof RULE_GROUPS)[number]): void =>
  expect(failuresIn(judge(trialsOf(group)))).toBe('')
const [shortGroups, otherGroups] = splitCases(RULE_GROUPS.toReversed(), RULE_GROUPS.length)
withProm.each(shortGroups)('$name: every case gives the expected alerts', expectExpectedAlerts)
longTest.each(otherGroups)('$name: every case gives the expected alerts', expectExpectedAlerts)

/** Output of promtool for a failing case. */
const failuresIn = ({ ok, said }: Judged): string => (ok ? '' : said)

const TURNED: Readonly<Record<string, string>> = { '>': '<', '<': '>', '>=': '<', '==': '!=' }

/** Mutants of a rule: one comparison reversed, or no `for`. */
function mutants(rule: AlertRule): readonly (readonly [what: string, mutant: AlertRule])[] {
  const turned = (['core', 'ofFleet'] as const).flatMap((part) => {
    const expr = rule[part] ?? ''
    return [...expr.matchAll(/ (>=|==|>|<) /g)].map(({ 0: found, 1: sign = '', index }) => {
      const other = `${expr.slice(0, index)} ${TURNED[sign] ?? ''} ${expr.slice(index + found.length)}`
      return [`${rule.severity}: ${sign} turned at ${index} of ${part}`, { ...rule, [part]: other }] as const
    })
  })
  const { for: wait, ...rest } = rule
  return wait ? [...turned, [`${rule.severity}: no wait`, rest]] : turned
}

/** Each mutant under its own name, beside the unchanged rules that share the name of the original. */
const bred = (name: string): readonly { what: string; name: string; rules: readonly AlertRule[] }[] => {
  const rules = RULES.filter((rule) => rule.name === name)
  return rules
    .flatMap((rule) => mutants(rule).map(([what, mutant]) => ({ rule, what, mutant })))
    .map(({ rule, what, mutant }, at) => {
      const own = `${name}Mutant${at}`
      const renamed = rules.map((one) => ({ ...(one === rule ? mutant : one), name: own }))
      return { what, name: own, rules: renamed }
    })
}

function expectMutantsCaught(name: string): void {
  const tried = bred(name)
  expect(tried.length).toBeGreaterThan(0)
  const rules = tried.flatMap((one) => one.rules)
  const recordings = RULE_GROUPS.flatMap((group) => group.recordings)
  const named = tried.map((one) => one.name)
  const { said } = judge([{ group: { name, recordings, rules }, cases: casesOf({ name }), named }])
  const caught = new Set([...said.matchAll(/alertname: ?Dormouse(\w+)/g)].map(([, found]) => found))
  expect(tried.filter((one) => !caught.has(one.name)).map(({ what }) => what)).toEqual([])
}
const [shortNames, otherNames] = splitCases(NAMES, 12)
withProm.each(shortNames)('%s with any mutation fails a case', expectMutantsCaught)
longTest.each(otherNames)('%s with any mutation fails a case', expectMutantsCaught)

test('cases use only metrics of the rules', () => {
  const used = new Set(
    CASES.flatMap(({ series }) => series.map((one) => one.series.slice(0, one.series.indexOf('{')))),
  )
  const inRules = JSON.stringify(ruleFile(RULE_GROUPS))
  const keys = Object.keys(CATALOGUE) as FamilyKey[]
  expect(keys.map((key) => PREFIX + key).filter((name) => inRules.includes(name) && !used.has(name))).toEqual(
    [],
  )
})
