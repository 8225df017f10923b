// Recommendations in a report: what is listed, what is counted, whose they are, and reports from before there were any.
import { describe, expect, test } from 'vitest'
import { REPORT_FORMATS } from '../../../src/model/output/report.ts'
import type { Recommendation } from '../../../src/model/policy/recommendation.ts'
import { instant, seconds } from '../../../src/model/units.ts'
import { parseReport, renderArchivedJson } from '../../../src/outputs/report/formats/json.ts'
import { REPORT_RENDERINGS } from '../../../src/outputs/report/formats/formats.ts'
import { reportSchema, type Report } from '../../../src/outputs/report/schema.ts'
import { refOf } from '../../store/build.ts'
import { amounts, recommendation, sizingRecommendation, withheld } from '../../support/recommendations.ts'
import { FLEETS, inputOf, told, type Fleet } from './fleets.ts'

const DAY = 86_400_000
const WEEK = Date.UTC(2026, 10, 16)
const on = (day: number) => instant(WEEK + day * DAY)

const adviceOf = (fleet: Fleet): NonNullable<Report['recommendations']> => {
  const { recommendations } = told(inputOf(fleet))
  if (!recommendations) throw new Error('no recommendations')
  return recommendations
}
const withOnly = (...recommendations: readonly Recommendation[]) =>
  adviceOf({ ...FLEETS.quiet, recommendations })
const markdown = (report: Report): string => REPORT_RENDERINGS.markdown.render(report).join('')

describe('listed', () => {
  test('are open ones over the minimum, the largest saving first, then what costs more', () => {
    const { listed, open, below, left } = adviceOf(FLEETS.busy)
    expect(listed.map(({ id }) => id)).toEqual([
      'ep-shop-main.sizing.2',
      'ep-always-on.delay.2',
      'ep-dearer.sizing.2',
    ])
    expect([open, below, left]).toEqual([4, 1, 0])
  })

  test('are 100 at most; the others are counted', () => {
    const many = Array.from({ length: 130 }, (_, index) =>
      recommendation({
        ref: refOf(`ep-${index}`),
        id: `ep-${index}.delay.1`,
        saving: amounts(1, 2 + index, 200),
      }),
    )
    const { listed, open, left, saving_micros_per_30_days: saving } = withOnly(...many)
    expect([listed.length, open, left]).toEqual([100, 130, 30])
    expect(listed[0]?.id).toBe('ep-129.delay.1')
    expect(saving.likely).toBe(1e6 * many.reduce((sum, _, index) => sum + 2 + index, 0))
  })

  test('the total of a compute is of all its recommendations applied together, not their sum', () => {
    const half = { spend: amounts(20, 20, 20), saving: amounts(10, 10, 10) }
    expect(withOnly(recommendation(half), sizingRecommendation(half)).saving_micros_per_30_days.likely).toBe(
      15e6,
    )
  })

  test('a recommendation that saves exactly the minimum is listed', () => {
    const [just, less] = [amounts(1, 1, 1), amounts(0.9, 0.999_999, 1)]
    expect(withOnly(recommendation({ saving: just })).below).toBe(0)
    expect(withOnly(recommendation({ saving: less })).below).toBe(1)
  })
})

describe('earlier ones', () => {
  test('are those of four weeks, with what came of them by kind', () => {
    const { earlier } = adviceOf(FLEETS.busy)
    expect(earlier).toMatchObject({ opened: 4, superseded: 1, withdrawn: 0, left: 0 })
    expect(earlier.by_kind).toEqual([
      { kind: 'delay', count: 1, likely_micros: 6_000_000, realised_micros: 5_250_000 },
    ])
    expect(earlier.listed.map(({ id, state }) => [id, state])).toEqual([
      ['ep-dearer.delay.1', 'dismissed'],
      ['ep-blog.delay.1', 'implemented'],
    ])
  })

  test('what ended after the week is left to the next report', () => {
    const life = { state: 'withdrawn', at: on(8), because: 'changed' } as const
    const dismissed = { state: 'dismissed', at: on(8), until: undefined, reason: 'no', by: 'ann' } as const
    const { earlier } = withOnly(
      recommendation({ openedAt: on(-1), life }),
      recommendation({ openedAt: on(-1), life: dismissed }),
    )
    expect(earlier).toMatchObject({ opened: 0, withdrawn: 0, listed: [] })
  })

  test('are 50 at most, the last ones', () => {
    const many = Array.from({ length: 60 }, (_, index) =>
      recommendation({
        id: `ep-${index}.delay.1`,
        life: { state: 'implemented', at: instant(on(0) + index), realised: undefined },
      }),
    )
    const { listed, left } = withOnly(...many).earlier
    expect([listed.length, left, listed[0]?.id]).toEqual([50, 10, 'ep-59.delay.1'])
  })
})

test('withheld ones are counted by kind and reason, with the day of the first answer', () => {
  const { withheld: groups } = adviceOf(FLEETS.busy)
  expect(groups.map(({ kind, because, computes, until }) => [kind, because, computes, until])).toEqual([
    ['delay', 'not-followed', 2, '2026-11-24T00:00:00Z'],
    ['pooler', 'fits', 1, null],
  ])
  expect(groups[0]?.examples.map(({ endpoint_id }) => endpoint_id)).toEqual([
    'ep-shop-main',
    'ep-shop-reports',
  ])
  const text = markdown(told(inputOf(FLEETS.busy)))
  expect(text).toContain('| autosuspend delay | activity was not followed for long enough | 2 |')
  // what fits was analysed
  expect(text).not.toContain('| pooler |')
})

test('the report of a team has its recommendations only', () => {
  const report = told(inputOf({ ...FLEETS.busy, plan: { onlyTeam: 'web' } }))
  const { listed, earlier, withheld: groups, open } = report.recommendations ?? adviceOf(FLEETS.quiet)
  expect(listed.map(({ endpoint_id }) => endpoint_id)).toEqual(['ep-dearer'])
  expect([open, earlier.listed.length, groups]).toEqual([2, 2, []])
  for (const format of REPORT_FORMATS)
    expect(REPORT_RENDERINGS[format].render(report).join('')).not.toContain('ep-shop-main')
})

test('what costs more says so first', () => {
  const text = markdown(told(inputOf(FLEETS.busy)))
  expect(text).toContain('blog / ep-dearer: costs 2.50 USD more in 30 days')
  expect(text).toContain('| costs 2.50 USD more |')
})

test('redaction leaves out the client of a recommendation', () => {
  const culprit = { cause: 'keep-alive', application: 'quux', user: 'quux', database: 'quux' } as const
  const detail = { kind: 'awake-for-nothing', culprit, period: seconds(60), fix: 'move-job' } as const
  const one = recommendation({ kind: 'awake-for-nothing', to: {}, detail })
  const shown = told(inputOf({ ...FLEETS.quiet, recommendations: [one] }))
  const hidden = told(inputOf({ ...FLEETS.quiet, recommendations: [one], plan: { redact: ['clients'] } }))
  expect(JSON.stringify(shown)).toContain('quux')
  expect(JSON.stringify(hidden)).not.toContain('quux')
})

describe('reports from before there were recommendations', () => {
  const { recommendations: _, ...old } = told(inputOf(FLEETS.busy))
  const stored = parseReport(renderArchivedJson(old))

  test.each(REPORT_FORMATS)('are rendered as %s', (format) => {
    const text = REPORT_RENDERINGS[format].render(stored).join('')
    expect(text).not.toMatch(/undefined|NaN/)
    expect(text).not.toMatch(/id="recommendations"|## Recommendations|^Recommendations$/m)
  })

  test('fit the published schema', () => {
    expect(reportSchema.safeParse(stored).error).toBeUndefined()
  })
})

test('a report of an old week says that they are not known', () => {
  const { recommendations: _, ...fleet } = FLEETS.busy
  const report = told(inputOf(fleet))
  expect(report.recommendations).toBeNull()
  expect(markdown(report)).toContain('Not known: they are only in reports of this week and the last one.')
})

test('each withheld group keeps three examples', () => {
  const rows = Array.from({ length: 5 }, (_, index) => ({
    ref: refOf(`ep-${index}`),
    withheld: [withheld()],
  }))
  const [group] = adviceOf({ ...FLEETS.quiet, withheld: rows }).withheld
  expect([group?.computes, group?.examples.length]).toEqual([5, 3])
})
