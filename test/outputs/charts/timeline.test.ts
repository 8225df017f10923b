import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createZone, createUtc } from '../../../src/calendar/zone.ts'
import type { LikelyAwakeInterval } from '../../../src/model/ledger/ledger.ts'
import { millis, type Instant } from '../../../src/model/units.ts'
import { dayMarks, timelineSums, timelineSvg, timelineText } from '../../../src/outputs/charts/timeline.ts'
import { timelineCells, type AwakeTimeline } from '../../../src/outputs/charts/timeline-cells.ts'
import { at } from '../../support/build.ts'

const DAY = 86_400
const { dayOf } = createUtc()

const awakeInterval = (from: number, to: number, tail = 0): LikelyAwakeInterval => ({
  from: at(from),
  to: at(to),
  tail: millis(tail * 1000),
  restart: false,
})

const timelineOf = (over: Partial<AwakeTimeline> = {}): AwakeTimeline => ({
  span: { from: at(0), to: at(DAY) },
  knownFrom: at(0),
  knownUntil: at(DAY),
  intervals: [],
  ...over,
})

/** `state: from+length …`, in cells. */
function drawn(svg: string): Readonly<Record<string, string>> {
  const paths = [...svg.matchAll(/<path class="(asleep|unknown|tail|busy)" d="([^"]*)"/g)]
  return Object.fromEntries(
    paths.map(([, state = '', path = '']) => {
      let end = 0
      const runs = [...path.matchAll(/m(\d+) 0h(\d+)/g)].map(([, gap, length]) => {
        const from = end + Number(gap)
        end = from + Number(length)
        return `${from}+${length}`
      })
      return [state, runs.join(' ')]
    }),
  )
}

const cellsDrawn = (one: AwakeTimeline): Readonly<Record<string, string>> =>
  drawn(timelineSvg(one, { cells: 288, dayOf }).text)

test.each([
  ['nothing but sleep', timelineOf(), { asleep: '0+288' }],
  [
    'an hour, its last ten minutes idle',
    timelineOf({ intervals: [awakeInterval(3600, 7200, 600)] }),
    { asleep: '0+12 24+264', tail: '22+2', busy: '12+10' },
  ],
  [
    'a wake of a second, as wide as a cell',
    timelineOf({ intervals: [awakeInterval(3601, 3602)] }),
    { asleep: '0+12 13+275', busy: '12+1' },
  ],
  [
    'intervals that extend beyond the day on both sides',
    timelineOf({ intervals: [awakeInterval(-7200, 3600), awakeInterval(DAY - 600, DAY + 600)] }),
    { asleep: '12+274', busy: '0+12 286+2' },
  ],
  [
    'nothing of intervals before and after the day',
    timelineOf({ intervals: [awakeInterval(-7200, -3600), awakeInterval(DAY, DAY + 600)] }),
    { asleep: '0+288' },
  ],
  [
    'unknown time before and after',
    timelineOf({
      knownFrom: at(3600),
      knownUntil: at(DAY - 3600),
      intervals: [awakeInterval(7200, 7500, 900)],
    }),
    { asleep: '12+12 25+251', unknown: '0+12 276+12', tail: '24+1' },
  ],
  [
    'a wake of five minutes across two cells in one cell',
    timelineOf({ intervals: [awakeInterval(3450, 3750)] }),
    { asleep: '0+11 12+276', busy: '11+1' },
  ],
  [
    'a second of use with a tail of five minutes as idle tail',
    timelineOf({ intervals: [awakeInterval(3600, 3901, 300)] }),
    { asleep: '0+12 13+275', tail: '12+1' },
  ],
])('a timeline draws %s', (_, timeline, expected) => {
  expect(cellsDrawn(timeline)).toEqual(expected)
})

test('the share of awake cells is that of awake time: an hourly wake does not look like constant use', () => {
  const intervals = Array.from({ length: 168 }, (_, hour) =>
    awakeInterval(3600 * hour, 3600 * hour + 1200, 840),
  )
  const span = { from: at(0), to: at(7 * DAY) }
  const cells = drawn(
    timelineSvg(timelineOf({ span, knownUntil: at(7 * DAY), intervals }), { cells: 2016, dayOf }).text,
  )
  const count = (state: string): number =>
    (cells[state] ?? '').split(' ').reduce((sum, run) => sum + Number(run.split('+')[1]), 0)
  // 20 minutes are awake, 14 of them idle: 4 cells of 12, of which 7 tenths are idle
  expect([count('busy'), count('tail'), count('asleep')]).toEqual([202, 470, 1344])
})

test('idle tails that fill most of no cell are drawn in proportion to their time', () => {
  const intervals = Array.from({ length: 7 }, (_, day) =>
    awakeInterval(day * 86_400, day * 86_400 + 1200, 300),
  )
  const span = { from: at(0), to: at(7 * DAY) }
  const cells = drawn(
    timelineSvg(timelineOf({ span, knownUntil: at(7 * DAY), intervals }), { cells: 336, dayOf }).text,
  )
  // a quarter of seven cells, from the second on
  expect([cells['busy'], cells['tail']]).toEqual(['0+1 96+1 144+1 192+1 288+1', '48+1 240+1'])
})

test('every interval is drawn, at most one cell too long or too short', () => {
  const lengths = fc.array(
    fc.record({
      asleep: fc.integer({ min: 300, max: 20_000 }),
      awake: fc.integer({ min: 1, max: 20_000 }),
      tail: fc.integer({ min: 0, max: 900 }),
    }),
    { maxLength: 40 },
  )
  fc.assert(
    fc.property(lengths, (parts) => {
      let end = 0
      const intervals = parts.map(({ asleep, awake, tail }) => {
        end += asleep + awake
        return awakeInterval(end - awake, end, Math.min(tail, awake))
      })
      const states = timelineCells(timelineOf({ intervals }), 288)
      const isAwake = (index: number): boolean => states[index] === 'busy' || states[index] === 'tail'
      const within = intervals.filter(({ from }) => from < at(DAY))
      const truth = timelineSums(timelineOf({ intervals })).awake / 300_000
      const shown = states.filter((_, index) => isAwake(index)).length
      expect(Math.abs(shown - truth)).toBeLessThanOrEqual(within.length)
      for (const { from, to } of within) {
        const [first, last] = [from, Math.min(to, at(DAY)) - 1].map((when) =>
          Math.floor((when - at(0)) / 300_000),
        )
        expect(states.slice(first, (last ?? 0) + 1).some((_, index) => isAwake((first ?? 0) + index))).toBe(
          true,
        )
      }
    }),
  )
})

test('text and sums of a timeline', () => {
  const one = timelineOf({
    knownFrom: at(3600),
    intervals: [awakeInterval(-3600, 3600, 60), awakeInterval(7200, 14_400, 600)],
  })
  expect(timelineSums(one)).toEqual({ awake: 10_800_000, tail: 660_000, unknown: 3_600_000 })
  expect(timelineText(one)).toBe('awake 3 h of 24 h, 11 min of it idle tail, 1 h not known')
})

test('before a compute was created nothing is drawn, and nothing is unknown', () => {
  const one = timelineOf({
    existsFrom: at(DAY - 7200),
    knownFrom: at(DAY - 3600),
    intervals: [awakeInterval(DAY - 1800, DAY)],
  })
  expect(drawn(timelineSvg(one, { cells: 24, dayOf }).text)).toEqual({ unknown: '22+1', busy: '23+1' })
  expect(timelineText(one)).toBe('awake 30 min of 2 h since its creation, 1 h not known')
})

test('day marks are at local midnight, in weeks of 167 and of 169 hours', () => {
  const berlin = createZone('Europe/Berlin')
  if (!berlin.ok) throw new Error(berlin.error)
  const lengths = (from: string): readonly number[] => {
    const begin = Date.parse(from) as Instant
    const marks = dayMarks({ from: begin, to: (begin + 8 * DAY * 1000) as Instant }, berlin.value.dayOf)
    return marks.slice(1).map((mark, index) => (mark - (marks[index] ?? 0)) / 3_600_000)
  }
  expect(lengths('2026-03-26T12:00:00Z')).toEqual([24, 24, 23, 24, 24, 24, 24])
  expect(lengths('2026-10-22T12:00:00Z')).toEqual([24, 24, 25, 24, 24, 24, 24])
})

test('the largest timeline is 2.5 kB, and a page with a hundred of them compresses well', () => {
  // a wake and its tail in every other cell: the largest number of runs
  const cells = 336
  const width = (7 * DAY) / cells
  const intervals = Array.from({ length: cells / 2 }, (_, index) =>
    awakeInterval(2 * index * width, (2 * index + 2) * width, width),
  )
  const span = { from: at(0), to: at(7 * DAY) }
  const { text } = timelineSvg(timelineOf({ span, knownUntil: at(7 * DAY), intervals }), {
    cells,
    dayOf,
  })
  expect(drawn(text)['busy']?.split(' ')).toHaveLength(cells / 2)
  expect(text.length).toBeLessThanOrEqual(2500)
  expect(gzipSync(text).length).toBeLessThanOrEqual(700)
})
