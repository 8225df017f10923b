// What makes the rules and the routing hasty changes nothing else of them.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { shortenRouting, shortenRules } from '../../../src/cli/demo/monitoring/monitoring.ts'

const text = (name: string): string =>
  readFileSync(join(import.meta.dirname, '../../../dashboards', name), 'utf8')

type Rule = Readonly<Record<string, unknown>>
const rulesOf = (yaml: string): readonly Rule[] =>
  (parse(yaml) as { groups: readonly { rules: readonly Rule[] }[] }).groups.flatMap(({ rules }) => rules)

/** With every waiting time that there is a second long. */
const hastened = (rule: Rule): Rule => ({
  ...rule,
  ...('for' in rule && { for: '1s' }),
  ...('keep_firing_for' in rule && { keep_firing_for: '1s' }),
})

test('hasty rules differ from ours in how long they wait, and in nothing else', () => {
  const rules = rulesOf(text('alerts.yaml'))
  expect(rules.filter((rule) => 'for' in rule).length).toBeGreaterThan(15)
  expect(rules.filter((rule) => 'keep_firing_for' in rule).length).toBeGreaterThan(0)
  expect(rulesOf(shortenRules(text('alerts.yaml')))).toEqual(rules.map(hastened))
})

type Routing = {
  readonly route: Readonly<Record<string, unknown>>
  readonly receivers: readonly { readonly name: string; readonly webhook_configs?: readonly unknown[] }[]
  readonly inhibit_rules: readonly unknown[]
}

test('a hasty routing is the example, with receivers that can be reached', () => {
  const example = parse(text('alertmanager.example.yml')) as Routing
  const tokenFile = '/tmp/a folder: {odd}, "named"/token'
  const routing = parse(
    shortenRouting(text('alertmanager.example.yml'), { url: 'http://127.0.0.1:1', tokenFile }),
  ) as Routing
  expect(routing.route).toEqual({ ...example.route, group_wait: '1s', group_interval: '1s' })
  expect(routing.inhibit_rules).toEqual(example.inhibit_rules)
  expect(routing.receivers).toEqual(
    example.receivers.map(({ name }) => ({
      name,
      webhook_configs: [
        {
          url: `http://127.0.0.1:1/${name.replace('-', '/')}`,
          http_config: { authorization: { credentials_file: tokenFile } },
        },
      ],
    })),
  )
})

test('files that are no longer what was expected are told, not passed on as they are', () => {
  expect(() => shortenRules('groups: []\n')).toThrow('there is nothing like')
  expect(() => shortenRouting('route: {}\n', { url: 'http://a', tokenFile: '/b' })).toThrow('nobody')
})
