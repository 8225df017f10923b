// Refreshes the page in place and remembers the chosen theme. The page works without it.

/** Milliseconds between refreshes: passes run once a minute, so a page is at most 15 s behind the last one. */
const REFRESH_INTERVAL = 15_000

const root = document.documentElement
const THEME_KEY = 'dormouse-theme'

const storedTheme = () => {
  try {
    return localStorage.getItem(THEME_KEY)
  } catch {
    return null
  }
}

const storeTheme = (theme) => {
  try {
    localStorage.setItem(THEME_KEY, theme)
  } catch {
    // without local storage the next page follows the system's setting
  }
}

const showTheme = (theme) => {
  if (theme === 'dark' || theme === 'light') root.dataset.theme = theme
}

showTheme(storedTheme())

/** Milliseconds after which all rows are shown, even if nothing was painted: background tabs do not paint. */
const MAX_PAINT_WAIT = 1000

/** Paints the first screen before the rest is laid out, which is most of the work of a page. */
const showAllSoon = () => {
  root.dataset.early = ''
  const showAll = () => delete root.dataset.early
  new PerformanceObserver(showAll).observe({ type: 'paint', buffered: true })
  setTimeout(showAll, MAX_PAINT_WAIT)
}

// a browser scrolls once to the section that a fragment names, and cannot scroll to a hidden one
if (location.hash === '') showAllSoon()

const isDark = () =>
  getComputedStyle(root).colorScheme === 'dark' ||
  (!root.dataset.theme && matchMedia('(prefers-color-scheme: dark)').matches)

const offerTheme = () => {
  const button = document.getElementById('theme')
  const name = () => {
    button.textContent = isDark() ? 'Light' : 'Dark'
  }
  name()
  button.hidden = false
  button.addEventListener('click', () => {
    const theme = isDark() ? 'light' : 'dark'
    showTheme(theme)
    storeTheme(theme)
    name()
  })
}

/** Whether a refresh would disturb: hidden page, focused field, selected text. */
const isBusy = () =>
  document.hidden ||
  ['INPUT', 'SELECT', 'TEXTAREA'].includes(document.activeElement?.tagName) ||
  !getSelection().isCollapsed

/** Identifies the focused element across a refresh: a link by its address, a summary by the key of its details. */
const focusKey = (element) => element?.getAttribute('href') ?? element?.closest('[data-key]')?.dataset.key

const focusables = (main) => [...main.querySelectorAll('a[href], summary, [tabindex="0"]')]

const replaceMain = (fresh) => {
  const main = document.getElementById('main')
  const active = document.activeElement
  const key = main.contains(active) ? focusKey(active) : undefined
  const open = new Set([...main.querySelectorAll('details[open]')].map((details) => details.dataset.key))
  for (const details of fresh.querySelectorAll('details')) details.open = open.has(details.dataset.key)
  main.replaceChildren(...fresh.childNodes)
  if (key !== undefined)
    focusables(main)
      .find((element) => focusKey(element) === key)
      ?.focus({ preventScroll: true })
}

const replaceBanner = (fresh) => {
  const banner = document.getElementById('banner')
  if (banner.textContent === fresh.textContent) return
  banner.className = fresh.className
  banner.replaceChildren(...fresh.childNodes)
}

const show = (text) => {
  const page = new DOMParser().parseFromString(text, 'text/html')
  replaceMain(page.getElementById('main'))
  replaceBanner(page.getElementById('banner'))
  document.querySelector('footer').replaceWith(page.querySelector('footer'))
}

let tag = ''

/** The page stays, and no longer looks current. The next answer is asked for whole, as its banner replaces this one. */
const showStale = (problem) => {
  tag = ''
  const banner = document.createElement('div')
  banner.className = 'banner bad'
  banner.textContent = `${problem}: this page shows what was seen last.`
  replaceBanner(banner)
}

const refresh = async () => {
  if (isBusy()) return
  const response = await fetch(location.href, { headers: { accept: 'text/html', 'if-none-match': tag } })
  if (response.status === 304) return
  // a page also says that a compute was deleted, or that Dormouse is starting
  if (!response.headers.get('content-type')?.startsWith('text/html')) {
    showStale(`Dormouse refuses to refresh this page (status ${response.status})`)
    return
  }
  const text = await response.text()
  if (isBusy()) return
  tag = response.headers.get('etag') ?? ''
  show(text)
}

const refreshNow = () => {
  refresh().catch(() => showStale('Dormouse does not answer'))
}

document.addEventListener('DOMContentLoaded', () => {
  offerTheme()
  setInterval(refreshNow, REFRESH_INTERVAL)
  document.addEventListener('visibilitychange', refreshNow)
})
