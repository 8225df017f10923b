// How long the event loop gives nobody a turn: by the clock, and by what its own thread worked meanwhile.
import {
  constants,
  type NodeGCPerformanceDetail,
  type PerformanceEntry,
  PerformanceObserver,
} from 'node:perf_hooks'

export type Blocks = {
  /** ms, which other programs on a busy machine lengthen. */
  readonly longest: number
  /** How many were longer than the daemon may hold up its loop. */
  readonly tooLong: number
  /** ms of CPU of the thread between two turns: the same on a busy machine, but without what it waited for. */
  readonly longestWork: number
  /** ms by the clock of the longest pauses for garbage, which are part of both: for what is young, and for all. */
  readonly longestGarbage: { readonly young: number; readonly all: number }
}

/** ms. */
const GOAL = 50

/** ms between two turns that nobody holds up. Doubled, half as many blocks of that length are met. */
const TICK = 10

/** The types of Node know entries without what only some of them have. */
type Garbage = PerformanceEntry & { readonly detail?: NodeGCPerformanceDetail }

export function watchBlocks(): { readonly stop: () => Blocks } {
  let [longest, longestWork, tooLong] = [0, 0, 0]
  const longestGarbage = { young: 0, all: 0 }
  const garbage = new PerformanceObserver((list) => {
    for (const { duration, detail } of list.getEntries() as readonly Garbage[]) {
      const which = detail?.kind === constants.NODE_PERFORMANCE_GC_MINOR ? 'young' : 'all'
      longestGarbage[which] = Math.max(longestGarbage[which], duration)
    }
  })
  garbage.observe({ entryTypes: ['gc'] })
  let [turnedAt, worked] = [performance.now(), workOf()]
  const timer = setInterval(() => {
    const [now, work] = [performance.now(), workOf()]
    const block = now - turnedAt - TICK
    longest = Math.max(longest, block)
    if (block > GOAL) tooLong += 1
    longestWork = Math.max(longestWork, work - worked)
    turnedAt = now
    worked = work
  }, TICK)
  return {
    stop: () => {
      clearInterval(timer)
      garbage.disconnect()
      return { longest, tooLong, longestWork, longestGarbage }
    },
  }
}

function workOf(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
