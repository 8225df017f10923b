// A program that writes batch after batch into the folder it is given, and prints the number of each that was acknowledged.
import { fakeClock } from '../support/fake-clock.ts'
import { openEmbeddedStore } from '../../src/store/embedded.ts'
import { numbered } from './build.ts'

const store = openEmbeddedStore(process.argv[2] ?? '', fakeClock())
const first = (await store.load('main')).readings.ok + 1
for (let index = first; ; index += 1) {
  // oxlint-disable-next-line no-await-in-loop -- the next is written when this one was acknowledged
  await store.commit(numbered(index))
  process.stdout.write(`${index}\n`)
}
