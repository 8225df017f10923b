// Modules that a process loads. Each costs memory for as long as a daemon runs, about three times the size of its text.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')

/** Prints what is loaded, one address a line, after the help of the command. */
const LISTING = `
  const urls = []
  require('node:module').registerHooks({
    load: (url, context, next) => (urls.push(url), next(url, context)),
  })
  process.on('exit', () => process.stdout.write('\\n' + urls.join('\\n')))`

/** Paths below the folder of the program of all modules that a command loads before it begins. */
function loadedBy(command: string): readonly string[] {
  const preload = `data:text/javascript,${encodeURIComponent(`import{createRequire}from'node:module';const require=createRequire('file:///x');${LISTING}`)}`
  const launcher = join(ROOT, 'src/dormouse.mjs')
  const text = execFileSync(process.execPath, ['--import', preload, launcher, command, '--help'], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] },
  })
  return text.split('\n').flatMap((line) => /^file:.*?\/((?:src|node_modules)\/.*)$/.exec(line)?.[1] ?? [])
}

test('the daemon loads neither the local service, nor mail, nor other commands', () => {
  const loaded = loadedBy('run')
  expect(loaded).toContain('src/daemon/daemon.ts')
  const needless = /^src\/(?:local|replay|cli\/(?:demo|check-service))\/|nodemailer|selfsigned/
  const commands = loaded.filter((path) => path.startsWith('src/cli/commands/'))
  expect(loaded.filter((path) => needless.test(path))).toEqual([])
  expect(commands).toEqual(['src/cli/commands/run.ts'])
})
