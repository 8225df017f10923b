// What a store leaves behind when it is killed, or when its disk is full.
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { FINE_STEP } from '../../src/model/ledger/rollup.ts'
import { isEnded } from '../../src/model/policy/change.ts'
import { sumOf } from '../../src/std/sum.ts'
import { openEmbeddedStore } from '../../src/store/sqlite/embedded.ts'
import { at } from '../support/build.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { testWith } from '../support/tiers.ts'
import { collected } from './build.ts'
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
  const { ok } = (await store.account('main').load()).readings
  expect(await collected(store.intervals('main', ALWAYS))).toHaveLength(ok)
  expect(await collected(store.rollups('main', { ...ALWAYS, length: FINE_STEP }))).toHaveLength(ok)
  const changes = await store.changes('main', { count: 100_000 })
  const ended = changes.filter(({ state }) => isEnded(state)).length
  const tallies = await store.changeTallies('main')
  expect(sumOf(tallies, ({ count }) => count)).toBe(ended)
  expect(sumOf(tallies, ({ interrupted }) => interrupted)).toBe(2 * ended)
  expect(ok - ended).toBeLessThanOrEqual(3)
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

testWith('bash', 'prlimit')(
  'a file that may not grow rejects the commit, keeps all before it, and takes it when it may',
  async () => {
    // Node ignores the signal, so that a write beyond the limit fails as on a disk that is full.
    const words = ['-c', 'ulimit -S -f 384; exec "$0" "$@"', process.execPath, WRITER, folder()]
    const child = spawn('bash', words, { stdio: ['ignore', 'pipe', 'pipe'] })
    let said = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text))
    const acknowledgedAll: number[] = []
    const last = await acknowledged(child, (index) => acknowledgedAll.push(index))
    expect(child.exitCode).toBe(0)
    const [, rejected = '', why = ''] = /^(\d+) rejected: Error: (.*)\n$/.exec(said) ?? [undefined, '', said]
    expect(why).toMatch(new RegExp(`^${join(folder(), 'dormouse.sqlite')} cannot be read or written`))
    expect(Number(rejected)).toBeGreaterThan(1)
    expect(last).toBe(Number(rejected) + 5)
    expect(acknowledgedAll).toEqual(Array.from({ length: last }, (_, index) => index + 1))
    expect(await wholeBatches(folder())).toBe(last)
  },
)
