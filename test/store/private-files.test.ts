// Folders that cannot be made. Below /proc, `recursive` of Node never ends: each is tried in a process with a deadline.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const SOURCE = join(import.meta.dirname, '../../src')
const DEADLINE = { timeout: 20_000, killSignal: 'SIGKILL', encoding: 'utf8' } as const

test.skipIf(!existsSync('/proc/self'))('a store in a folder that cannot be made is refused at once', () => {
  const program = `import { ensurePrivateFolder } from '${join(SOURCE, 'store/private-files.ts')}'
try { ensurePrivateFolder('/proc/none/data') } catch (err) { console.log(err.message) }`
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], DEADLINE)
  expect(stdout.trim()).toBe(
    'the folder /proc/none cannot be made (ENOENT): name one that this user may write to',
  )
})

test.skipIf(!existsSync('/proc/self'))('a cache folder that cannot be made is done without', () => {
  const env = { ...process.env, XDG_CACHE_HOME: '/proc/none' }
  const { status } = spawnSync(process.execPath, [join(SOURCE, 'dormouse.mjs'), '--help'], {
    ...DEADLINE,
    env,
  })
  expect(status).toBe(0)
})
