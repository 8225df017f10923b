// Wording of times, amounts and unknown values on the pages.
import { describe, expect, test } from 'vitest'
import type { AccountView, ComputeView, Snapshot } from '../../../src/model/output/snapshot.ts'
import type { ComputeRef } from '../../../src/model/service/compute.ts'
import type { BudgetForecast } from '../../../src/model/policy/budget.ts'
import { toIso } from '../../../src/model/time.ts'
import { millis, micros, ratio, type Instant } from '../../../src/model/units.ts'
import { at } from '../../support/build.ts'
import { NO_HISTORY } from '../../support/no-history.ts'
import { TAKEN } from '../../support/fleet-snapshot.ts'
import { KEPT } from './kept-reports.ts'
import { pastOf } from './past.ts'
import { appOf, budgetOf, fleet, textOf } from './shown.ts'
import { viewWith, type ViewChange } from '../../support/view-with.ts'

/** Text of a page without tags; no-break spaces stay. */
const readOf = (text: string): string =>
  text
    .replaceAll(/<(?:svg|style)\b.*?<\/(?:svg|style)\s*>/gs, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/ *[\n\t ]+/g, ' ')

const read = async (snapshot: Snapshot, path: string): Promise<string> =>
  readOf(await textOf(appOf({ snapshot, history: pastOf(snapshot), kept: KEPT }), path)).replaceAll(
    '\u00A0',
    ' ',
  )

const snapshot = fleet(6)

const withViews = (change: (view: ComputeView, index: number) => ViewChange): Snapshot => ({
  ...snapshot,
  computes: snapshot.computes.map((view, index) => viewWith(view, change(view, index))),
})

const withAccount = (over: Partial<AccountView>): Snapshot => ({
  ...snapshot,
  accounts: snapshot.accounts.map((view) => ({ ...view, ...over })),
})

const pastWith = (from: Instant, to: Instant) => ({
  ...NO_HISTORY,
  async *awakeTimes(_account: string, { computes = [] }: { readonly computes?: readonly ComputeRef[] }) {
    for (const ref of computes) yield { ref, times: [{ from, to, tail: millis(300_000), restart: false }] }
  },
})

const intervalRow = async (from: number, to: number): Promise<string> => {
  const history = pastWith(at(from), at(to)) as typeof NO_HISTORY
  const text = await textOf(appOf({ snapshot, history }), '/computes/ep-1')
  const [body = ''] = /<tbody[^>]*>.*?<\/tbody>/s.exec(text) ?? []
  return readOf(body).replaceAll('\u00A0', ' ').trim()
}

describe('the list of times awake', () => {
  test.each([
    ['of today', 3660, 4860, '2026-01-05 01:01 01:21 20 min 5 min wake'],
    ['of one day before', -82_800, -78_000, '2026-01-04 01:00 02:20 1.3 h 5 min wake'],
    ['over midnight', -660, 540, '2026-01-04 23:49 2026-01-05 00:09 20 min 5 min wake'],
  ])('%s: the day is written once', async (_, from, to, row) => {
    expect(await intervalRow(from, to)).toBe(row)
  })
})

const bannerOf = async (taken: Snapshot): Promise<string> =>
  /<div id="banner".*?<\/div>/s.exec(
    await textOf(appOf({ snapshot: taken, history: pastOf(taken) }), '/'),
  )?.[0] ?? ''

describe('while the service does not answer', () => {
  test.each([
    ['unavailable', 'The service does not answer: the data is as of 2026-01-05 01:10 (UTC).'],
    ['unauthorized', 'The service refuses the API key: the data is as of 2026-01-05 01:10 (UTC).'],
  ] as const)('%s: the banner says as of when, and stays the same', async (service, says) => {
    const down = withAccount({ service, storedAt: at(4200) })
    const banner = await bannerOf(down)
    expect(readOf(banner)).toContain(says)
    expect(await bannerOf({ ...down, takenAt: at(TAKEN + 600), version: 2 })).toBe(banner)
  })

  test('without a sweep since the start the banner says so', async () => {
    const down = withAccount({ service: 'unavailable', storedAt: undefined })
    expect(await read(down, '/')).toContain('the data is from before Dormouse started.')
  })

  test('the figures say what is not in them', async () => {
    const two = withViews((_, index) => ({ state: index < 2 ? { shown: 'unknown' } : {} }))
    const text = await read(two, '/')
    expect(text).toMatch(/Awake now 1 of 6, 2 not known/)
    expect(text).toMatch(
      /Spending now, per hour 0\.\d\d USD [^A-Z]*(?:up to [\d.]+ USD, )?without 2 computes of unknown state/,
    )
    const all = await read(
      withViews(() => ({ state: { shown: 'unknown' } })),
      '/',
    )
    expect(all).toMatch(/Spending now, per hour not known This month/)
    expect(await read(snapshot, '/')).toMatch(/Awake now 2 of 6 Spending/)
  })

  test('an account whose month is not counted says so', async () => {
    expect(await read(withAccount({ month: undefined }), '/')).toContain(
      'This month not known its days are not counted yet',
    )
  })

  test('a compute says since when it was not seen', async () => {
    const unseen = withViews(() => ({
      state: { shown: 'unknown', reason: { because: 'unknown', since: at(4200) } },
    }))
    expect(await read(unseen, '/')).toContain('unknown not seen since 01:10')
    expect(await read(unseen, '/computes/ep-0')).toContain(
      'unknown : not seen since 01:10'.replace(' :', ':'),
    )
  })
})

test.each([
  [false, 'changes only what a person asked for or approved.'],
  [true, 'changes only what a person asked for or approved, or what a policy has a lever for.'],
])('every page says who may change settings: by policies %s', async (appliesChanges, words) => {
  const app = appOf({ snapshot, history: pastOf(snapshot), kept: KEPT, appliesChanges })
  for (const path of ['/', '/budgets', '/changes'])
    // oxlint-disable-next-line no-await-in-loop -- one page after the other
    expect(readOf(await textOf(app, path))).toContain(words)
})

test('the reason does not repeat the state', async () => {
  const text = await read(snapshot, '/')
  expect(text).toContain('asleep since 01:30')
  expect(text).not.toContain('asleep asleep')
  const starting = withViews(() => ({ state: { shown: 'init', reason: { because: 'starting' } } }))
  expect(await read(starting, '/')).not.toMatch(/starting starting/)
})

test('an overdue suspension is not announced', async () => {
  const overdue = withViews(() => ({
    state: {
      shown: 'active',
      reason: { because: 'idle-tail', since: at(0), until: at(300), end: 'overdue', ours: false },
    },
  }))
  for (const path of ['/', '/computes/ep-0'])
    expect(await read(overdue, path)).toContain(
      'no activity seen since 00:00 ; should have been suspended about 00:05 ; what keeps it awake is not known',
    )
})

test('labels of the compute page', async () => {
  const text = await read(snapshot, '/computes/ep-0')
  for (const words of [
    'Spend since first seen',
    'Working set of the last minute 8 kB',
    'Working set of the last 5 min 8 kB',
    'Working set of the last hour 8 kB',
    'File cache in use 1 MB of 1 GB',
  ])
    expect(text).toContain(words)
})

/** Assumed sizes until then. */
const shownUntil = (until: Instant): Snapshot => {
  const untilDate = toIso(until).slice(0, 10)
  const shown = { amount: { low: 1, likely: 2, high: 3 }, basis: 'assumed', until, untilDate } as const
  return {
    ...snapshot,
    accounts: snapshot.accounts.map((view) => ({ ...view, totals: { ...view.totals, shown } })),
  }
}

test('chart and table of the fleet say what narrowed their spend, as long as days before the first look are in them', async () => {
  const recently = await read(shownUntil(at(TAKEN)), '/')
  expect(recently).toContain('a day; sizes before 5 January as on that day.')
  expect(recently).toContain('the six days before (sizes before 5 January as on that day); idle tail')
  const before = await read(shownUntil(at(TAKEN - 10 * 86_400)), '/')
  expect(before).toContain('a day; sizes before 26 December as on that day.')
  expect(before).toContain('the six days before; idle tail')
})

test('a range with equal ends is not shown', async () => {
  const sure = { low: micros(1_234_500_000), likely: micros(1_234_500_000), high: micros(1_234_501_000) }
  const text = await read(
    withViews(() => ({ ledger: { spend: sure } })),
    '/computes/ep-0',
  )
  expect(text).toContain('Spend since first seen 1,234.50 USD Hit ratio')
})

test('a number and its unit are joined by a no-break space', async () => {
  const app = appOf({ snapshot, history: pastOf(snapshot), kept: KEPT })
  for (const path of ['/', '/?range=7d', '/budgets', '/computes/ep-0', '/report']) {
    const shown = readOf((await textOf(app, path)).replaceAll(/<code>[^<]*<\/code>/g, ''))
    expect([path, shown.match(/\d (?:USD|min|h|s|MB|GB|kB|CU-hours)(?![\w-])/g)]).toEqual([path, null])
    expect(shown).toMatch(/\d\u00A0USD/)
  }
})

test.each([
  [4, 'and 1 more problem'],
  [5, 'and 2 more problems'],
])('of %i problems those beyond three are counted', async (count, says) => {
  const problems = Array.from({ length: count }, (_, index) => `project ${index}: 500`)
  expect(await read(withAccount({ problems }), '/')).toMatch(new RegExp(`${says}(?!s)`))
})

test('all times of a report page are in the same named zone', async () => {
  const text = await read(snapshot, '/report')
  const [, made] = /Archived as it was made on (.{16}) UTC/.exec(text) ?? []
  expect(text).toContain(`As of ${made} UTC.`)
})

const withBudget = (over: Parameters<typeof budgetOf>[0]): Snapshot =>
  withAccount({ budgets: [budgetOf({ shown: undefined, ...over })] })

test('a budget that is nearly spent is not said to be spent, nor a small chance to be none', async () => {
  const spent = micros(199_200_000)
  const forecast = { ...budgetOf().forecast, probabilityOver: ratio(0.004) } as BudgetForecast
  const text = await read(
    withBudget({
      spent: { low: spent, likely: spent, high: spent },
      share: ratio(0.996),
      remaining: 800_000,
      forecast,
    }),
    '/budgets',
  )
  expect(text).toContain('99.6 % of the limit Left 0.80 USD')
  expect(text).toContain('Chance of going over 0.4 %')
})

test('only of a budget with an assumed part is said what no observation covers', async () => {
  const says = 'of the amount is assumed: no observation covers it.'
  expect(await read(withBudget({ assumed: ratio(0.02) }), '/budgets')).toContain(`2 % ${says}`)
  expect(await read(withBudget({ assumed: ratio(0) }), '/budgets')).not.toContain(says)
})

test('a compute that somebody suspended is not said to never sleep where autosuspend is off', async () => {
  const off = withViews(() => ({ state: { delay: 'never' } }))
  expect(await read(off, '/computes/ep-0')).toMatch(/Autosuspend delay off /)
})

test('only wakes by readings are said to be 0 as it should be: a change may wake its compute', async () => {
  const changed = withViews(({ ledger: { counters } }) => ({
    ledger: { counters: { ...counters, wakesCaused: 0, wakesByChange: 1 } },
  }))
  for (const path of ['/', '/computes/ep-1']) {
    // oxlint-disable-next-line no-await-in-loop -- one page after the other
    const page = await read(changed, path)
    expect(page).toMatch(/Wakes caused by readings\s+0/)
    expect(page).not.toContain('Wakes caused by Dormouse')
  }
})
