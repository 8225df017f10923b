// The SQL objects of the file cache, with a given state of the cache.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { call, connected, freshFolder, quickLocal, subject } from '../support.ts'

test('the view and the functions show the state in the file', async () => {
  const folder = freshFolder()
  const local = await quickLocal({ folder, activityPoll: 3600 }) // nobody else writes the file meanwhile
  const shop = await subject(local)
  await shop.settled('active')
  const { uri } = (
    await call(local, `GET /projects/${shop.projectId}/connection_uri?database_name=app&role_name=dormouse`)
  ).body
  const session = await connected(uri)
  const now = Date.now() / 1000
  const state = {
    hits: 3,
    misses: 1,
    used_pages: 129,
    evicted_pages: 7,
    touched: [
      [now - 1000, 1000],
      [now - 500, 100],
      [now - 50, 0],
    ],
  }
  writeFileSync(join(folder, 'branches', shop.branchId, 'neon_cache.json'), JSON.stringify(state))
  const one = async (sql: string): Promise<unknown> => (await session.query(sql)).rows[0]
  expect(await one('select * from neon_stat_file_cache')).toEqual({
    file_cache_misses: '1',
    file_cache_hits: '3',
    file_cache_used: '2',
    file_cache_writes: '1',
    file_cache_hit_ratio: '75.00',
  })
  const { rows } = await session.query(
    'select lfc_key as key, lfc_value::int as value from neon_get_lfc_stats()',
  )
  expect(Object.fromEntries(rows.map(({ key, value }) => [key, value]))).toMatchObject({
    file_cache_limit: 819,
    file_cache_chunk_size_pages: 128,
    file_cache_used_pages: 129,
    file_cache_evicted_pages: 7,
  })
  const { rows: windows } = await session.query(
    `select s, approximate_working_set_size_seconds(s) as pages from (values (null::int), (2000), (750), (500), (275), (50), (0)) v(s)`,
  )
  const pages = windows.map((row) => row.pages)
  expect([pages[0], pages[1], pages[6]]).toEqual([1000, 1000, 0])
  // a second of the test itself moves these by 1.8 and by 0.2 pages
  for (const [at, expected] of [550, 100, 50, 0].entries())
    expect(Math.abs(pages[at + 2] - expected)).toBeLessThan(10)
  await session.end()
})
