// What changes of an account keep in memory while none is open. Runs in a process of its own, with --expose-gc, and sends what it measured.
import { setImmediate } from 'node:timers/promises'
import { newPassState } from '../../src/daemon/pass/pass-state.ts'
import { computeKey } from '../../src/model/service/compute.ts'
import { seconds } from '../../src/model/units.ts'
import { ledger } from '../support/build.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { memoryStore } from '../support/memory-store.ts'
import { computeOf } from '../store/build.ts'
import { fakeService } from '../daemon/changes/fake-service.ts'
import { runnerOf } from '../daemon/changes/runner-of.ts'

/** `day`: after as many turns as there are in a day. */
export type LoopMemory = Readonly<{ begun: number; day: number }>

const COMPUTES = 10_000
const DAY = seconds(86_400)
/** One runner is less than what a heap changes by itself. */
const RUNNERS = 20

/** Finalizers run between collections of garbage, and what they release is found by the next one. */
const COLLECTIONS = 10

/** Bytes that somebody refers to. */
async function usedBytes(): Promise<number> {
  for (let done = 0; done < COLLECTIONS; done += 1) {
    global.gc?.()
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await setImmediate()
  }
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

const entries = Array.from({ length: COMPUTES }, (_, index) => computeOf(`ep-${index}`, `project-${index}`))
const state = newPassState(
  ledger({ computes: new Map(entries.map((entry) => [computeKey(entry.ref), entry])) }),
)
const stop = new AbortController()
const clock = fakeClock()
const start = () => {
  const runner = runnerOf({ clock, memory: memoryStore(), state, service: fakeService().service })
  return { runner, running: runner.run(stop.signal) }
}

const warm = start()
await clock.advance(seconds(120))
const before = await usedBytes()
const started = Array.from({ length: RUNNERS }, start)
await clock.advance(seconds(120))
const begun = ((await usedBytes()) - before) / RUNNERS
await clock.advance(DAY)
const day = ((await usedBytes()) - before) / RUNNERS
stop.abort()
await Promise.all([warm, ...started].map(({ running }) => running))
process.send?.({ begun, day } satisfies LoopMemory)
