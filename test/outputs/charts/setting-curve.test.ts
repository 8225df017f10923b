import { expect, test } from 'vitest'
import { curvePoints, settingCurve } from '../../../src/outputs/charts/setting-curve.ts'
import { cu, seconds } from '../../../src/model/units.ts'
import { recommendationJson } from '../../../src/outputs/text/recommendation-json.ts'
import { recommendation, recommendationContext } from '../../support/recommendations.ts'

const json = (over: Parameters<typeof recommendation>[0] = {}) =>
  recommendationJson(recommendation(over), recommendationContext())

test('each setting once, from the shortest delay to none', () => {
  const points = curvePoints(json())
  expect(
    points.map(({ setting, money, wakes, role }) => [setting.delay_seconds, money / 1e6, wakes, role]),
  ).toEqual([
    [60, 6.08, 9, 'other'],
    [300, 6.83, 4.5, 'recommended'],
    [600, 8.08, 4.2, 'other'],
    [3600, 12.08, 3, 'other'],
    [86_400, 18.58, 0.2, 'other'],
    ['never', 19.08, 0, 'now'],
  ])
})

test('a chart with a text and a table; nothing where nothing is compared', () => {
  const text = settingCurve(json(), 'USD')?.text ?? ''
  expect(text).toContain(
    '300 s (recommended): 6.83 USD, 4.5 wakes a day; 600 s: 8.08 USD'.replaceAll(
      /(\d) (s|USD)/g,
      '$1\u00A0$2',
    ),
  )
  expect(text.match(/<tr /g)).toHaveLength(7)
  expect(text.length).toBeLessThan(4000)
  expect(settingCurve(json({ alternatives: [] }), 'USD')).toBeUndefined()
})

test('the chart of defaults has the delays of the recommended size; the table has all settings', () => {
  const { alternatives } = recommendation()
  const sizing = { min: cu(0.25), max: cu(2) }
  const one = json({
    kind: 'defaults',
    from: { delay: 'never', sizing: { fixed: cu(2) } },
    to: { delay: seconds(300), sizing },
    alternatives: [
      ...alternatives.map((other) => ({ ...other, to: { ...other.to, sizing } })),
      ...alternatives.slice(0, 1).flatMap((other) => [
        { ...other, to: { delay: seconds(300) } },
        { ...other, to: { delay: seconds(300), sizing: { min: cu(1), max: cu(2) } } },
      ]),
    ],
  })
  const text = settingCurve(one, 'USD')?.text ?? ''
  const [chart = ''] = text.match(/<title>.*<\/title>/) ?? []
  expect(chart.match(/wakes a day/g)).toHaveLength(6)
  expect(chart).not.toContain('1–2')
  expect(text.match(/<tr /g)).toHaveLength(9)
})
