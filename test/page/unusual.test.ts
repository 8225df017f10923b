// What the pages say where there is little to show, or much, or what others made up.
import { describe, expect, test } from 'vitest'
import { asked, appOf, fleet, pastOf, textOf } from './shown.ts'
import { scenes } from './scenes.ts'
import { problemsOf } from './well-formed.ts'

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
    ['/nowhere', 'There is nothing at /nowhere.'],
    ['/computes/ep-99', 'Dormouse sees no compute ep-99'],
    ['/report?account=nobody', 'No account is called nobody.'],
  ])('%s says so, and where to go on', async (path, says) => {
    const answer = await asked(app, path)
    const text = await answer.text()
    expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'text/html; charset=UTF-8'])
    expect(text).toContain(says)
    expect(text).toContain('<a href="/">All computes</a>')
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

test('a filter that no field shows is named', async () => {
  expect(await textOf(app, '/')).not.toContain('of branch')
  expect(await textOf(app, '/?branch=br-one&project=project-3')).toMatch(
    /1 of 12 computes, of project <bdi>project-3<\/bdi>, of branch <bdi>br-one<\/bdi>/,
  )
})

test('from any of fifty pages it is one step to the next ones and to both ends', async () => {
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

/** What is below the first strip, or above all. */
async function axisWords(path: string): Promise<readonly string[]> {
  const [axis = ''] = (await textOf(app, path)).match(/<svg class="axis".*?<\/svg>/s) ?? []
  return [...axis.matchAll(/>([^<>]+)<\/text>/g)].map(([, text = '']) => text)
}

test('the time of a strip is told: a day by its ends, a week by its days', async () => {
  expect(await axisWords('/')).toEqual(['24 h ago', 'now'])
  const week = ['Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']
  expect(await axisWords('/?range=7d')).toEqual(week)
  expect(await axisWords('/computes/ep-0')).toEqual(week)
})

test('what is not drawn is not in the page', async () => {
  for (const path of ['/', '/?range=7d', '/computes/ep-0'])
    expect(await textOf(app, path)).not.toContain(' d=""')
})

test('only a chart with a forecast has one in its legend', async () => {
  const text = await textOf(app, '/budgets')
  expect([text.match(/<svg class="fan"/g)?.length, text.match(/class="key likely"/g)?.length]).toEqual([3, 2])
  expect(text).toMatch(/<span>Thu 1 Jan<\/span\s*>\s*<span>Sun 1 Feb<\/span>/)
})
