// Every query of every board, variables and annotations included, on a real Prometheus with history made by the daemon's own code.
import { afterAll, beforeAll, expect } from 'vitest'
import { boardJson, type BoardJson } from '../../../dashboards/boards/board.ts'
import { BOARDS } from '../../../dashboards/boards/boards.ts'
import { testWith } from '../../support/tiers.ts'
import { problemsOf } from './answered.ts'
import { openPast, type Past } from './past.ts'

const withProm = testWith('prometheus', 'promtool')
let past: Past | undefined

beforeAll(async () => {
  past = await openPast()
})
afterAll(() => past?.[Symbol.asyncDispose]())

function thePast(): Past {
  if (!past) throw new Error('no history')
  return past
}

withProm.each(BOARDS.map((board) => [board.title, board] as const))(
  '%s: every query finds something',
  async (_, board) => {
    expect(await problemsOf(boardJson(board), thePast())).toEqual([])
  },
)

/** Replacements in the fleet board, and the problems that they cause. */
const WRONG = [
  [
    'dormouse_compute_cu_min{',
    'dormouse_compute_cu_least{',
    'Computes, the last 7 days, money in $currency, C: finds nothing',
  ],
  ['state=\\"active\\"', 'state=\\"awake\\"', 'Computes, A: finds nothing'],
  [
    '{{budget}} p{{percentile}}',
    '{{budget}} p{{quantile}}',
    'Forecast of this period, A: no series has the label quantile of the legend',
  ],
  [
    '{{budget}}, p{{percentile}}',
    '{{budget}}',
    'Spent and forecast against the limit: more than one series is called all',
  ],
  ['"type":2', '"kind":2', 'Computes, the last 7 days, money in $currency: type is a column nobody wants'],
  ['/project_id=', '/identity=', '$project: finds nothing'],
] as const

withProm.each(WRONG)('%s that were %s would be found', async (right, wrong, said) => {
  const [fleet] = BOARDS.map(boardJson)
  const text = JSON.stringify(fleet)
  expect(text).toContain(right)
  const board = JSON.parse(text.replaceAll(right, wrong)) as BoardJson
  expect(await problemsOf(board, thePast())).toContain(said)
})
