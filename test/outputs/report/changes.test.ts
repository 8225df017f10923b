// Changes in a report: what ended in its week, what waits, whose they are.
import { describe, expect, test } from 'vitest'
import { createWindow } from '../../../src/calendar/window.ts'
import type { ReportPlan } from '../../../src/model/output/report.ts'
import type { Change } from '../../../src/model/policy/change.ts'
import { NOTHING_SAVED } from '../../../src/model/policy/saved.ts'
import type { PlacedHold } from '../../../src/model/policy/placed-hold.ts'
import { instant } from '../../../src/model/units.ts'
import { REPORT_RENDERINGS } from '../../../src/outputs/report/formats/formats.ts'
import type { ReportChanges } from '../../../src/outputs/report/changes-schema.ts'
import { reportSchema, type Report } from '../../../src/outputs/report/schema.ts'
import { selectChanges, selectStops, summariseChanges } from '../../../src/outputs/report/changes.ts'
import { changeJson } from '../../../src/outputs/text/change-json.ts'
import { refOf } from '../../store/build.ts'
import { changeOf } from '../../support/changes.ts'
import { placedHold } from '../../support/placed-holds.ts'
import { BUSY_CHANGES } from './fleet-changes.ts'
import { FLEETS, inputOf, told, type Fleet } from './fleets.ts'

const DAY = 86_400_000
const WEEK = Date.UTC(2026, 10, 16)
const on = (day: number) => instant(WEEK + day * DAY)

function changesOf(fleet: Fleet): ReportChanges {
  const { changes } = told(inputOf(fleet))
  if (!changes) throw new Error('no changes')
  return changes
}

const markdown = (report: Report): string => REPORT_RENDERINGS.markdown.render(report).join('')

const done = (id: string, day: number): Change =>
  changeOf({
    id,
    state: { at: 'done', because: 'verified', endedAt: on(day), sent: { at: on(day), sessions: 2 } },
  })

const jsonOf = (change: Change) =>
  changeJson(
    change,
    { projectName: 'shop', computeName: 'main', currency: 'USD' },
    { hold: undefined, approvedBy: undefined },
  )

describe('what held changes back', () => {
  const slot = { from: on(0), to: on(7) } as Parameters<typeof selectStops>[2]
  const held = (id: string, fields: Partial<PlacedHold>) =>
    placedHold({ id, placedAt: on(1), until: on(2), ...fields })

  test('are holds that stood in the week, and freezes that were open in it', () => {
    const holds = [
      held('hold-before', { placedAt: on(-2), until: on(0) }),
      held('hold-ended-before', { placedAt: on(-2), ended: { at: on(-1), by: 'bob' } }),
      held('hold-begun-before', { placedAt: on(-2) }),
      held('hold-after', { placedAt: on(7), until: on(8) }),
    ]
    const window = createWindow([
      { kind: 'once', from: on(-1), to: on(0.5) },
      { kind: 'once', from: on(3), to: on(4) },
      { kind: 'once', from: on(8), to: on(9) },
    ])
    const freezes = [
      ['release', window],
      ['gone', undefined],
    ] as const
    const found = selectStops(holds, freezes, slot)
    expect(found.holds.map(({ id }) => id)).toEqual(['hold-begun-before'])
    expect(found.freezes).toEqual([
      { window: 'release', interval: { from: on(-1), to: on(0.5) } },
      { window: 'release', interval: { from: on(3), to: on(4) } },
    ])
  })

  test('is said with who, why and until when; likewise what was taken back, and why', () => {
    const selected = selectChanges(
      [
        done('ch-done', 1),
        changeOf({ id: 'ch-bad', state: { at: 'reverted', because: 'the hit ratio fell', endedAt: on(2) } }),
      ],
      slot,
    )
    const stops = {
      holds: [
        held('hold-one', { match: { project: ['shop'] }, reason: 'the release' }),
        held('hold-two', { by: 'carl', reason: 'tests', ended: { at: on(1.5), by: 'bob' } }),
      ],
      freezes: [{ window: 'year-end', interval: { from: on(3), to: on(4) } }],
    }
    const { plan } = inputOf(FLEETS.quiet)
    const summarised = (redact: ReportPlan['redact']) =>
      summariseChanges({
        selected,
        saved: NOTHING_SAVED,
        stops,
        plan: { ...plan, redact },
        jsonOf,
        isCurrent: true,
      })
    const report = reportSchema.parse({ ...told(inputOf(FLEETS.quiet)), changes: summarised([]) })
    const text = markdown(report).replaceAll('\\', '')
    for (const part of [
      'One was taken back, because readings showed that it did harm.',
      'the hit ratio fell',
      'In this week holds and freezes held changes back.',
      '| project=shop | ann: the release | 2026-11-17 00:00 UTC | 2026-11-18 00:00 UTC |',
      '| everything | carl: tests | 2026-11-17 00:00 UTC | 2026-11-17 12:00 UTC, ended by bob |',
      '| everything | the freeze year-end | 2026-11-19 00:00 UTC | 2026-11-20 00:00 UTC |',
    ])
      expect(text).toContain(part)
    expect(text).not.toContain('beyond the settings before')
    expect(summarised(['names']).holds?.map(({ what }) => what)).toEqual([null, null])
  })
})

describe('changes', () => {
  test('are those that ended in the week, the last first, and open ones, the oldest first', () => {
    const { listed, waiting, ended } = changesOf(FLEETS.busy)
    expect(listed.map(({ id }) => id.slice(-1))).toEqual(['5', '4', '3', '2'])
    expect(waiting?.map(({ id }) => id.slice(-1))).toEqual(['6', '7'])
    expect(ended).toEqual([
      { state: 'done', count: 2 },
      { state: 'expired', count: 1 },
      { state: 'unknown', count: 1 },
    ])
  })

  test('of the first instant of the week are in it, of the first after it are not', () => {
    const changes = [done('ch-first', 0), done('ch-next', 7), done('ch-before', -0.001)]
    expect(changesOf({ ...FLEETS.quiet, changes }).listed.map(({ id }) => id)).toEqual(['ch-first'])
  })

  test('have the sum of sessions that were counted, and the number of requests without a count', () => {
    const { sessions_interrupted: sessions, sessions_uncounted: uncounted } = changesOf(FLEETS.busy)
    expect({ sessions, uncounted }).toEqual({ sessions: 12, uncounted: 1 })
  })

  test('promise what those that are done were recommended for', () => {
    expect(changesOf(FLEETS.busy).promised_micros_per_30_days).toEqual({ low: 3e6, likely: 5.5e6, high: 7e6 })
  })

  test('are 50 of each list at most; the others are counted', () => {
    const ended = Array.from({ length: 60 }, (_, index) => done(`ch-e${index}`, index / 60))
    const open = Array.from({ length: 53 }, (_, index) =>
      changeOf({ id: `ch-o${index}`, ref: refOf(`ep-${index}`) }),
    )
    const report = told(inputOf({ ...FLEETS.quiet, changes: [...ended, ...open] }))
    const { changes } = report
    expect([changes?.listed.length, changes?.waiting?.length, changes?.waiting_left]).toEqual([50, 50, 3])
    expect(changes?.listed[0]?.id).toBe('ch-e59')
    const text = markdown(report)
    for (const part of [
      'In this week 60 changes ended: 60 done. 120 sessions were interrupted.',
      '10 earlier ones are not listed.',
      '53 changes are open, of which the oldest 50 are listed.',
    ])
      expect(text).toContain(part)
  })

  test('of a team are only its own', () => {
    const { listed, waiting } = changesOf({
      ...FLEETS.busy,
      plan: { onlyTeam: 'payments' },
    })
    expect([listed.map(({ id }) => id.slice(-1)), waiting?.map(({ id }) => id.slice(-1))]).toEqual([
      ['3', '2'],
      ['7'],
    ])
  })

  test('have no names where these are left out', () => {
    const { listed, waiting } = changesOf({ ...FLEETS.busy, plan: { redact: ['names'] } })
    const names = [...listed, ...(waiting ?? [])].flatMap(({ project_name, name }) => [project_name, name])
    expect(new Set(names)).toEqual(new Set([null]))
  })
})

describe('the section', () => {
  test('is missing where nothing was asked for, and in reports of earlier versions', () => {
    const { changes: _, ...earlier } = told(inputOf(FLEETS.busy))
    expect(reportSchema.safeParse(earlier).error).toBeUndefined()
    for (const report of [told(inputOf(FLEETS.quiet)), earlier])
      expect(markdown(report)).not.toContain('Changes made')
  })

  test('says what became of each, and what the others wait for', () => {
    const text = markdown(told(inputOf(FLEETS.busy)))
    for (const part of [
      '12 sessions were interrupted, and those of 1 request were not counted. What is done saves 5.50 USD in 30 days (3.00 USD to 7.00 USD) by its recommendations.',
      '| 2 CU → 4 CU | done: verified; sessions interrupted: 12; asked for by alice | – |',
      'sessions interrupted: unknown, nobody counted them',
      'asked for by ann, who approved it | 5.50 USD |',
      'scheduled: another compute of the branch was restarted less than ten minutes ago, since 2026-11-22 23:45 UTC, until 2026-11-23 09:36 UTC; not sent after 2026-12-06 00:00 UTC; asked for by alice',
    ])
      expect(text).toContain(part)
  })

  test.each([
    [0, 'In this week 1 change ended: 1 done. No session was interrupted.'],
    [1, '1 session was interrupted.'],
    ['unknown', 'No session was interrupted, and those of 1 request were not counted.'],
  ] as const)('of a change that interrupted %s', (sessions, text) => {
    const sent = { at: on(1), sessions }
    const changes = [changeOf({ state: { at: 'done', because: 'verified', endedAt: on(1), sent } })]
    expect(markdown(told(inputOf({ ...FLEETS.quiet, changes })))).toContain(text)
  })

  test('of one change has no plural', () => {
    const [proposed] = BUSY_CHANGES.filter(({ state }) => state.at === 'proposed')
    const changes = [done('ch-one', 1), ...(proposed ? [proposed] : [])]
    const text = markdown(told(inputOf({ ...FLEETS.quiet, changes })))
    expect(text).toContain('In this week 1 change ended: 1 done. 2 sessions were interrupted.')
    expect(text).toContain('One change is open.')
  })
})
