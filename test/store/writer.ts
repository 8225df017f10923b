// A program that writes batch after batch into the folder it is given, each with a change that ends, and prints the number of each that was acknowledged.
// The first that is rejected is told; then the limit on the size of files is lifted, as when a disk has room again, and it
// is written once more, with a few after it.
import { spawnSync } from 'node:child_process'
import { openEmbeddedStore } from '../../src/store/sqlite/embedded.ts'
import { addChange, transition } from '../../src/model/ports/journal.ts'
import { at } from '../support/build.ts'
import { changeOf } from '../support/changes.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { numbered } from './build.ts'
import { put } from '../support/writes.ts'

const AFTER = 5
const SESSIONS = 2

const store = openEmbeddedStore(process.argv[2] ?? '', fakeClock())
const first = (await store.account('main').load()).readings.ok + 1
let last = Number.POSITIVE_INFINITY
for (let index = first; index <= last; index += 1) {
  // oxlint-disable-next-line no-await-in-loop -- the next is written when this one was acknowledged
  await write(index).catch((cause: unknown) => {
    process.stderr.write(`${index} rejected: ${String(cause)}\n`)
    spawnSync('prlimit', ['--pid', String(process.pid), '--fsize=unlimited:'])
    last = index + AFTER
    return write(index)
  })
  process.stdout.write(`${index}\n`)
}
await store.close()

/** A batch, and a change that ends. */
async function write(index: number): Promise<void> {
  await put(store, numbered(index))
  // of computes of their own: one that a kill left open excludes no other
  const ref = { account: 'main', projectId: 'project-one', endpointId: `ep-${index}` }
  const change = changeOf({ id: `ch-${index}`, ref })
  const main = store.account('main')
  await addChange(main, change, { at: at(index) })
  const sent = { at: at(index), sessions: SESSIONS }
  const done = { at: 'done', because: 'verified', endedAt: at(index), sent } as const
  await transition(main, { change, to: done }, { at: at(index) })
}
