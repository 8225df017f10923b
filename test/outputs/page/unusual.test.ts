// Pages with little to show, with much, and with hostile names.
import { describe, expect, test } from 'vitest'
import { pastOf } from './past.ts'
import { at } from '../../support/build.ts'
import { asked, appOf, budgetOf, fleet, textOf } from './shown.ts'
import { KEPT } from './kept-reports.ts'
import { named, scenes } from './scenes.ts'
import { problemsOf } from './well-formed.ts'
import { longTest } from '../../support/tiers.ts'

const snapshot = fleet(12)
const app = appOf({ snapshot, history: pastOf(snapshot) })
const all = scenes(() => snapshot)

test.each(all.flatMap(({ name, app: shown, paths }) => paths.map((path) => [name, path, shown] as const)))(
  '%s, %s: well formed, and nothing turns the text around it',
  async (_, path, shown) => {
    const text = await textOf(shown, path)
    expect(problemsOf(text)).toEqual([])
    expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/)
  },
)

describe('where there is nothing', () => {
  test.each([
    ['/nowhere', 'There is nothing at /nowhere.', '<a href="/">All computes</a>'],
    ['/computes/ep-99', 'Dormouse sees no compute ep-99', '<a href="/">All computes</a>'],
    ['/report?account=nobody', 'No account is called nobody.', '<a href="/report">Reports</a>'],
  ])('%s says so, and where to go on', async (path, says, way) => {
    const answer = await asked(app, path)
    const text = await answer.text()
    expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'text/html; charset=UTF-8'])
    expect(text).toContain(says)
    expect(text).toContain(way)
  })

  test('programs get JSON', async () => {
    for (const [path, accept] of [
      ['/nowhere', 'application/json'],
      ['/api/v1/nowhere', 'text/html'],
    ] as const) {
      const answer = await asked(app, path, { accept })
      expect([answer.status, await answer.json()]).toEqual([404, { message: `nothing at ${path}` }])
    }
  })
})

test('filters without a form field are named in the caption', async () => {
  expect(await textOf(app, '/')).not.toContain('of branch')
  expect(await textOf(app, '/?branch=br-one&project=project-3')).toMatch(
    /1 of 12 computes, of project <bdi>project-3<\/bdi>, of branch <bdi>br-one<\/bdi>/,
  )
})

longTest('each of fifty pages links to its neighbours and to both ends', async () => {
  const large = all.find(({ name }) => name === 'large')
  const steps = async (path: string): Promise<readonly string[]> => {
    const [pager = ''] =
      (large ? await textOf(large.app, path) : '').match(/<nav class="pager".*?<\/nav>/s) ?? []
    return [...pager.matchAll(/>(\w+)<\/a>/g)].map(([, words = '']) => words)
  }
  expect(await steps('/')).toEqual(['Next', 'Last'])
  expect(await steps('/?page=2')).toEqual(['Before', 'Next', 'Last'])
  expect(await steps('/?page=25')).toEqual(['First', 'Before', 'Next', 'Last'])
  expect(await steps('/?page=50')).toEqual(['First', 'Before'])
})

/** Labels of the first time axis of a page. */
/** Labels of each axis of a page, in order. */
async function axesOf(path: string): Promise<readonly (readonly string[])[]> {
  const axes = (await textOf(app, path)).match(/<svg class="axis".*?<\/svg>/gs) ?? []
  return axes.map((axis) => [...axis.matchAll(/>([^<>]+)<\/text>/g)].map(([, text = '']) => text))
}

test('the time axis labels a day by its ends, a week by its days, a month by dates', async () => {
  const week = ['Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']
  const month = ['12 Dec', '17 Dec', '22 Dec', '27 Dec', '1 Jan']
  expect(await axesOf('/')).toEqual([month, ['24 h ago', 'now']])
  expect(await axesOf('/?range=7d')).toEqual([month, week])
  expect(await axesOf('/computes/ep-0')).toEqual([week, month, month])
})

test('a page has no empty paths', async () => {
  for (const path of ['/', '/?range=7d', '/computes/ep-0'])
    expect(await textOf(app, path)).not.toContain(' d=""')
})

test('only a chart with a forecast has one in its legend', async () => {
  const text = await textOf(app, '/budgets')
  expect([text.match(/<svg class="fan"/g)?.length, text.match(/class="key likely"/g)?.length]).toEqual([3, 2])
  expect(text).toMatch(/<span>Thu 1 Jan<\/span\s*>\s*<span>Sun 1 Feb<\/span>/)
})

test('every line of a budget has its amount in the key, and its chart says them', async () => {
  const text = (await textOf(app, '/budgets')).replaceAll(/\s+/g, ' ')
  for (const amount of [
    '>spent 42.50 USD<',
    '>forecast 185.00 USD (150.00 USD to 240.00 USD)<',
    '>limit 200.00 USD<',
    'previews: 42.50 USD of 200.00 USD spent; at the end likely 185.00 USD',
  ])
    expect(text).toContain(amount)
})

test('burn rates are in order of their windows, and why one is off is a sentence of its own', async () => {
  const text = (await textOf(app, '/budgets')).replaceAll(/\s+/g, ' ')
  const [table = ''] = /<table class="stack".*?<\/table>/.exec(text) ?? []
  expect([...table.matchAll(/role="rowheader">([^<]*)</g)].map(([, window]) => window)).toEqual([
    '1 h',
    '6 h',
    '3 d',
  ])
  expect(table).toContain('class="words" data-label="Why it is off">a burn of 1 is normal')
})

test('a chart says since when is counted, where that is later than its period', async () => {
  const text = (await textOf(app, '/budgets')).replaceAll(/\s+/g, ' ')
  const keys = [...text.matchAll(/<span class="key spent">([^<]*)</g)].map(([, key]) => key)
  expect(keys).toEqual([
    expect.not.stringMatching('since'),
    expect.not.stringMatching('since'),
    expect.stringMatching(/ since Mon 5 Jan$/),
  ])
  expect(text).toContain('between what is known: when counting began and now.')
  const early = budgetOf({ knownFrom: at(-9 * 86_400) })
  const shown = { ...snapshot, accounts: snapshot.accounts.map((view) => ({ ...view, budgets: [early] })) }
  expect(await textOf(appOf({ snapshot: shown }), '/budgets')).not.toContain(' since ')
})

test('a fleet of nothing says so, without a table that has no rows and a legend of nothing', async () => {
  const none = { ...snapshot, computes: [] }
  const text = await textOf(appOf({ snapshot: none }), '/')
  expect(text).toContain('The account has no computes.')
  for (const part of ['<table', 'class="legend"', '<form']) expect(text).not.toContain(part)
  expect(await textOf(appOf({ snapshot: { ...none, ready: false } }), '/')).toContain(
    'No computes yet: not every account has been read.',
  )
})

test('while the first pass runs the page says what happens, once, under its own tab', async () => {
  for (const path of ['/', '/budgets', '/report']) {
    const text = await textOf(appOf({}), path)
    expect(text.match(/The first pass is still running/g)).toHaveLength(1)
    expect(text).toContain(`<a href="${path}"  aria-current="page">`)
  }
})

test('a name that its cell cuts is told whole', async () => {
  const name = 'n'.repeat(61)
  const [first, ...others] = snapshot.computes
  const shown = first && { ...snapshot, computes: [named(first, name), ...others] }
  expect(await textOf(appOf({ snapshot: shown }), '/')).toContain(`title="${name}"`)
})

test('a restart rises above the strip, and the legend tells it and the days', async () => {
  const text = await textOf(app, '/computes/ep-0')
  expect(text).toMatch(/<path class="edge" d="M\d+ -4v20/)
  expect(text).toMatch(/<path class="restart" d="M\d+ -4v20/)
  const [legend = ''] = /<ul class="legend".*?<\/ul>/s.exec(text) ?? []
  for (const words of ['restart', 'a day begins']) expect(legend).toContain(words)
  // the seventh begins too near the end to be named, and a tick without a name would be taken for the end
  const [axis = ''] = text.match(/<svg class="axis".*?<\/svg>/s) ?? []
  expect(axis.match(/<line x1=/g)).toHaveLength(6)
})

test('the report of a team is about its computes alone', async () => {
  const kept = appOf({ snapshot, kept: KEPT })
  expect(await textOf(kept, '/report?week=2026-W47')).toContain('ep-shop-main')
  const web = await textOf(kept, '/report?week=2026-W47&team=web')
  expect(web).toContain('ep-blog')
  for (const other of ['ep-shop-main', 'ep-always-on']) expect(web).not.toContain(other)
})
