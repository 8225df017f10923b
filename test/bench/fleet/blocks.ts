// How long the event loop gives nobody a turn: by the clock, and by what its own thread worked meanwhile.
import { PerformanceObserver } from 'node:perf_hooks'

export type Blocks = {
  /** ms, which other programs on a busy machine lengthen. */
  readonly longest: number
  /** ms of CPU of the thread between two turns: the same on a busy machine, but without what it waited for. */
  readonly longestWork: number
  /** ms by the clock of the longest pause for garbage, which is part of both. */
  readonly longestGarbage: number
}

/** ms between two turns that nobody holds up. Doubled, half as many blocks of that length are met. */
const TICK = 10

export function watchBlocks(): { readonly stop: () => Blocks } {
  let [longest, longestWork, longestGarbage] = [0, 0, 0]
  const garbage = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longestGarbage = Math.max(longestGarbage, duration)
  })
  garbage.observe({ entryTypes: ['gc'] })
  let [turnedAt, worked] = [performance.now(), workOf()]
  const timer = setInterval(() => {
    const [now, work] = [performance.now(), workOf()]
    longest = Math.max(longest, now - turnedAt - TICK)
    longestWork = Math.max(longestWork, work - worked)
    turnedAt = now
    worked = work
  }, TICK)
  return {
    stop: () => {
      clearInterval(timer)
      garbage.disconnect()
      return { longest, longestWork, longestGarbage }
    },
  }
}

function workOf(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
