#!/usr/bin/env node
// The launcher: refuses a Node that is too old for the program. Hence it imports nothing at the top.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 24 || (major === 24 && minor < 11)) {
  process.stderr.write(
    `dormouse needs Node 24.11 or newer, this is ${process.versions.node}. ` +
      'Run it inside its folder with "npm run -s dormouse --", which brings its own.\n',
  )
  process.exit(2)
}
const { existsSync, lstatSync, mkdirSync, realpathSync } = await import('node:fs')
const { enableCompileCache } = await import('node:module')
const { homedir } = await import('node:os')
const path = await import('node:path')
const cacheFolder = privateCacheFolder()
// Saves 0.3 s of a start. Never the folder that Node would choose: it is for all users, and what lies in it is run.
if (cacheFolder !== undefined) enableCompileCache(cacheFolder)
await import('./main.ts')

/** `dormouse` in the user's cache folder; undefined where somebody else could put files in it, or where it cannot be created. */
function privateCacheFolder() {
  try {
    // oxlint-disable-next-line node/no-process-env -- a convention of the machine, needed before the program is loaded
    const parent = process.env.XDG_CACHE_HOME || path.join(homedir(), '.cache')
    const folder = path.resolve(parent, 'dormouse')
    const missing = []
    let existing = folder
    for (; !existsSync(existing); existing = path.dirname(existing)) missing.unshift(existing)
    // before anything is created: root leaves nothing in the home of another user
    if (!isGuarded(existing)) return undefined
    // one level after the other: below /proc, `recursive` of Node 24 never ends
    for (const each of missing) mkdirSync(each, { mode: 0o700 })
    const real = realpathSync(folder)
    const { uid, mode } = lstatSync(real)
    return uid === process.geteuid() && (mode & 0o077) === 0 && isGuarded(real) ? real : undefined
  } catch {
    return undefined
  }
}

/**
 * Both must hold for the folder and each one above it:
 * 1. it belongs to this user or root;
 * 2. nobody else can write to it, or its sticky bit keeps others from exchanging what is in it.
 */
function isGuarded(folder) {
  const real = realpathSync(folder)
  const { uid, mode } = lstatSync(real)
  const isOwn = uid === process.geteuid() || uid === 0
  const isFixed = (mode & 0o022) === 0 || (mode & 0o1000) !== 0
  return isOwn && isFixed && (path.dirname(real) === real || isGuarded(path.dirname(real)))
}
