import { expect, test } from 'vitest'
import { runLoop, type LoopTurn } from '../../src/daemon/loop.ts'
import type { Clock } from '../../src/model/ports/clock.ts'
import { after, seconds } from '../../src/model/units.ts'
import { fakeClock } from '../support/fake-clock.ts'

/** Seconds; `lookIn` counts from the end of the turn. */
type Turn = { readonly takes?: number; readonly failures?: number; readonly lookIn?: number }

const lookAfter = (clock: Pick<Clock, 'now'>, lookIn: number | undefined) =>
  lookIn === undefined ? undefined : after(clock.now(), seconds(lookIn))

/** When the turns began, in seconds after the loop, while time goes on for `span`. */
async function begun(turns: readonly Turn[], span: number, lookIn?: number): Promise<number[]> {
  const clock = fakeClock()
  const stop = new AbortController()
  const starts: number[] = []
  const turn = async (): Promise<LoopTurn> => {
    const { takes = 0, failures = 0, ...next } = turns[starts.length] ?? {}
    starts.push(clock.monotonic())
    await clock.sleep(seconds(takes), stop.signal)
    return { failures, nextLook: lookAfter(clock, next.lookIn) }
  }
  const nextLook = lookAfter(clock, lookIn)
  const running = runLoop(clock, { interval: seconds(60), turn, nextLook }, stop.signal)
  await clock.advance(seconds(span))
  stop.abort()
  await running
  return starts
}

test('turns begin an interval apart, however long they take', async () => {
  expect(await begun([{ takes: 59 }, { takes: 1 }], 240)).toEqual([60, 120, 180, 240])
})

test('ticks that a long turn covered are skipped', async () => {
  expect(await begun([{ takes: 136 }], 300)).toEqual([60, 240, 300])
})

test('a turn that is only just too long loses no tick: the next begins at its end', async () => {
  expect(await begun([{ takes: 62 }, { takes: 75 }, { takes: 135 }], 400)).toEqual([60, 122, 197, 332, 392])
})

test('while turns fail the wait doubles, up to eight intervals, and falls back at once', async () => {
  const failing = [1, 2, 3, 4, 5, 6].map((failures) => ({ failures }))
  expect(await begun(failing, 2200)).toEqual([60, 120, 240, 480, 960, 1440, 1920, 1980, 2040, 2100, 2160])
})

test('a turn starts at `nextLook`, and ticks are counted from it', async () => {
  expect(await begun([{ takes: 2, lookIn: 10 }], 240)).toEqual([60, 72, 132, 192])
})

test('the turn before the loop may ask for an early look, too', async () => {
  expect(await begun([], 200, 10)).toEqual([10, 70, 130, 190])
})

test.each([
  ['lies in the past', -30, 61],
  ['is now', 0, 61],
  ['comes after the next tick', 90, 120],
])('a `nextLook` that %s', async (_, lookIn, next) => {
  expect((await begun([{ lookIn }], 130))[1]).toBe(next)
})

test('an early look does not delay a turn that is due at once', async () => {
  expect(await begun([{ takes: 62, lookIn: 0 }], 130)).toEqual([60, 122])
})

test('a failing turn may still ask for an early look', async () => {
  const failing = [{ failures: 4, lookIn: 5 }, { failures: 5 }]
  expect(await begun(failing, 500)).toEqual([60, 65])
})

test('a week of one-minute turns', async () => {
  expect(await begun([], 7 * 86_400 + 60)).toHaveLength(10_081)
})

test('a clock that is set back or forward moves no tick', async () => {
  const clock = fakeClock()
  const stop = new AbortController()
  let turns = 0
  const turn = (): Promise<LoopTurn> => {
    turns += 1
    clock.step(seconds(turns === 1 ? -3600 : 7200))
    return Promise.resolve({ failures: 0, nextLook: undefined })
  }
  const running = runLoop(clock, { interval: seconds(60), turn }, stop.signal)
  await clock.advance(seconds(600))
  stop.abort()
  await running
  expect(turns).toBe(10)
})

test('stopping waits for no timer', async () => {
  const stop = new AbortController()
  const running = runLoop(
    fakeClock(),
    { interval: seconds(60), turn: () => Promise.reject(new Error('no turn is due')) },
    stop.signal,
  )
  stop.abort()
  await expect(running).resolves.toBeUndefined()
})

test('the first turn comes an interval after the turn before the loop began', async () => {
  const clock = fakeClock()
  const stop = new AbortController()
  const starts: number[] = []
  await clock.advance(seconds(45))
  const turn = (): Promise<LoopTurn> => {
    starts.push(clock.monotonic())
    return Promise.resolve({ failures: 0, nextLook: undefined })
  }
  const running = runLoop(clock, { interval: seconds(60), turn, lastStartedAt: seconds(10) }, stop.signal)
  await clock.advance(seconds(100))
  stop.abort()
  await running
  expect(starts).toEqual([70, 130])
})
