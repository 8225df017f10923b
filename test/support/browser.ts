// The system's Chromium, without requests to hosts other than the one it is given.
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'

/**
 * Features turned off, in place of the driver's own list: those that send requests to others, and pages of the address bar, which cost
 * 0.7 s of CPU per window.
 */
const WITHOUT = [
  'AimEnabled',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PreconnectToSearch',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxPopup',
]

const QUIET = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--disable-features=${WITHOUT.join(',')}`,
]

export const openBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: '/usr/bin/chromium', args: QUIET })

/** Milliseconds. Only ends what hangs: on a busy machine a screenshot of a whole page can take longer than the usual 30 s. */
const DEADLINE = 150_000

/** Violations of a page. */
export type Watched = {
  readonly page: Page
  /** Errors and warnings of the console, violations of the content security policy, and exceptions. */
  readonly complaints: readonly string[]
  /** Requests to other hosts; none was let through. */
  readonly strayed: readonly string[]
  /** Requests that are neither GET nor HEAD. */
  readonly sent: readonly string[]
}

export async function watchedPage(context: BrowserContext): Promise<Watched> {
  const [complaints, strayed, sent]: [string[], string[], string[]] = [[], [], []]
  const page = await context.newPage()
  page.setDefaultTimeout(DEADLINE)
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('request', (request) => {
    if (!['GET', 'HEAD'].includes(request.method())) sent.push(`${request.method()} ${request.url()}`)
  })
  await page.route('**/*', async (route) => {
    const url = route.request().url()
    if (new URL(url).hostname === '127.0.0.1' || url.startsWith('data:')) return route.continue()
    strayed.push(url)
    return route.abort()
  })
  return { page, complaints, strayed, sent }
}
