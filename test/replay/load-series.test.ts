import { describe, expect, test } from 'vitest'
import { loadSeriesIn } from '../../src/replay/load-series.ts'

const HEADER = 'series,ts,value,metric'
const META = 'series,metric,first_ts,last_ts,step_seconds,points,note'

const read = (rows: readonly string[], metas: readonly string[]) =>
  loadSeriesIn(
    { file: 'x.csv.gz', text: [HEADER, ...rows].join('\n') },
    { file: 'x.meta.csv', text: [META, ...metas].join('\n') },
  )

const PCT = 'a,db_cpu_pct,0,3000,300,3,text'
const MHZ = 'm,vm_cpu_mhz,0,90000,300,3,cores=1;capacity_mhz=2000;mem_mb=4'

function used(rows: readonly string[], meta = PCT): readonly number[] {
  const result = read(rows, [meta])
  if (!result.ok) throw new Error(result.error)
  return [...(result.value.series[0]?.used ?? [])]
}

describe('a series', () => {
  test('is a share of capacity, at most all of it, by the step nearest to the time', () => {
    expect(used(['a,0,50,db_cpu_pct', 'a,301,250,db_cpu_pct', 'a,595,1e300,db_cpu_pct'])).toEqual([0.5, 1, 1])
  })

  test('has holes where there is no row', () => {
    expect(used(['a,0,50,db_cpu_pct', 'a,900,20,db_cpu_pct'])).toEqual([0.5, Number.NaN, Number.NaN, 0.2])
  })

  test('of merged runs is filled backward, up to 12 hours', () => {
    expect(used(['m,0,1000,vm_cpu_mhz', 'm,900,500,vm_cpu_mhz'], MHZ)).toEqual([0.5, 0.25, 0.25, 0.25])
    const [first, , ...others] = used(['m,0,1000,vm_cpu_mhz', 'm,43500,500,vm_cpu_mhz'], MHZ)
    expect(first).toBe(0.5)
    expect(others.slice(0, -1).every(Number.isNaN)).toBe(true)
  })

  test('is the same from rows in any order, with Windows line ends, a byte order mark and repeated rows', () => {
    const rows = ['a,300,10,db_cpu_pct', 'a,0,50,db_cpu_pct', 'a,300,10,db_cpu_pct']
    const result = loadSeriesIn(
      { file: 'x', text: `\uFEFF${[HEADER, ...rows, ''].join('\r\n')}` },
      { file: 'y', text: [META, PCT, 'b,db_cpu_pct,0,3000,300,3,'].join('\r\n') },
    )
    expect(result).toEqual({
      ok: true,
      value: { series: [{ name: 'a', used: Float64Array.of(0.5, 0.1) }], leftOut: 1, rowsRefused: 1 },
    })
  })

  test('of another metric is left out, whatever its values', () => {
    const result = read(['n,0,-5,net_in'], ['n,net_in,x,y,7,1,'])
    expect(result).toEqual({ ok: true, value: { series: [], leftOut: 1, rowsRefused: 0 } })
  })
})

test.each([
  [
    'another value for a time',
    ['a,0,5,db_cpu_pct', 'a,0,6,db_cpu_pct'],
    'x.csv.gz:3: another value for the time of line 2',
  ],
  ['no number', ['a,0,NaN,db_cpu_pct'], 'x.csv.gz:2: value: expected a number from 0 on, got "NaN"'],
  ['infinity', ['a,0,Infinity,db_cpu_pct'], 'x.csv.gz:2: value: expected a number from 0 on, got "Infinity"'],
  ['a negative value', ['a,0,-1,db_cpu_pct'], 'x.csv.gz:2: value: expected a number from 0 on, got "-1"'],
  ['no value', ['a,0,,db_cpu_pct'], 'x.csv.gz:2: value: expected a number from 0 on, got ""'],
  ['a time outside', ['a,9e9,1,db_cpu_pct'], 'x.csv.gz:2: ts: expected seconds from 0 to 3000, got "9e9"'],
  ['no time', ['a,soon,1,db_cpu_pct'], 'x.csv.gz:2: ts: expected seconds from 0 to 3000, got "soon"'],
  ['an unknown series', ['z,0,1,db_cpu_pct'], 'x.csv.gz:2: series: "z" is not in the file of the series'],
  [
    'another metric',
    ['a,0,1,vm_cpu_pct'],
    'x.csv.gz:2: metric: expected "db_cpu_pct" as for its series, got "vm_cpu_pct"',
  ],
  ['a row that is cut', ['a,0'], 'x.csv.gz:2: expected 4 values, got 2'],
])('a row with %s is refused, with its line', (_, rows, error) => {
  expect(read(rows, [PCT])).toEqual({ ok: false, error })
})

test.each([
  ['other steps', 'a,db_cpu_pct,0,3000,60,3,', 'x.meta.csv:2: step_seconds: expected 300, got "60"'],
  [
    'no capacity',
    'a,vm_cpu_mhz,0,3000,300,3,cores=1',
    'x.meta.csv:2: note: expected capacity_mhz=NUMBER above 0, got "cores=1"',
  ],
  [
    'a capacity of 0',
    'a,vm_cpu_mhz,0,1,300,3,capacity_mhz=0',
    'x.meta.csv:2: note: expected capacity_mhz=NUMBER above 0, got "capacity_mhz=0"',
  ],
  [
    'milliseconds',
    'a,db_cpu_pct,0,1e12,300,3,',
    'x.meta.csv:2: first_ts and last_ts: expected seconds in order, at most ten years, got "0" and "1e12"',
  ],
  [
    'times in the wrong order',
    'a,db_cpu_pct,5,4,300,3,',
    'x.meta.csv:2: first_ts and last_ts: expected seconds in order, at most ten years, got "5" and "4"',
  ],
])('a line of the series with %s is refused', (_, meta, error) => {
  expect(read([], [meta])).toEqual({ ok: false, error })
})

test('a series may have one line only, and the columns are those of a load trace', () => {
  expect(read([], [PCT, PCT])).toEqual({ ok: false, error: 'x.meta.csv:3: the series "a" has two lines' })
  const activity = { file: 'x', text: 'series,minute,count\na,1,1' }
  expect(loadSeriesIn(activity, { file: 'y', text: META })).toEqual({
    ok: false,
    error: `x:1: expected the columns ${HEADER}, got "series,minute,count"`,
  })
})
