// The system's own Chromium, which asks nobody but the host it is shown.
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'

/**
 * Of the driver's own list, which this one replaces, those that ask others; and pages of the browser's address bar, which take 0.7 s
 * of a processor with each window that is opened.
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

/** What a page did that it must not. */
export type Watched = {
  readonly page: Page
  /** Errors and warnings of the console, violations of the policy for content, and exceptions. */
  readonly complaints: readonly string[]
  /** Requests to other hosts; none was let through. */
  readonly strayed: readonly string[]
  /** Requests that are neither GET nor HEAD. */
  readonly sent: readonly string[]
}

export async function watchedPage(context: BrowserContext): Promise<Watched> {
  const [complaints, strayed, sent]: [string[], string[], string[]] = [[], [], []]
  const page = await context.newPage()
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('request', (request) => {
    if (!['GET', 'HEAD'].includes(request.method())) sent.push(`${request.method()} ${request.url()}`)
  })
  await page.route('**/*', async (route) => {
    const asked = route.request().url()
    if (new URL(asked).hostname === '127.0.0.1' || asked.startsWith('data:')) return route.continue()
    strayed.push(asked)
    return route.abort()
  })
  return { page, complaints, strayed, sent }
}
