// Whatever stands at a key of a configuration, its problems are told: a reload must not end the daemon.
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { configJsonSchema } from '../../src/config/json-schema.ts'
import { parseWithSchema } from '../../src/config/problems.ts'
import { configSchema } from '../../src/config/schema.ts'
import { bySize } from '../support/tiers.ts'

const EVERY_SECTION: unknown = parse(`
mode: apply
timezone: Europe/Berlin
accounts:
  - { name: main, base_url: 'https://example.com/api/v2', api_key_file: key, plan: launch, projects: [a], dsn: 'postgresql://d@{host}/app', cu_hour: 0.1 }
calendars: { holidays: { dates: ['2026-12-25'] } }
windows:
  office: Mon-Fri 08:00-19:00
  night: { days: Mon-Fri, from: '22:00', to: '06:00', except: [holidays] }
  both: [{ cron: 0 3 * * WED#2, duration: 2h, zone: America/New_York }, { from: '2026-12-20T00:00', to: '2026-12-31T00:00' }]
budgets:
  - { name: a, scope: { project: preview-* }, limit: 200 USD, mode: hard, exempt: [{ compute: ep-x }], anchor: 3 }
  - { name: b, limit: 5 cu_hours, per: window, in: office }
owners: [{ match: { project: 'shop-*' }, team: payments, tier: prod, channel: '#p', cost_centre: '1' }]
policies:
  - match: { project: shop-* }
    autosuspend: { floor: 10m, ceiling: 1h, wake_cost: { money: 0.01 }, schedule: [{ in: office, delay: never }] }
    sizing: { min: 1, max: 4, never_down: true, hit_ratio: 0.9 }
    recommend: [sizing]
    levers: [delay]
    restart: { when: [window], windows: [night], deny: [office], close_early: 1m }
notifications:
  - { name: ops, type: slack, url_file: key }
  - { name: mail, type: smtp, host: h, from: a@b.c, to: [a@b.c], user: u, password_file: key }
report: { sinks: [{ name: f, type: file, path: './{slot}.md', keep: 3 }], redact: [names] }
server: { tokens: { ann: { sha256: '${'a'.repeat(64)}', scope: operate } }, names: [x.y] }
service: { plan_limits: { launch: { delays: { from: 60s, to: 7d } } } }
changes: { freeze: [office], kill_switch_file: k }
reading: { hosts: [example.com], authentication: [md5], service_users: [a] }
brakes: { fleet_share: 0.5 }
`)

const ANYTHING = [[], {}, [[]], [{}], [null], { a: { b: 1 } }, 'a text', '', -1, 0.5, 1e308, true, '1s']

type Path = readonly (string | number)[]

const pathsIn = (value: unknown, path: Path = []): Path[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, inner]) => {
        const at = [...path, Array.isArray(value) ? Number(key) : key]
        return [at, ...pathsIn(inner, at)]
      })
    : []

function withValueAt(path: Path, value: unknown): unknown {
  const changed = structuredClone(EVERY_SECTION)
  const parent = path.slice(0, -1).reduce<unknown>((outer, key) => Reflect.get(Object(outer), key), changed)
  Reflect.set(Object(parent), path.at(-1) ?? '', value)
  return changed
}

const OF_THE_LIBRARY = /Invalid|Too (?:small|big)|: expected (?:record|string|array|object)$/

const jsonSchema = configJsonSchema()
const problemsOf = (value: unknown): readonly string[] => {
  const result = parseWithSchema(configSchema, value, () => jsonSchema)
  return result.ok ? [] : result.error
}

test('anything at any key is understood or is a problem with a path and an expectation', () => {
  expect(problemsOf(EVERY_SECTION)).toEqual([])
  const paths = pathsIn(EVERY_SECTION)
  expect(paths.length).toBeGreaterThan(120)
  const all = paths.flatMap((path) => ANYTHING.map((value) => withValueAt(path, value)))
  // neither step has a common factor with the number of values, so that each value is tried at many keys
  const unclear = all
    .filter((_, index) => index % bySize(2, 5) === 0)
    .flatMap(problemsOf)
    .filter((problem) => !/^[a-z][\w[\].]*: /.test(problem) || OF_THE_LIBRARY.test(problem))
  expect(unclear).toEqual([])
})
