// The pages in a real browser.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import axe, { type AxeResults } from 'axe-core'
import type { Browser, Page, Route } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { listenHttp, urlOf, type HttpListener } from '../../../src/daemon/http/listen.ts'
import type { Snapshot } from '../../../src/model/output/snapshot.ts'
import { openBrowser, watchedPage, type Watched } from '../../support/browser.ts'
import { testWith } from '../../support/tiers.ts'
import { CUT, WIDER, widthsThatScroll } from './layout-faults.ts'
import { busy, named, scenes } from './scenes.ts'

const it = testWith('chromium')

/** Folder for screenshots, to be looked at; by default none are taken, as they take as long as all else. */
const SHOTS = process.env['PAGE_SHOTS']
let shown: Snapshot = busy
const SCENES = scenes(() => shown)

let browser: Browser
let listeners: readonly HttpListener[] = []
/** Of the scene that changes. */
let url = ''
let shots: readonly { readonly name: string; readonly address: string }[] = []

beforeAll(async () => {
  if (SHOTS !== undefined) mkdirSync(SHOTS, { recursive: true })
  const local = { host: '127.0.0.1', port: 0 }
  listeners = await Promise.all(SCENES.map(({ app }) => listenHttp(app, local, { setting: 'server.api' })))
  const urls = listeners.map(({ address }) => urlOf(address))
  url = urls[0] ?? ''
  shots = SCENES.flatMap(({ name, paths }, index) =>
    paths.map((path) => ({
      name: `${name}${path.replaceAll(/\W+/g, '-')}`,
      address: `${urls[index]}${path}`,
    })),
  )
  browser = await openBrowser()
})

afterAll(async () => {
  await browser?.close()
  for (const listener of listeners)
    // oxlint-disable-next-line no-await-in-loop -- there are five
    await listener[Symbol.asyncDispose]()
})

/** Not found and not yet are answers like others; the browser tells it in its console. */
const quiet = ({ complaints, strayed, sent }: Watched) => ({
  complaints: complaints.filter((text) => !/status of (?:404|503)/.test(text)),
  strayed,
  sent,
})

const CLEAN = { complaints: [], strayed: [], sent: [] }

type Screen = Readonly<{ scheme: 'light' | 'dark'; widths: readonly number[]; rules?: readonly string[] }>

// colours depend on the scheme, what fits on the width, and nothing that is judged on both: each scheme and each width once
const SCREENS: readonly Screen[] = [
  { scheme: 'light', widths: [821, 1001, 1181, 1280] },
  // all else that axe judges is as on the first screen
  { scheme: 'dark', widths: [360], rules: ['color-contrast', 'link-in-text-block', 'target-size'] },
]

it('every page fits, everybody can read it, it complains of nothing, asks nobody else and sends nothing', async () => {
  // else colours would still change while they are judged
  await using context = await browser.newContext({ reducedMotion: 'reduce' })
  await context.addInitScript(axe.source)
  const { page, ...watched } = await watchedPage(context)
  for (const { name, address } of shots) {
    await visit(page, address)
    await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true')
    expect(await page.locator('h1').count()).toBe(1)
    for (const screen of SCREENS)
      expect([name, screen.scheme, await faultsOn(page, screen, name)]).toEqual([
        name,
        screen.scheme,
        { scrolling: [], wider: [], cut: [], violations: [] },
      ])
  }
  expect(quiet({ page, ...watched })).toEqual(CLEAN)
})

async function faultsOn(page: Page, { scheme, widths, rules }: Screen, name: string): Promise<unknown> {
  const width = Math.max(...widths)
  await page.emulateMedia({ colorScheme: scheme })
  await page.setViewportSize({ width, height: 800 })
  if (SHOTS !== undefined)
    await page.screenshot({ path: join(SHOTS, `${name}-${scheme}-${width}.png`), fullPage: true })
  const only = rules === undefined ? '' : `runOnly: ${JSON.stringify(rules)}, `
  const judged = `axe.run({ ${only}resultTypes: ["violations"], selectors: false, preload: false })`
  return {
    scrolling: await widthsThatScroll(page, widths),
    wider: await page.evaluate(WIDER),
    cut: await page.evaluate(CUT),
    violations: (await page.evaluate<AxeResults>(judged)).violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`,
    ),
  }
}

it('on a telephone amounts stay on their line, bars have theirs, and the fleet says what sorts it and when it is', async () => {
  await using context = await browser.newContext({ viewport: { width: 360, height: 800 } })
  const { page } = await watchedPage(context)
  await visit(page, `${url}/budgets`)
  const lines = await page.evaluate<
    readonly number[]
  >(`[...document.querySelectorAll('.two dd')].map((one) => {
    const range = document.createRange()
    range.selectNodeContents(one.firstChild)
    return range.getClientRects().length
  })`)
  expect(new Set(lines)).toEqual(new Set([1]))
  await visit(page, `${url}/report`)
  const sizes = await page.evaluate<readonly number[]>(
    `[...document.querySelectorAll('.bars text')].map((one) => one.getBoundingClientRect().height)`,
  )
  expect(sizes.length).toBeGreaterThanOrEqual(20)
  expect(Math.min(...sizes)).toBeGreaterThanOrEqual(12)
  await visit(page, url)
  expect(await page.locator('.fleet .axis').isVisible()).toBe(true)
  const [axis, strip] = await Promise.all(
    ['.fleet .axis', '.fleet .timeline'].map((one) => page.locator(one).first().boundingBox()),
  )
  expect([axis?.x, axis?.width]).toEqual([strip?.x, strip?.width])
})

/** Until all of it is laid out, which is after the first paint. */
const visit = async (page: Page, address: string): Promise<void> => {
  await page.goto(address)
  await page.locator('html:not([data-early])').waitFor()
}

it('a wrong policy, a stray request and a message would have been seen', async () => {
  await using context = await browser.newContext()
  const watched = await watchedPage(context)
  await watched.page.goto(url)
  await watched.page.evaluate(`(async () => {
    document.body.insertAdjacentHTML('beforeend', '<p style="color:red">')
    await fetch('/', { method: 'POST' })
    await fetch('https://elsewhere.example/').catch(() => undefined)
  })()`)
  expect(watched.complaints.join('\n')).toMatch(/Content Security Policy/)
  expect(watched.sent).toEqual([`POST ${url}/`])
  await watched.page.goto('https://elsewhere.example/').catch(() => undefined)
  expect(watched.strayed).toEqual(['https://elsewhere.example/'])
})

it('an address of a section shows that section', async () => {
  await using context = await browser.newContext({ viewport: { width: 1280, height: 700 } })
  const { page } = await watchedPage(context)
  await visit(page, `${url}/report#prices`)
  await expect.poll(() => page.evaluate('scrollY')).toBeGreaterThan(0)
})

it('the page is walked by keyboard', async () => {
  await using context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  const { page } = await watchedPage(context)
  await page.goto(url)
  const focused = (): Promise<string> =>
    page.evaluate<string>(`(() => {
      const at = document.activeElement
      const seen = getComputedStyle(at).outlineStyle === 'none' ? 'unseen' : 'seen'
      return [at.tagName, at.textContent.trim().slice(0, 20), seen].join(' ')
    })()`)
  const walk: string[] = []
  for (let step = 0; step < 30; step += 1) {
    await page.keyboard.press('Tab')
    walk.push(await focused())
  }
  expect(walk.slice(0, 4)).toEqual([
    'A Skip to content seen',
    'A Dormouse seen',
    'A Fleet seen',
    'A Recommendations seen',
  ])
  expect(walk.filter((step) => step.endsWith('unseen'))).toEqual([])
  await page.locator('.fleet tbody a').first().focus()
  await page.keyboard.press('Enter')
  await page.waitForURL('**/computes/*')
  await page.locator('summary').first().focus()
  await page.keyboard.press('Enter')
  expect(await page.locator('details').first().getAttribute('open')).toBe('')
})

it('without the script all is there, and filters work', async () => {
  await using context = await browser.newContext({ javaScriptEnabled: false })
  const watched = await watchedPage(context)
  const { page } = watched
  await page.goto(url)
  await page.locator('select[name=state]').selectOption('active')
  await page.locator('button[type=submit]').click()
  await page.waitForURL('**/?*state=active*')
  expect(await page.locator('.fleet tbody tr').count()).toBe(4)
  await page.locator('th a', { hasText: 'Compute' }).click()
  await page.waitForURL('**/?*sort=name*')
  expect(await page.locator('#theme').isVisible()).toBe(false)
  expect(await page.locator('noscript meta[http-equiv=refresh]').count()).toBe(1)
  expect(quiet(watched)).toEqual(CLEAN)
})

it('dark or light is kept', async () => {
  await using context = await browser.newContext({ colorScheme: 'light' })
  const { page } = await watchedPage(context)
  const background = (): Promise<string> =>
    page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor')
  await page.goto(url)
  const light = await background()
  await page.locator('#theme').click()
  const dark = await background()
  await page.goto(`${url}/budgets`)
  expect([await background(), dark === light]).toEqual([dark, false])
})

it('the page is refreshed in place: focus, scroll and what is open stay, whoever types is left alone', async () => {
  await using context = await browser.newContext({ viewport: { width: 1280, height: 500 } })
  const watched = await watchedPage(context)
  const { page } = watched
  await page.clock.install()
  const answers: number[] = []
  page.on('response', (response) => {
    if (response.request().resourceType() === 'fetch') answers.push(response.status())
  })
  const later = async (): Promise<void> => {
    await page.clock.runFor(15_000)
    await page.waitForLoadState('networkidle')
  }
  const before = shown
  const renamed = (name: string): void => {
    shown = {
      ...before,
      computes: before.computes.map((view, index) => (index === 0 ? named(view, name) : view)),
    }
  }
  await page.goto(`${url}/computes/ep-0`)
  await page.locator('summary').first().click()
  await page.evaluate('scrollTo(0, 300)')
  renamed('renamed once')
  await later()
  await expect.poll(() => page.locator('h1').textContent()).toContain('renamed once')
  expect(
    await page.evaluate('[scrollY, document.activeElement.tagName, document.querySelector("details").open]'),
  ).toEqual([300, 'SUMMARY', true])
  await later()
  await expect.poll(() => answers).toEqual([200, 304])

  await page.goto(url)
  await page.locator('input[type=search]').focus()
  renamed('renamed twice')
  await later()
  expect(await page.getByText('renamed once').count()).toBe(1)
  await page.locator('a', { hasText: 'search-6' }).focus()
  await later()
  await expect.poll(() => page.getByText('renamed twice').count()).toBe(1)
  expect(await page.evaluate('document.activeElement.textContent')).toBe('search-6')
  expect(quiet(watched)).toEqual(CLEAN)
  shown = before
})

const outage = (route: Route) => route.abort()
const refusal = (route: Route) => route.fulfill({ status: 401, json: { message: 'a token is needed' } })

it('an open page says that its compute was deleted, that it can no longer be refreshed, and when it is again', async () => {
  await using context = await browser.newContext()
  const { page } = await watchedPage(context)
  await page.clock.install()
  const before = shown
  const banner = page.locator('#banner')
  const later = () => page.clock.runFor(15_000)
  await page.goto(`${url}/computes/ep-0`)
  const healthy = (await banner.textContent()) ?? ''

  await page.route('**/computes/ep-0', outage)
  await later()
  await expect.poll(() => banner.textContent()).toMatch(/^Dormouse does not answer: .*seen last/)
  expect([await banner.getAttribute('class'), await banner.getAttribute('role')]).toEqual([
    'banner bad',
    'status',
  ])
  await page.unroute('**/computes/ep-0', outage)
  await later()
  await expect.poll(() => banner.textContent()).toBe(healthy)

  await page.route('**/computes/ep-0', refusal)
  await later()
  await expect.poll(() => banner.textContent()).toMatch(/refuses to refresh this page \(status 401\)/)
  await page.unroute('**/computes/ep-0', refusal)

  shown = {
    ...before,
    computes: before.computes.filter(({ identity }) => identity.ref.endpointId !== 'ep-0'),
  }
  await later()
  await expect.poll(() => page.locator('h1').textContent()).toBe('No such compute')
  shown = before
})
