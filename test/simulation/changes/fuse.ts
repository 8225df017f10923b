// What ends a daemon: after so many calls of its ports none of them ever returns.
import type { Clock } from '../../../src/model/ports/clock.ts'

export type Fuse = Readonly<{
  /** Calls so far, each counted before it works and after it did. */
  calls: () => number
  isBurnt: () => boolean
  /** Burns after so many further calls, unless it burns earlier. */
  arm: (calls: number) => void
  /** Counts a call. @returns whether the daemon goes on */
  hasPassed: () => boolean
  /** Counts a call; resolves unless the daemon has ended. */
  pass: () => Promise<void>
  /** Resolves when it burns. */
  burnt: Promise<void>
  /** What a daemon that has ended waits for; of this fuse alone, so that nothing holds the daemon in memory. */
  never: Promise<never>
}>

export function createFuse(): Fuse {
  const { promise: burnt, resolve } = Promise.withResolvers<void>()
  const never = new Promise<never>(() => undefined)
  let [calls, limit] = [0, Infinity]
  const hasPassed = (): boolean => {
    calls += 1
    if (calls > limit) resolve()
    return calls <= limit
  }
  return {
    calls: () => calls,
    isBurnt: () => calls > limit,
    arm: (further) => {
      limit = Math.min(limit, calls + further)
    },
    hasPassed,
    pass: async () => {
      if (!hasPassed()) await never
    },
    burnt,
    never,
  }
}

/** Methods that answer at once, and take part in no I/O. */
const AT_ONCE: ReadonlySet<PropertyKey> = new Set(['isCurrent', 'refusalOf', 'evict'])

/** Each method is a call before it works and after it did; streams end a daemon at their begin, too. */
export function fused<Port extends object>(port: Port, fuse: Fuse): Port {
  const methods = new Map<PropertyKey, unknown>()
  return new Proxy(port, {
    get: (target, name) => {
      const known = methods.get(name)
      if (known !== undefined) return known
      const method: unknown = Reflect.get(target, name)
      if (typeof method !== 'function' || AT_ONCE.has(name)) return method
      const made = fusedMethod(method.bind(target) as Method, name, fuse)
      methods.set(name, made)
      return made
    },
  })
}

type Method = (...given: readonly unknown[]) => unknown

function fusedMethod(call: Method, name: PropertyKey, fuse: Fuse): Method {
  if (name === 'account') return (...given) => fused(call(...given) as object, fuse)
  if (STREAMS.has(name)) return (...given) => streamed(() => call(...given), fuse)
  return async (...given) => {
    await fuse.pass()
    const result = await call(...given)
    await fuse.pass()
    return result
  }
}

/** Of the history. */
const STREAMS: ReadonlySet<PropertyKey> = new Set([
  'days',
  'intervals',
  'awakeTimes',
  'rollups',
  'gaps',
  'settings',
  'recommendations',
  'advice',
])

const streamed = (read: () => unknown, fuse: Fuse): AsyncIterable<unknown> => ({
  [Symbol.asyncIterator]: () => {
    let rows: AsyncIterator<unknown> | undefined
    const first = async () => {
      await fuse.pass()
      rows = (read() as AsyncIterable<unknown>)[Symbol.asyncIterator]()
      return rows.next()
    }
    return { next: () => (rows ? rows.next() : first()) }
  },
})

/** Nobody wakes from a sleep in a daemon that has ended. */
export const fusedClock = (clock: Clock, fuse: Fuse): Clock => ({
  ...clock,
  sleep: async (span, signal) => {
    await clock.sleep(span, signal)
    if (fuse.isBurnt()) await fuse.never
  },
  yield: async () => {
    await clock.yield()
    if (fuse.isBurnt()) await fuse.never
  },
})
