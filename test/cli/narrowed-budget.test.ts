// A budget whose spend is narrowed by what the service counted, on page, command line, report and API.
import { expect, test } from 'vitest'
import { budgetJson } from '../../src/daemon/http/api/budget-json.ts'
import { createApiApp } from '../../src/daemon/http/app.ts'
import { listenHttp, urlOf } from '../../src/daemon/http/listen.ts'
import { instant, ratio } from '../../src/model/units.ts'
import { reportBudget } from '../../src/outputs/report/budgets.ts'
import { budgetOf, fleet } from '../outputs/page/shown.ts'
import { pastOf } from '../outputs/page/past.ts'
import { NO_PAGES } from '../support/no-pages.ts'
import { NO_REPORTS } from '../support/no-reports.ts'
import { dormouse, words } from './local-cli.ts'

/** The ledger takes 42.50 of 200.00 USD as likely. */
const NARROWED = budgetOf({
  shown: {
    amount: { low: 59_000_000, likely: 60_000_000, high: 61_000_000 },
    basis: 'counters',
    until: instant(Date.parse('2026-01-05T00:00:00Z')),
    untilDate: '2026-01-05',
    share: ratio(0.3),
    remaining: 140_000_000,
    forecast: {
      p10: 190_000_000,
      p50: 210_000_000,
      p90: 250_000_000,
      learning: false,
      days: 44,
      probabilityOver: ratio(0.62),
      exhaustedAt: undefined,
      held: undefined,
    },
  },
})
const BECAUSE = 'use before 5 January by the CU-time that the service counts'

test('page, command and report narrow a budget and what follows from it; the API has both', async () => {
  const bare = fleet(1)
  const snapshot = { ...bare, accounts: bare.accounts.map((view) => ({ ...view, budgets: [NARROWED] })) }
  const app = createApiApp({
    ...NO_PAGES,
    ...NO_REPORTS,
    snapshot: () => snapshot,
    history: pastOf(snapshot),
    accounts: () => [],
  })
  await using listener = await listenHttp(app, { host: '127.0.0.1', port: 0 }, { setting: 'server.api' })
  const page = await fetch(`${urlOf(listener.address)}/budgets`, { headers: { accept: 'text/html' } })
  const text = (await page.text()).replaceAll('\u00A0', ' ').replaceAll(/\s+/g, ' ')
  for (const part of [
    'spent 60.00 USD<',
    '> 60.00 USD<small>',
    `30 % of the limit, 59.00 USD to 61.00 USD; ${BECAUSE}`,
    '> 140.00 USD <',
    'forecast 210.00 USD (190.00 USD to 250.00 USD)',
    '62 %',
    'likely to go over',
    'what the ledger takes as likely: 42.50 USD, 21 % of the limit',
  ])
    expect(text).toContain(part)
  const { out } = await dormouse(words(`status --url ${urlOf(listener.address)}`))
  expect(out).toContain(`: 60.00 USD of 200.00 USD, 30.0 %, ${BECAUSE}; until`)
  expect(out).toContain('at its end 210.00 USD (190.00 USD to 250.00 USD); chance of going over 62.0 %')
  expect(reportBudget(NARROWED, { redact: [] })).toMatchObject({
    spent: 60,
    spent_because: BECAUSE,
    share: 0.3,
    probability_over: 0.62,
    forecast: { p50: 210 },
  })
  expect(budgetJson(NARROWED)).toMatchObject({
    spent: { likely: 42.5, shown_likely: 60 },
    share: 0.2125,
    shown_share: 0.3,
    remaining: 157.5,
    shown_remaining: 140,
    forecast: { p50: 185 },
    shown_forecast: { p50: 210 },
  })
})
