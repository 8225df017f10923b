import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { alertName, RULE_GROUPS } from '../../../dashboards/rules/rules.ts'
import { testWith } from '../../support/tiers.ts'

const FILE = join(import.meta.dirname, '../../../dashboards/alertmanager.example.yml')
const RULES = RULE_GROUPS.flatMap(({ rules }) => rules)

type Inhibition = {
  readonly source_matchers: readonly string[]
  readonly target_matchers: readonly string[]
  readonly equal?: readonly string[]
}
const { inhibit_rules: inhibitions } = parse(readFileSync(FILE, 'utf8')) as {
  inhibit_rules: readonly Inhibition[]
}

const amtool = (...words: readonly string[]) => spawnSync('amtool', words, { encoding: 'utf8' })

testWith('amtool')('amtool finds nothing wrong with the routing', () => {
  const { status, stdout } = amtool('check-config', FILE)
  expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining('SUCCESS') as string })
})

testWith('amtool').each([
  ['payments', 'critical', 'payments-oncall'],
  ['payments', 'warning', 'payments-channel'],
  ['payments', 'info', 'nobody'],
  ['search', 'critical', 'search-oncall'],
  ['search', 'warning', 'search-channel'],
  ['search', 'info', 'nobody'],
  ['a team that has no route', 'critical', 'platform-oncall'],
  ['a team that has no route', 'warning', 'platform-channel'],
  ['', 'critical', 'platform-oncall'],
  ['', 'warning', 'platform-channel'],
  ['', 'info', 'nobody'],
])('of team %j, what is %s goes to %s', (team, severity, receiver) => {
  const { stdout } = amtool(
    'config',
    'routes',
    'test',
    `--config.file=${FILE}`,
    `team=${team}`,
    `severity=${severity}`,
  )
  expect(stdout.trim()).toBe(receiver)
})

test('inhibition rules name existing alerts', () => {
  const matchers = inhibitions.flatMap((one) => [...one.source_matchers, ...one.target_matchers])
  const patterns = matchers.flatMap((text) => /^alertname=~?"(.+)"$/.exec(text)?.[1] ?? [])
  // every alternative on its own, so that none of them names nothing
  const named = patterns.flatMap((text) => {
    const [, before = text, among = '', after = ''] = /^(.*)\((.+)\)(.*)$/.exec(text) ?? []
    return among.split('|').map((word) => new RegExp(`^${before}${word}${after}$`))
  })
  expect(named.length).toBeGreaterThan(0)
  expect(named.filter((name) => !RULES.some((rule) => name.test(alertName(rule))))).toEqual([])
})

test('an alert inhibits only alerts of the same compute or budget', () => {
  const wide = inhibitions.filter(
    ({ source_matchers: source }) => !source.some((text) => /"Dormouse(Down|ApiKeyRejected)"/.test(text)),
  )
  for (const { equal = [] } of wide)
    expect(equal.includes('budget') || equal.includes('endpoint_id')).toBe(true)
})

test('a refused key of one daemon does not hide that another is late', () => {
  const ofLate = inhibitions.filter(
    ({ source_matchers: source, target_matchers: target }) =>
      source.some((text) => text.includes('ApiKeyRejected')) && target.some((text) => text.includes('Stale')),
  )
  expect(ofLate.map(({ equal }) => equal)).toEqual([['instance']])
})
