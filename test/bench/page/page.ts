// When the first thing of a page is seen, beside an empty page of the same server in the same rounds.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright-core'
import { openBrowser } from '../../support/browser.ts'
import type { Figures } from '../run.ts'

const COMPUTES = 5000
/** A page has at most 100 of the computes. The empty one is what browser and server take at least. */
const PATHS = ['/empty', '/', '/?range=7d&group=team', '/budgets', '/computes/ep-0', '/report']
/** The first is not counted: the server still compiles. */
const ROUNDS = 9

/** ms until a new profile and the end of the one before have come to rest: they take as much of a small machine as a page does. */
const SETTLED = 500

/** Milliseconds from the request on; `main` is processor time of the page's thread until it is idle, which tells nothing of how busy the machine is. */
type Look = {
  readonly firstByte: number
  readonly firstPaint: number
  readonly main: number
  readonly layout: number
  readonly kilobytes: number
  readonly elements: number
}

/** Every look is one of a new browser profile: nothing is kept of the looks before. */
export async function page(): Promise<Figures> {
  const server = fork(fileURLToPath(import.meta.resolve('./serve.ts')), [String(COMPUTES)])
  const [url] = (await once(server, 'message')) as [string]
  const browser = await openBrowser()
  const looks = new Map<string, Look[]>(PATHS.map((path) => [path, []]))
  try {
    for (let round = 0; round < ROUNDS; round += 1)
      for (const path of PATHS) {
        // oxlint-disable-next-line no-await-in-loop -- two at once would be slower, and tell of each other
        const seen = await look(browser, url + path)
        if (round > 0) looks.get(path)?.push(seen)
      }
  } finally {
    await browser.close()
    server.disconnect()
  }
  return figuresOf(looks)
}

async function look(browser: Browser, address: string): Promise<Look> {
  await using context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  const tab = await context.newPage()
  const session = await context.newCDPSession(tab)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  await setTimeout(SETTLED)
  await tab.goto(address)
  const seen = await tab.evaluate<Omit<Look, 'main' | 'layout'>>(SEEN)
  const { metrics } = await session.send('Performance.getMetrics')
  const spent = (name: string): number => 1000 * (metrics.find((one) => one.name === name)?.value ?? 0)
  return { ...seen, main: spent('TaskDuration'), layout: spent('LayoutDuration') }
}

/** In the page: once it is painted and two frames have passed. */
const SEEN = `(async () => {
  const paint = await new Promise((done) =>
    new PerformanceObserver((list) => done(list.getEntries()[0])).observe({ type: 'paint', buffered: true }))
  for (const _ of [1, 2]) await new Promise((done) => requestAnimationFrame(done))
  const [sent] = performance.getEntriesByType('navigation')
  return {
    firstByte: sent.responseStart - sent.requestStart,
    firstPaint: paint.startTime - sent.requestStart,
    kilobytes: sent.decodedBodySize / 1000,
    elements: document.querySelectorAll('*').length,
  }
})()`

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

function figuresOf(looks: ReadonlyMap<string, readonly Look[]>): Figures {
  const of = (path: string, key: keyof Look): number => median((looks.get(path) ?? []).map((one) => one[key]))
  const least = (path: string): number => Math.min(...(looks.get(path) ?? []).map((one) => one.firstPaint))
  return {
    rows: [...looks.keys()].map((path) => [
      path,
      `first paint ${of(path, 'firstPaint').toFixed(0)} ms (least ${least(path).toFixed(0)}), ` +
        `of it server ${of(path, 'firstByte').toFixed(0)} ms; processor time of the page ${of(path, 'main').toFixed(0)} ms, ` +
        `of it layout ${of(path, 'layout').toFixed(0)} ms; ${of(path, 'kilobytes').toFixed(0)} kB, ${of(path, 'elements')} elements`,
      path === '/empty' ? '' : 'first paint <= 200 ms',
    ]),
    json: Object.fromEntries(
      [...looks.keys()].flatMap((path) => [
        [`${path} first paint ms`, of(path, 'firstPaint')],
        [`${path} main ms`, of(path, 'main')],
      ]),
    ),
  }
}
