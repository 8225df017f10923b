import { describe, expect, test } from 'vitest'
import { activityIn } from '../../src/replay/activity.ts'

const META = 'series,class,start_dow,duration_minutes,resolution_minutes,active_minutes,total_count'
const meta = (...lines: string[]) => ({ file: 'x.meta.csv', text: [META, ...lines, ''].join('\n') })
const data = (...lines: string[]) => ({
  file: 'x.csv',
  text: ['series,minute,count', ...lines, ''].join('\n'),
})

const ONE = meta('a,low,0,100,1,2,3')

const read = (...rows: string[]) => activityIn(data(...rows), ONE)

describe('series', () => {
  test('minutes with activity, in order', () => {
    expect(read('a,7,1', 'a,3,2', 'a,5,0')).toEqual({
      ok: true,
      value: {
        series: [{ class: 'low', duration: 100, active: Int32Array.of(3, 7) }],
        leftOut: 0,
        rowsRefused: 0,
      },
    })
  })

  test('names and the order of rows change nothing', () => {
    const two = activityIn(data('a,1,1', 'b,2,1'), meta('a,low,0,100,1,1,1', 'b,low,0,100,1,1,1'))
    expect(activityIn(data('x,2,1', 'y,1,1'), meta('x,low,0,100,1,1,1', 'y,low,0,100,1,1,1'))).toEqual(two)
  })

  test('nor does a series that another one begins with', () => {
    const lines = ['a', 'b'].map((name) => `${name},low,0,100,1,1,1`)
    const short = activityIn(data('a,1,1', 'b,1,1', 'b,2,1'), meta(...lines))
    expect(activityIn(data('b,1,1', 'a,1,1', 'a,2,1'), meta(...lines))).toEqual(short)
  })

  test('nor does the order of series with the same minutes and other classes', () => {
    const same = data('a,1,1', 'b,1,1')
    const [low, high] = ['a,low,0,100,1,1,1', 'b,high,0,100,1,1,1'] as const
    expect(activityIn(same, meta(high, low))).toEqual(activityIn(same, meta(low, high)))
  })

  test('a repeated row counts once, a series without activity is left out', () => {
    const result = activityIn(data('a,3,2', 'a,3,2'), meta('a,low,0,100,1,2,3', 'b,low,0,100,1,0,0'))
    expect(result).toMatchObject({ ok: true, value: { leftOut: 1, rowsRefused: 1 } })
  })
})

describe('one line with file and line', () => {
  test.each<[string, ReturnType<typeof activityIn>, string]>([
    ['unknown series', read('b,3,2'), 'x.csv:2: series: "b" is not in the file of the series'],
    ['NaN', read('a,3,NaN'), 'x.csv:2: count: expected a number from 0 on, got "NaN"'],
    ['negative', read('a,3,1', 'a,4,-1'), 'x.csv:3: count: expected a number from 0 on, got "-1"'],
    ['huge minute', read('a,1e12,1'), 'x.csv:2: minute: expected a whole number from 0 to 99, got "1e12"'],
    ['half a minute', read('a,1.5,1'), 'x.csv:2: minute: expected a whole number from 0 to 99, got "1.5"'],
    ['contradiction', read('a,3,2', 'a,3,1'), 'x.csv:3: another count for the minute of line 2'],
    ['missing column', read('a,3'), 'x.csv:2: expected 3 values, got 2'],
    [
      'other columns',
      activityIn({ file: 'x.csv', text: 'series,ts,value\n' }, ONE),
      'x.csv:1: expected the columns series,minute,count, got "series,ts,value"',
    ],
    [
      'another step size',
      activityIn(data(), meta('a,low,0,100,5,2,3')),
      'x.meta.csv:2: resolution_minutes: expected 1, got "5"',
    ],
    [
      'a duration of centuries',
      activityIn(data(), meta('a,low,0,99999999,1,2,3')),
      'x.meta.csv:2: duration_minutes: expected whole minutes, 1 to 5270400, got "99999999"',
    ],
    [
      'a series twice',
      activityIn(data(), meta('a,low,0,100,1,2,3', 'a,low,0,100,1,2,3')),
      'x.meta.csv:3: the series "a" has two lines',
    ],
  ])('%s', (_, result, problem) => {
    expect(result).toEqual({ ok: false, error: problem })
  })

  test('line ends of Windows and a byte order mark are no problem', () => {
    const text = `\uFEFF${data('a,3,2').text.replaceAll('\n', '\r\n')}`
    expect(activityIn({ file: 'x.csv', text }, ONE)).toEqual(read('a,3,2'))
  })
})
