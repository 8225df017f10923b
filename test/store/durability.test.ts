// What a store leaves behind when it is killed, or when its disk is full.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { FINE } from '../../src/model/rollup.ts'
import { openEmbeddedStore } from '../../src/store/embedded.ts'
import { at } from '../support/build.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { numbered } from './build.ts'
import { collected } from './contract.ts'
import { eachInItsFolder } from './folder.ts'

const WRITER = fileURLToPath(new URL('./writer.ts', import.meta.url))

const { folder } = eachInItsFolder()

const ALWAYS = { from: at(0), to: at(1e9) }

/** The last number the writer acknowledged before it ended; `told` hears each. */
async function acknowledged(child: ChildProcess, told: (index: number) => void): Promise<number> {
  let last = 0
  if (!child.stdout) throw new Error('the writer is heard')
  for await (const line of createInterface({ input: child.stdout })) {
    last = Number(line)
    told(last)
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  return last
}

/** How many batches are there; fails when one is there in part. */
async function wholeBatches(place: string): Promise<number> {
  const store = openEmbeddedStore(place, fakeClock())
  const { ok } = (await store.load('main')).readings
  expect(await collected(store.intervals('main', ALWAYS))).toHaveLength(ok)
  expect(await collected(store.rollups('main', { ...ALWAYS, length: FINE }))).toHaveLength(ok)
  await store.close()
  return ok
}

test('kill −9 in the middle of writing loses nothing that was acknowledged, and frees the folder', async () => {
  let before = 0
  for (const after of [1, 7, 25]) {
    const child = spawn(process.execPath, [WRITER, folder()], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    // oxlint-disable-next-line no-await-in-loop -- one daemon after the other
    const last = await acknowledged(child, (index) => {
      if (index === before + after) child.kill('SIGKILL')
    })
    expect(last).toBeGreaterThanOrEqual(before + after)
    // oxlint-disable-next-line no-await-in-loop -- likewise
    before = await wholeBatches(folder())
    expect(before).toBeGreaterThanOrEqual(last)
  }
})

test('a file that may not grow rejects the commit, and keeps all before it', async () => {
  // Node ignores the signal, so that a write beyond the limit fails as on a broken disk.
  const limited = `ulimit -f 256; exec "$0" "$@"`
  const words = ['-c', limited, process.execPath, WRITER, folder()]
  const child = spawn('bash', words, { stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text))
  const last = await acknowledged(child, () => undefined)
  expect(said).toContain(join(folder(), 'dormouse.sqlite'))
  expect(last).toBeGreaterThan(0)
  expect(await wholeBatches(folder())).toBe(last)
})

const mounted = (place: string): boolean =>
  spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', place]).status === 0

describe('on a full disk', () => {
  test('a commit rejects, and the next one succeeds when there is room', async ({ skip }) => {
    const place = join(folder(), 'small')
    mkdirSync(place)
    if (!mounted(place)) skip('mounting a small disk needs root')
    try {
      const store = openEmbeddedStore(place, fakeClock())
      let index = 0
      const writeMany = async (): Promise<void> => {
        for (; index < 5000; index += 1) {
          // oxlint-disable-next-line no-await-in-loop -- until the disk is full
          await store.commit(numbered(index + 1))
        }
      }
      await expect(writeMany()).rejects.toThrow(
        /dormouse.sqlite (cannot grow: the disk is full|cannot be read or written)/,
      )
      await expect(store.commit(numbered(index + 1))).rejects.toThrow('dormouse.sqlite')
      expect((await store.load('main')).readings.ok).toBe(index)
      expect(spawnSync('mount', ['-o', 'remount,size=8m', place]).status).toBe(0)
      await store.commit(numbered(index + 1))
      await store.close()
      expect(await wholeBatches(place)).toBe(index + 1)
    } finally {
      spawnSync('umount', [place])
    }
  })
})
