// A change of a policy that turns out wrong, on a real compute: its file cache becomes too small for what a client reads.
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { connected, expectTrueRestartMetrics, metricIs, stage } from './change-stage.ts'
import { changeThat, command, hasEnded } from './change-support.ts'

const LINES = `
advice: { min_history: 5s, min_gaps: 5, min_peaks: 20s, grid: 1s }
brakes: { hold_off: 1s, min_age: 1s }
verify: { warm_up: 3s }
policies:
  - match: { project: "over*" }
    mode: apply
    levers: [sizing]
`

/** A busy machine answers late, and three failed readings are a verdict. */
const READING = 'deadline: 3s, overhead: 0.2'

/** Of 1 kB. The scaled file cache of 1 CU holds 48 MB, that of half a CU 24 MB. */
const ROWS = { small: 6000, large: 40_000 }

async function make(uri: string, table: keyof typeof ROWS): Promise<void> {
  const owner = await connected(uri)
  const rows = `select n, repeat('x', 900) as filler from generate_series(1, ${ROWS[table]}) n`
  await owner.query(`create table ${table} as ${rows}`)
  await owner.end()
}

/** A client that reads a whole table every half second until it is stopped; it connects again where it is cut off. */
function scans(uri: string, table: keyof typeof ROWS) {
  const over = new AbortController()
  const scan = async () => {
    const client = await connected(uri)
    while (!over.signal.aborted) {
      await client.query(`select count(filler) from ${table}`)
      await once(AbortSignal.timeout(500), 'abort')
    }
    await client.end()
  }
  const working = (async () => {
    while (!over.signal.aborted) await scan().catch(() => once(AbortSignal.timeout(500), 'abort'))
  })()
  return async () => {
    over.abort()
    await working
  }
}

test('a size whose cache is too small is taken back once, while nobody is connected', async () => {
  const project = { name: 'oversized', cu: 1, suspendTimeoutSeconds: 10 }
  await using world = await stage(project, { lines: LINES, hasRanges: false, reading: READING })
  const { configFile, apiUrl, sent } = world
  await make(world.uri, 'small')
  const pause = scans(world.uri, 'small')
  const { id, to } = await changeThat(
    'a change of the policy',
    apiUrl,
    ({ asked_by: by }) => by === 'policies[0]',
  )
  expect(to.max_cu).toBeLessThan(1)
  await pause()
  const judged = await changeThat('its judgement', apiUrl, ({ hold }) => hold?.because === 'verdict')
  expect(judged).toMatchObject({ id, state: 'verifying' })

  // what nobody could know
  await make(world.uri, 'large')
  const pauseAgain = scans(world.uri, 'large')
  const reverted = await changeThat('a verdict', apiUrl, hasEnded(id))
  expect(reverted).toMatchObject({
    state: 'reverted',
    ended: {
      because: expect.stringMatching(/^the hit ratio of the file cache is [\d.]+ % and was [\d.]+ %/),
    },
  })
  const revert = await changeThat('the change that takes it back', apiUrl, ({ reason }) =>
    reason.startsWith(`takes back ${id}: `),
  )
  expect(revert).toMatchObject({ to: { min_cu: 1, max_cu: 1 }, asked_by: 'policies[0]' })
  expect(sent).toHaveLength(1)
  await pauseAgain()
  const done = await changeThat('its end', apiUrl, hasEnded(revert.id))
  expect(done).toMatchObject({ state: 'done', ended: { because: 'verified' }, sessions: 0 })

  expect(sent.map(({ method }) => method)).toEqual(['PATCH', 'PATCH'])
  expect(world.mutations()).toMatchObject([{ action: 'update' }, { action: 'update' }])
  const stops = world.truth().stops.filter(({ why }) => why === 'config')
  expect(stops.every(({ open }) => open === 0)).toBe(true)
  const explained = await command(configFile, 'explain', done.endpoint_id ?? '')
  expect(explained.out).toContain(`takes back ${id}: ${reverted.ended?.because}`)
  for (const outcome of ['reverted', 'done'])
    await metricIs(world, 1, 'dormouse_changes_total', 'kind="sizing"', `outcome="${outcome}"`)
  await expectTrueRestartMetrics(world, 1)
})
