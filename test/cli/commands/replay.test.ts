import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { seconds } from '../../../src/model/units.ts'
import { at } from '../../support/build.ts'
import { memoryFolder } from '../../support/folder.ts'
import { computeOf, refOf } from '../../store/build.ts'
import { keptBy } from '../kept.ts'
import { dormouse, words } from '../local-cli.ts'

const META =
  'series,class,start_dow,duration_minutes,resolution_minutes,active_minutes,total_count\na,low,0,1440,1,3,3\n'
const ROWS = 'series,minute,count\na,10,1\na,20,1\na,500,1\n'

let folder: string
beforeAll(() => {
  folder = memoryFolder('dormouse-replay-')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'x.meta.csv'), META)
  writeFileSync(join(folder, 'x.csv'), ROWS)
  const zipped = gzipSync(ROWS)
  writeFileSync(join(folder, 'whole.csv.gz'), zipped)
  writeFileSync(join(folder, 'cut.csv.gz'), zipped.subarray(0, zipped.length - 12))
  writeFileSync(join(folder, 'nan.csv'), ROWS.replace('500,1', '500,NaN'))
  writeFileSync(join(folder, 'infinite.csv'), ROWS.replace('500,1', '500,1e400'))
  writeFileSync(join(folder, 'unsorted.csv'), `\uFEFF${ROWS}a,500,1\na,10,1\n`.replaceAll('\n', '\r\n'))
  writeFileSync(join(folder, 'unzipped.csv.gz'), ROWS)
  writeFileSync(join(folder, 'empty.csv'), '')
})
afterAll(() => rmSync(folder, { recursive: true }))

const replay = (text: string) => dormouse(words(`replay ${text}`), { env: {}, cwd: folder })

test('the help shows defaults as they are typed, and they are those of an answer', async () => {
  const { out } = await replay('--help')
  const defaults = [
    ...out.replaceAll(/\s+/g, ' ').matchAll(/--([a-z-]+) <[a-z]+> [^<]*?\(default: ([^)]+)\)/g),
  ]
    .map(([, option = '', value = '']) => [option, value] as const)
    .filter(([option]) => ['wake-cost', 'start-cost', 'floor', 'levers', 'policy'].includes(option))
  expect(defaults).toEqual([
    ['policy', 'all'],
    ['levers', 'delay'],
    ['wake-cost', '5m'],
    ['start-cost', '5s'],
    ['floor', '1m'],
  ])
  const files = '--activity x.csv --meta x.meta.csv'
  const typed = await jsonOf(`${files} --levers delay --wake-cost 5m --floor 1m`)
  expect(typed).toMatchObject({ levers: ['delay'], wake_cost_seconds: 300, floor_seconds: 60 })
  const { wake_cost_seconds: wakeCost, floor_seconds: floor, levers } = await jsonOf(files)
  expect({ levers, wakeCost, floor }).toEqual({ levers: ['delay'], wakeCost: 300, floor: 60 })
})

const jsonOf = async (text: string) => {
  const { out, code, err } = await replay(`${text} --json`)
  expect({ code, err }).toEqual({ code: 0, err: '' })
  return JSON.parse(out) as Record<string, unknown>
}

const figures = (json: Record<string, unknown>) =>
  JSON.stringify(json).replaceAll(/"(set|ms_per_decision)":[^,}]+/g, '')

describe('a trace file', () => {
  test('JSON has the group of the file, then its classes, with the policies asked for', async () => {
    const json = await jsonOf('--activity x.csv --meta x.meta.csv --policy never,default')
    expect(json).toMatchObject({
      schema_version: 1,
      wake_cost_seconds: 300,
      floor_seconds: 60,
      levers: ['delay'],
      as_deployed: false,
      sets: [
        {
          set: 'x',
          class: 'all',
          series: 1,
          left_out: 0,
          rows_refused: 0,
          policies: [{ policy: 'never' }, { policy: 'default', share_of_clairvoyant: 0 }],
        },
        { class: 'low' },
      ],
    })
  })

  test('in gzip it is the same', async () => {
    const plain = await jsonOf('--activity x.csv --meta x.meta.csv --policy default')
    const zipped = await jsonOf('--activity whole.csv.gz --meta x.meta.csv --policy default')
    expect(figures(zipped)).toEqual(figures(plain))
    const misnamed = await jsonOf('--activity unzipped.csv.gz --meta x.meta.csv --policy default')
    expect(figures(misnamed)).toEqual(figures(plain))
  })

  test('with repeated rows in any order, Windows line ends and a byte order mark it is the same', async () => {
    const plain = await jsonOf('--activity x.csv --meta x.meta.csv --policy default')
    const other = await jsonOf('--activity unsorted.csv --meta x.meta.csv --policy default')
    expect(other).toMatchObject({ sets: [{ rows_refused: 2 }, {}] })
    expect(figures(other).replaceAll('"rows_refused":2', '"rows_refused":0')).toEqual(figures(plain))
  })

  test('with the delays of a plan no other is used', async () => {
    const json = await jsonOf(
      '--activity x.csv --meta x.meta.csv --policy dormouse,default --delays 300,never',
    )
    const [dormouseRow, defaultRow] =
      (json as { sets: { policies: { cost_mean_pct: number }[] }[] }).sets[0]?.policies ?? []
    expect(dormouseRow?.cost_mean_pct).toBe(defaultRow?.cost_mean_pct)
  })

  test('the policies of the project have figures for the shipped traces', async () => {
    const traces = join(import.meta.dirname, '../../data/traces')
    for (const file of ['azapp2019.csv.gz', 'azapp2019.meta.csv'])
      copyFileSync(join(traces, file), join(folder, file))
    const { code, out } = await replay('--activity azapp2019.csv.gz --meta azapp2019.meta.csv')
    expect(code).toBe(0)
    expect(out).toContain('azapp2019, all: 50 series')
    expect(out).toMatch(/dormouse +44\.\d\d .* 69\.\d %/)
  })
})

describe('levers', () => {
  // a client every 20 minutes, of two days
  const timer = Array.from({ length: 144 }, (_, turn) => `a,${20 * turn},1\n`).join('')
  beforeAll(() => {
    writeFileSync(join(folder, 'timer.csv'), `series,minute,count\n${timer}`)
    writeFileSync(join(folder, 'timer.meta.csv'), META.replace('1440,1,3,3', '2880,1,144,144'))
  })
  const TIMER = '--activity timer.csv --meta timer.meta.csv --policy dormouse,clairvoyant --wake-cost 15m'

  test('the delay alone, unless others are named, with the figures that it had before there were others', async () => {
    const [unnamed, named] = [await jsonOf(TIMER), await jsonOf(`${TIMER} --levers delay`)]
    expect(figures(unnamed)).toEqual(figures(named))
    expect(unnamed).toMatchObject({ levers: ['delay'] })
    expect(figures(unnamed)).not.toMatch(/start_cost|warm_ups/)
    const shipped = await jsonOf(
      '--activity azapp2019.csv.gz --meta azapp2019.meta.csv --policy dormouse --wake-cost 300s',
    )
    const [all] = (shipped as { sets: { policies: { cost_mean_pct: number }[] }[] }).sets
    expect(all?.policies[0]?.cost_mean_pct).toBeCloseTo(44.15, 6)
  })

  test.each(['', ' --as-deployed'])(
    'with warm-ups a timer costs less than the clairvoyant pays%s',
    async (form) => {
      const json = await jsonOf(`${TIMER} --levers warm,delay${form}`)
      expect(json).toMatchObject({ levers: ['delay', 'warm'], start_cost_seconds: 5 })
      const [all] = (json as { sets: { policies: Record<string, unknown>[] }[] }).sets
      const [dormouseRow, clairvoyant] = all?.policies ?? []
      expect(clairvoyant).not.toHaveProperty('warm_ups')
      expect(dormouseRow?.['cost_mean_pct']).toBeLessThan(Number(clairvoyant?.['cost_mean_pct']) / 2)
      expect(dormouseRow?.['share_of_clairvoyant']).toBeGreaterThan(1)
    },
  )

  test('the text says what a start costs, and how many warm-ups a client used', async () => {
    const { out } = await replay(`${TIMER} --levers delay,warm --start-cost 90s`)
    expect(out).toContain('a start ahead of a client costs 90 s of awake time\n\ntimer, all: 1 series\n')
    expect(out).toMatch(/warm-ups a day +used\ndormouse .* \d\d\.\d\d +\d+ %\nclairvoyant .* - +-\n/)
  })
})

describe('one line and exit code 2', () => {
  test.each([
    [
      '--activity cut.csv.gz --meta x.meta.csv',
      /^dormouse: cut\.csv\.gz:1: cannot be read: unexpected end of file\n$/,
    ],
    ['--activity nan.csv --meta x.meta.csv', /^dormouse: nan\.csv:4: count: expected .* got "NaN"\n$/],
    [
      '--load cut.csv.gz --meta x.meta.csv',
      /^dormouse: cut\.csv\.gz:1: cannot be read: unexpected end of file\n$/,
    ],
    ['--activity infinite.csv --meta x.meta.csv', /^dormouse: infinite\.csv:4: count: .* got "1e400"\n$/],
    ['--activity empty.csv --meta x.meta.csv', /^dormouse: empty\.csv:1: expected the columns .*\n$/],
    ['--activity x.csv --meta empty.csv', /^dormouse: empty\.csv:1: expected the columns .*\n$/],
    ['--activity x.meta.csv --meta x.csv', /^dormouse: x\.csv:1: expected the columns .*\n$/],
    ['--load x.csv --meta x.meta.csv', /^dormouse: x\.meta\.csv:1: expected the columns .*\n$/],
    ['--activity missing.csv --meta x.meta.csv', /^dormouse: missing\.csv:1: cannot be read: ENOENT.*\n$/],
    ['--activity x.csv', /^dormouse: give the --meta file of the series\n$/],
    [
      '--activity x.csv --meta x.meta.csv --delays 60 --floor 300s',
      /^dormouse: --delays: expected a delay of at least the floor\n$/,
    ],
    ['ep-one', /^dormouse: give the --delay to replay, such as 60s\n$/],
    ['ep-one --activity x.csv', /^dormouse: give a compute, --activity or --load\n$/],
    ['--activity x.csv --meta x.meta.csv --policy best', /Expected names of recommended, .*, got best\./],
    ['--activity x.csv --meta x.meta.csv --floor 90s', /Expected whole minutes/],
    ['--activity x.csv --meta x.meta.csv --levers suspend', /Allowed choices are delay/],
    [
      '--activity x.csv --meta x.meta.csv --levers warm',
      /^.*Allowed choices are delay and delay,warm, got warm\.\n$/,
    ],
    ['--activity x.csv --meta x.meta.csv --levers delay,delay', /Allowed choices are delay and delay,warm/],
    ['--activity x.csv --meta x.meta.csv --levers delay,,warm', /Allowed choices are delay and delay,warm/],
    [
      '--activity x.csv --meta x.meta.csv --start-cost 5s',
      /^dormouse: --start-cost: give it with --levers delay,warm\n$/,
    ],
  ])('%s', async (text, message) => {
    const { code, out, err } = await replay(text)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toMatch(message)
  })
})

const gap = (day: number, length: number, hiddenBelow: number) => ({
  ref: refOf('ep-one'),
  from: at(day * 86_400),
  low: seconds(length),
  high: seconds(length),
  hiddenBelow: seconds(hiddenBelow),
})

test('the stored gaps of a compute', async () => {
  const stored = {
    computes: [computeOf('ep-one')],
    gaps: [gap(0, 600, 300), gap(1, 7200, 0), gap(2, 86_400, 0)],
  }
  await using kept = await keptBy([stored])
  const { code, out } = await kept.cli('replay ep-one --delay 90s --json')
  expect(code).toBe(0)
  const { delays, ...rest } = JSON.parse(out) as { delays: { delay: unknown; wakes_per_day: number }[] }
  expect(rest).toEqual({ schema_version: 1, endpoint_id: 'ep-one', days: 3, gaps: 3 })
  expect(delays.filter(({ delay }) => delay === 90 || delay === 3600)).toEqual([
    { delay: 90, idle_seconds_per_day: 90, wakes_per_day: 1, is_hidden: true },
    { delay: 3600, idle_seconds_per_day: 2600, wakes_per_day: 2 / 3, is_hidden: false },
  ])
  const byProject = await kept.cli(`replay ${refOf('ep-one').projectId} --delay 90s --json`)
  expect(byProject).toEqual({ code, out, err: byProject.err })
  const unknown = await kept.cli('replay ep-two --delay 90s')
  expect(unknown.code).toBe(2)
  expect(unknown.err).toContain('no gaps between client activities are stored of ep-two')
})

test('the gaps of a project with several computes are not added', async () => {
  const other = { ...gap(1, 600, 0), ref: refOf('ep-two') }
  const stored = { computes: [computeOf('ep-one'), computeOf('ep-two')], gaps: [gap(0, 600, 300), other] }
  await using kept = await keptBy([stored])
  const { code, out, err } = await kept.cli(`replay ${refOf('ep-one').projectId} --delay 90s`)
  expect({ code, out }).toEqual({ code: 2, out: '' })
  expect(err).toContain('has several computes: expected one of ep-one, ep-two')
})

test.each([
  ['a file that is none', 'replay ep-one --delay 90s --config none.yaml', 2, /there is no such file/],
  ['no daemon', 'replay ep-one --delay 90s --url http://127.0.0.1:1', 1, /no daemon answers at/],
])('the gaps of a compute from %s', async (_, line, code, err) => {
  await using kept = await keptBy([])
  expect(await kept.cli(line)).toEqual({ code, out: '', err: expect.stringMatching(err) })
})
