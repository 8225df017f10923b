// The page of a daemon beside real computes.
import { Client } from 'pg'
import { expect } from 'vitest'
import { openBrowser, watchedPage } from '../support/browser.ts'
import { testWith } from '../support/tiers.ts'
import { dormouse, fleetAt, page as answerAt, setting, until, uriOf } from './support.ts'

testWith('chromium')('a page shows a compute fall asleep and wake without being loaded again', async () => {
  await using place = await setting([{ name: 'shop', suspendTimeoutSeconds: 3 }])
  await using _ = dormouse(['run', '--config', place.configFile])
  const compute = await until('a first pass', async () => (await fleetAt(place.apiUrl))?.computes[0])
  await using browser = await openBrowser()
  const watched = await watchedPage(await browser.newContext())
  const { page } = watched
  await page.clock.install()
  await page.goto(place.apiUrl)
  /** What the row says once enough time has passed for the script to ask again. */
  const shows = async (text: string): Promise<true | undefined> => {
    await page.clock.runFor(15_000)
    return (await page.locator('.fleet tbody .state b').textContent()) === text ? true : undefined
  }
  expect(await page.locator('.fleet tbody th').textContent()).toContain('shop')
  await until('sleep', () => shows('asleep'))
  const client = new Client({ connectionString: await uriOf(place.local, compute.project_id) })
  await client.connect()
  await until('a wake', async () => {
    await client.query('select 1')
    return shows('awake')
  })
  await client.end()
  await page.locator('.fleet tbody a').click()
  await page.waitForURL(`**/computes/${compute.endpoint_id}`)
  expect(await page.locator('.explanation').textContent()).toContain(compute.endpoint_id)
  await page.locator('footer a', { hasText: 'main' }).click()
  await page.waitForURL('**/api/v1/report?*')
  expect(await page.locator('h1').textContent()).toContain('account main')
  expect(watched).toMatchObject({ complaints: [], strayed: [], sent: [] })
  const paths = ['/budgets', `/computes/${compute.endpoint_id}`]
  const told = await Promise.all(paths.map((path) => answerAt(place.telemetryUrl + path)))
  expect(told.map(({ status }) => status)).toEqual([404, 404])
})
