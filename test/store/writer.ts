// A program that writes batch after batch into the folder it is given, and prints the number of each that was acknowledged.
// The first that is rejected is told; then the limit on the size of files is lifted, as when a disk has room again, and it
// is written once more, with a few after it.
import { spawnSync } from 'node:child_process'
import { openEmbeddedStore } from '../../src/store/sqlite/embedded.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { numbered } from './build.ts'
import { put } from '../support/writes.ts'

const AFTER = 5

const store = openEmbeddedStore(process.argv[2] ?? '', fakeClock())
const first = (await store.account('main').load()).readings.ok + 1
let last = Number.POSITIVE_INFINITY
for (let index = first; index <= last; index += 1) {
  // oxlint-disable-next-line no-await-in-loop -- the next is written when this one was acknowledged
  await put(store, numbered(index)).catch((cause: unknown) => {
    process.stderr.write(`${index} rejected: ${String(cause)}\n`)
    spawnSync('prlimit', ['--pid', String(process.pid), '--fsize=unlimited:'])
    last = index + AFTER
    return put(store, numbered(index))
  })
  process.stdout.write(`${index}\n`)
}
await store.close()
