// Refreshes a page in place and remembers dark or light. All of the page works without it.

/** Milliseconds. Doubled, a page is older, and asks half as often. */
const EVERY = 15_000

const root = document.documentElement
const THEME = 'dormouse-theme'

const remembered = () => {
  try {
    return localStorage.getItem(THEME)
  } catch {
    return null
  }
}

const remember = (theme) => {
  try {
    localStorage.setItem(THEME, theme)
  } catch {
    // a browser that keeps nothing shows the system's choice next time
  }
}

const showTheme = (theme) => {
  if (theme === 'dark' || theme === 'light') root.dataset.theme = theme
}

showTheme(remembered())

/** Milliseconds after which all is shown, also where nothing was painted: in a tab that nobody looks at. */
const PATIENCE = 1000

/** What a screen shows is painted first: most of a page's work is in what nobody sees yet. */
const showAllSoon = () => {
  root.dataset.early = ''
  const showAll = () => delete root.dataset.early
  new PerformanceObserver(showAll).observe({ type: 'paint', buffered: true })
  setTimeout(showAll, PATIENCE)
}

// a browser looks once for the section that an address names, and finds none that is hidden
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
    remember(theme)
    name()
  })
}

/** Whoever fills in a field or marks text is not disturbed. */
const isBusy = () =>
  document.hidden ||
  ['INPUT', 'SELECT', 'TEXTAREA'].includes(document.activeElement?.tagName) ||
  !getSelection().isCollapsed

/** The place of the focus within the page: a link by its address, the summary of details by their key. */
const focusKey = (element) => element?.getAttribute('href') ?? element?.closest('[data-key]')?.dataset.key

const focusables = (main) => [...main.querySelectorAll('a[href], summary, [tabindex="0"]')]

const replaceMain = (fresh) => {
  const main = document.getElementById('main')
  const active = document.activeElement
  const key = main.contains(active) ? focusKey(active) : undefined
  const open = new Set([...main.querySelectorAll('details[open]')].map((one) => one.dataset.key))
  for (const one of fresh.querySelectorAll('details')) one.open = open.has(one.dataset.key)
  main.replaceChildren(...fresh.childNodes)
  if (key !== undefined)
    focusables(main)
      .find((one) => focusKey(one) === key)
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

const refresh = async () => {
  if (isBusy()) return
  const answer = await fetch(location.href, { headers: { accept: 'text/html', 'if-none-match': tag } })
  if (!answer.ok || !answer.headers.get('content-type')?.startsWith('text/html')) return
  const text = await answer.text()
  if (isBusy()) return
  tag = answer.headers.get('etag') ?? ''
  show(text)
}

const refreshNow = () => {
  // an answer that does not come leaves the page as it is
  refresh().catch(() => undefined)
}

document.addEventListener('DOMContentLoaded', () => {
  offerTheme()
  setInterval(refreshNow, EVERY)
  document.addEventListener('visibilitychange', refreshNow)
})
