// The page of recommendations, and what other pages show of them.
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { TargetRef } from '../../../src/model/service/compute.ts'
import { at } from '../../support/build.ts'
import { NO_HISTORY } from '../../support/no-history.ts'
import { withheld } from '../../support/recommendations.ts'
import { advised, recommendationsOf } from './advised.ts'
import { pastOf } from './past.ts'
import { appOf, fleet, textOf } from './shown.ts'

const snapshot = advised(fleet(250))
const app = appOf({ snapshot, history: pastOf(snapshot) })
const page = (query = '') => textOf(app, `/recommendations${query}`)
/** Endpoint ids of the rows. */
const rows = (text: string) =>
  [...text.matchAll(/href="\/computes\/([^"#]+)#recommendations"/g)].map(([, id]) => id)

test('a page has a hundred rows and is small', async () => {
  for (const state of ['open', 'withheld']) {
    const text = await page(`?state=${state}`)
    expect(rows(text)).toHaveLength(100)
    expect(text.length).toBeLessThanOrEqual(300_000)
    expect(gzipSync(text).length).toBeLessThanOrEqual(40_000)
  }
})

test('by likely saving; what costs more comes last and says so first', async () => {
  expect(rows(await page()).slice(0, 2)).toEqual(['ep-105', 'ep-111'])
  const last = await page('?page=99')
  expect(last).toContain('Page 2 of 2')
  expect(last.replaceAll(/\s+/g, ' ')).toMatch(
    /<b>costs 3\.00.USD more in 30.d?ays \(1\.00.USD to 5\.00.USD\):<\/b> <bdi>0\.25–2.CU → 0\.25–4.CU/,
  )
})

test('a setting that fits is not withheld', async () => {
  expect(await page('?state=withheld&kind=pooler')).toContain('Nothing matches these filters.')
  const text = await page('?state=fits&kind=pooler')
  expect(text.replaceAll(/\s+/g, ' ')).toContain('250 with nothing to change.')
  expect(rows(text)).toHaveLength(100)
})

test('on the page of a compute, too', async () => {
  const one = fleet(1)
  const sizing = withheld({ kind: 'sizing', because: 'fits', needs: 0, until: undefined })
  const history = {
    ...NO_HISTORY,
    async *advice(_: string, { targets: [ref] = [] }: { targets?: readonly TargetRef[] }) {
      if (ref) yield { ref, evaluatedAt: at(0), withheld: [sizing], made: {} }
    },
  }
  const text = await textOf(appOf({ snapshot: one, history }), '/computes/ep-0')
  expect(text).not.toContain('Not recommended')
  expect(text).toMatch(/<h3>Nothing to change<\/h3>\s*<ul class="plain">\s*<li>\s*size: the setting fits/)
})

test.each([
  ['?kind=sizing', 63],
  ['?kind=nothing&state=nothing&page=-1', 100],
  ['?state=dismissed', 42],
  ['?state=implemented&kind=delay', 41],
  ['?state=withheld&kind=delay', 100],
])('%s has %i rows', async (query, count) => {
  expect(rows(await page(query))).toHaveLength(count)
})

test.each([
  ['?state=dismissed&team=-', '', 'dismissed'],
  ['?kind=delay&team=data', 'data', 'open'],
] as const)('%s: only those of the team', async (query, team, state) => {
  const own = snapshot.computes.filter(
    ({ identity: { owner, ref } }) =>
      owner.team === team &&
      recommendationsOf(ref).some(({ life, kind }) => life.state === state && kind === 'delay'),
  )
  const ids = own.map(({ identity }) => identity.ref.endpointId)
  expect(new Set(rows(await page(query)))).toEqual(new Set(ids))
})

test('where there is none, the page says where the reasons are', async () => {
  const none = { ...fleet(1), computes: [] }
  const text = await textOf(appOf({ snapshot: none, history: pastOf(none) }), '/recommendations')
  expect(text).toContain('There is none: “Withheld” says why, and when there may be one.')
  const compute = await textOf(appOf({ snapshot: fleet(1) }), '/computes/ep-0')
  expect(compute).toContain('It has not been judged yet')
})

test.each(['', 'state=implemented&', 'state=dismissed&', 'state=withheld&', 'state=fits&'])(
  '?%skind=refresh: that none has the kind or team is not to say that there is none',
  async (state) => {
    const text = await page(`?${state}kind=refresh&team=nobody`)
    expect(rows(text)).toEqual([])
    expect(text).toContain('Nothing matches these filters.')
    expect(text).not.toMatch(/There is none|None was|None is|Nothing is withheld|No compute has been judged/)
  },
)

test('ended ones say what came of them', async () => {
  expect(await page('?state=dismissed')).toMatch(/dismissed by ann at .*: demo next week/)
  expect(await page('?state=implemented')).toMatch(/implemented at .*; really saves 11\.00.USD in 30.days/)
})

test('the fleet shows and sorts by what each compute could save', async () => {
  const text = await textOf(app, '/?sort=saving')
  const [first] = rows(text)
  expect(first).toBe('ep-105')
  expect(text).toContain('Saving available')
  expect(await textOf(appOf({ snapshot: fleet(1) }), '/')).not.toContain('Saving available')
})

test('the fleet says what a compute would cost more', async () => {
  const text = await textOf(app, '/?sort=saving&order=asc')
  expect(text).toMatch(/>costs \d+\.\d\d.USD<\/a/)
  expect(text).not.toMatch(/>[-−]\d/)
})
