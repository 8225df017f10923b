// A compute that Terraform manages, on real Postgres: the text of its recommendation is applied by the test, and nobody else changes it.
import { expect, test } from 'vitest'
import type { RecommendationJson, RecommendationsJson } from '../../src/outputs/text/recommendation-schema.ts'
import { bursts, stage } from './change-stage.ts'
import { command } from './change-support.ts'
import { page, until } from './support.ts'

const LINES = `
mode: apply
advice: { min_history: 5s, min_gaps: 5, min_peaks: 60s, grid: 1s }
brakes: { hold_off: 1s, min_age: 1s }
policies:
  - { levers: [delay, sizing], on_foreign_change: reapply }
  - { match: { project: "over*" }, managed_by: terraform }
`

/** Name and value of each attribute. */
const attributesOf = (patch: string): Readonly<Record<string, number>> =>
  Object.fromEntries(
    [...patch.matchAll(/^ {2}(\w+) += (\S+)$/gm)].map(([, name, value]) => [name, Number(value)]),
  )

test('its recommendation is a text, which counts as implemented once the compute is so, and nothing is sent', async () => {
  const project = { name: 'oversized', cu: 1, suspendTimeoutSeconds: 5 }
  await using world = await stage(project, { lines: LINES })
  const { configFile, apiUrl, sent } = world
  const work = bursts(world.uri)
  const sizingIn = async (state: RecommendationJson['state']) => {
    const { text } = await page(`${apiUrl}/api/v1/recommendations`)
    const { recommendations } = JSON.parse(text) as RecommendationsJson
    return recommendations.find((one) => one.kind === 'sizing' && one.state === state)
  }
  const { id, patch, to, endpoint_id: endpointId } = await until('a recommendation', () => sizingIn('open'))
  expect(patch).toBe(
    [
      `# the resource with id = "${endpointId}", by whatever name`,
      `resource "neon_endpoint" "${endpointId}" {`,
      `  autoscaling_limit_min_cu = ${to.min_cu}`,
      `  autoscaling_limit_max_cu = ${to.max_cu}`,
      '}',
    ].join('\n'),
  )
  const lines = (patch ?? '').split('\n').map((line) => `  ${line}`)
  const explained = await command(configFile, 'explain', endpointId ?? '')
  expect(explained.out).toMatch(
    /policies\[1\] \(line \d+ of the file\), managed by terraform: nothing is changed without a request/,
  )
  expect(explained.out).toContain(lines.join('\n'))
  const listed = await command(configFile, 'recommendations')
  expect(listed.out).toContain(lines.join('\n'))
  expect(listed.out).not.toContain(`approve ${id}`)

  expect(await world.set(attributesOf(patch ?? ''))).toBe(200)
  const implemented = await until('its implementation', () => sizingIn('implemented'))
  expect(implemented.id).toBe(id)
  await work.pause()
  expect(sent).toEqual([])
  expect(world.mutations()).toMatchObject([{ action: 'update' }])
  expect((await command(configFile, 'changes')).out).not.toContain('ch-')
})
