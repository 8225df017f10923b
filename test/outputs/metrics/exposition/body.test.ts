import { expect, test } from 'vitest'
import { filterFamilies, type RenderedFamily } from '../../../../src/outputs/metrics/exposition/body.ts'
import { bodyText } from '../../../support/exposed.ts'

const part = (name: string, ...lines: readonly string[]): RenderedFamily => ({
  name,
  help: 'says "what" \\ it is',
  type: name.endsWith('_total') ? 'counter' : 'gauge',
  blocks: lines.map((line) => Buffer.from(`${line}\n`)),
})

const wakes = part(
  'dormouse_wakes_total',
  'dormouse_wakes_total{project_id="a",endpoint_id="e"} 1\ndormouse_wakes_total{project_id="ab",endpoint_id="e"} 2',
  'dormouse_wakes_total{project_id="a",endpoint_id="f"} 3',
)
const age = part('dormouse_age_seconds', 'dormouse_age_seconds 5')

test('the two formats differ before the samples and at the end', () => {
  expect(bodyText([wakes, age], 'text')).toBe(`# HELP dormouse_wakes_total says "what" \\\\ it is
# TYPE dormouse_wakes_total counter
dormouse_wakes_total{project_id="a",endpoint_id="e"} 1
dormouse_wakes_total{project_id="ab",endpoint_id="e"} 2
dormouse_wakes_total{project_id="a",endpoint_id="f"} 3
# HELP dormouse_age_seconds says "what" \\\\ it is
# TYPE dormouse_age_seconds gauge
dormouse_age_seconds 5
`)
  expect(bodyText([wakes, age], 'openmetrics')).toBe(`# HELP dormouse_wakes says \\"what\\" \\\\ it is
# TYPE dormouse_wakes counter
dormouse_wakes_total{project_id="a",endpoint_id="e"} 1
dormouse_wakes_total{project_id="ab",endpoint_id="e"} 2
dormouse_wakes_total{project_id="a",endpoint_id="f"} 3
# HELP dormouse_age_seconds says \\"what\\" \\\\ it is
# TYPE dormouse_age_seconds gauge
# UNIT dormouse_age_seconds seconds
dormouse_age_seconds 5
# EOF
`)
})

const shown = (names: readonly string[], projectId?: string): string[] =>
  bodyText(filterFamilies([wakes, age], { names, projectId }))
    .split('\n')
    .filter((line) => line.includes(' ') && !line.startsWith('#'))

test.each([
  ['all', shown([]).length, 4],
  ['by name', shown(['dormouse_age_seconds']), ['dormouse_age_seconds 5']],
  ['by a name that is not there', shown(['age']), []],
  [
    'by project',
    shown([], 'a'),
    [
      'dormouse_wakes_total{project_id="a",endpoint_id="e"} 1',
      'dormouse_wakes_total{project_id="a",endpoint_id="f"} 3',
    ],
  ],
  ['by a project that is not there', shown([], '"'), []],
])('%s', (_, found, expected) => {
  expect(found).toEqual(expected)
})
