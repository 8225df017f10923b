// The statistics view of the file cache, on a real server; the cache itself is modelled.
import { beforeAll, expect, test } from 'vitest'
import { type Subject, call, query, subject, until } from '../support.ts'
import { ended, serviceFor } from './service.ts'

const local = serviceFor({ cacheScale: 64 })
let shop: Subject

const VIEW = `select file_cache_misses::int as misses, file_cache_hits::int as hits, file_cache_used::int as used,
  file_cache_writes::int as writes, file_cache_hit_ratio::float8 as ratio from neon_stat_file_cache`

type Counters = Readonly<Record<'misses' | 'hits' | 'used' | 'writes' | 'ratio', number>>

const counters = async (): Promise<Counters> => (await query(shop.uri, VIEW))[0]

beforeAll(async () => {
  shop = await subject(local())
  await shop.settled('active')
  await query(
    shop.uri,
    `create table big as select n, repeat('x', 900) as filler from generate_series(1, 20000) n`,
  )
  for (let round = 0; round < 3; round += 1) await query(shop.uri, 'select count(filler) from big')
  await until('the counters show the scans', async () => (await counters()).hits > 0)
})

test('S-110 the view reports misses, hits, used, writes and the hit ratio', async () => {
  const rows = await query(shop.uri, 'select * from neon_stat_file_cache')
  expect(Object.keys(rows[0] ?? {})).toEqual([
    'file_cache_misses',
    'file_cache_hits',
    'file_cache_used',
    'file_cache_writes',
    'file_cache_hit_ratio',
  ])
})

test('S-111 the ratio is hits / (hits + misses) × 100', async () => {
  const { hits, misses, ratio } = await counters()
  expect(hits).toBeGreaterThan(0)
  expect(ratio).toBeCloseTo((100 * hits) / (hits + misses), 1)
})

test('S-112 the view covers the whole compute since its last start', async () => {
  const before = await counters()
  await query(shop.uri, 'select count(filler) from big')
  const after = await until('the counters show the scan', async () => {
    const now = await counters()
    return now.hits > before.hits && now
  })
  expect(after.misses).toBeGreaterThanOrEqual(before.misses)
})

test('S-113 the view resets when the compute stops', async () => {
  const before = await counters()
  await call(local(), `POST ${shop.path}/suspend`)
  await ended(local(), shop.projectId)
  const after = await counters()
  expect(after.hits + after.misses).toBeLessThan((before.hits + before.misses) / 10)
})
