import { expect, test } from 'vitest'
import type { Recommendation, Setting } from '../../../src/model/policy/recommendation.ts'
import { cu, seconds } from '../../../src/model/units.ts'
import { adviceCommands, implementationLines } from '../../../src/outputs/text/recommendation-list.ts'
import { recommendationJson } from '../../../src/outputs/text/recommendation-json.ts'
import { terraformPatch } from '../../../src/outputs/text/terraform-patch.ts'
import { recommendation } from '../../support/recommendations.ts'

const patchOf = (to: Setting, fields: Partial<Recommendation> = {}) =>
  terraformPatch(recommendation({ to, ...fields }))?.split('\n')

test.each<[string, Setting, readonly string[]]>([
  ['a delay', { delay: seconds(300) }, ['  suspend_timeout_seconds = 300']],
  ['no autosuspend', { delay: 'never' }, ['  suspend_timeout_seconds = -1']],
  [
    'a range',
    { sizing: { min: cu(0.25), max: cu(2) } },
    ['  autoscaling_limit_min_cu = 0.25', '  autoscaling_limit_max_cu = 2'],
  ],
  [
    'a fixed size and a delay, aligned as terraform fmt does',
    { sizing: { fixed: cu(4) }, delay: seconds(60) },
    ['  autoscaling_limit_min_cu = 4', '  autoscaling_limit_max_cu = 4', '  suspend_timeout_seconds  = 60'],
  ],
  ['the pooler', { poolerEnabled: true }, ['  pooler_enabled = true']],
])('the attributes of %s', (_, to, attributes) => {
  expect(patchOf(to)).toEqual([
    '# the resource with id = "ep-one", by whatever name',
    'resource "neon_endpoint" "ep-one" {',
    ...attributes,
    '}',
  ])
})

test.each<[string, Partial<Recommendation>]>([
  ['a restart', { kind: 'refresh', to: {} }],
  ['a client to change', { kind: 'awake-for-nothing', to: {} }],
])('there are none for %s', (_, fields) => {
  expect(terraformPatch(recommendation(fields))).toBeUndefined()
})

test('those of a project are in the block of its defaults', () => {
  const ref = { account: 'main', projectId: 'project-one' }
  const to = { delay: seconds(60), sizing: { min: cu(0.25), max: cu(2) } }
  expect(patchOf(to, { ref, kind: 'defaults' })).toEqual([
    '# the resource with id = "project-one", by whatever name',
    'resource "neon_project" "project-one" {',
    '  default_endpoint_settings {',
    '    autoscaling_limit_min_cu = 0.25',
    '    autoscaling_limit_max_cu = 2',
    '    suspend_timeout_seconds  = 60',
    '  }',
    '}',
  ])
})

test('an id of the service ends neither the comment nor the name', () => {
  const ref = { account: 'main', projectId: 'p', endpointId: 'ep-"\n}${file("/etc/passwd")}' }
  const lines = patchOf({ delay: seconds(300) }, { ref })
  expect(lines).toHaveLength(4)
  expect(lines?.[0]).toMatch(/^# the resource with id = "ep-[\w-]*", by whatever name$/)
  expect(lines?.[1]).toMatch(/^resource "neon_endpoint" "ep-[\w-]*" \{$/)
})

const CONTEXT = {
  projectName: 'shop',
  computeName: undefined,
  baseUrl: 'https://x/api',
  wakeLatency: undefined,
}

test('where Terraform manages the compute, lists show the text in place of the request and its approval', () => {
  const own = recommendationJson(recommendation(), CONTEXT)
  const managed = recommendationJson(recommendation(), { ...CONTEXT, managedBy: 'terraform' })
  expect([own.patch, implementationLines(own)]).toEqual([null, [own.curl]])
  expect(managed.patch).toBe(patchOf({ delay: seconds(300) })?.join('\n'))
  expect(implementationLines(managed)).toEqual(patchOf({ delay: seconds(300) }))
  expect(adviceCommands(own)).toHaveLength(2)
  expect(adviceCommands(managed)).toEqual(['dormouse dismiss ep-one.delay.1 --reason "…"'])
})
