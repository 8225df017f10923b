import { expect, test } from 'vitest'
import { runLoop } from '../../src/daemon/loop.ts'
import { seconds } from '../../src/model/units.ts'
import { fakeClock } from '../support/fake-clock.ts'

type Turn = { readonly takes?: number; readonly failures?: number }

/** When the turns began, in seconds after the loop, while time goes on for `span`. */
async function begun(turns: readonly Turn[], span: number): Promise<number[]> {
  const clock = fakeClock()
  const stop = new AbortController()
  const starts: number[] = []
  const turn = async (): Promise<number> => {
    const { takes = 0, failures = 0 } = turns[starts.length] ?? {}
    starts.push(clock.monotonic())
    await clock.sleep(seconds(takes), stop.signal)
    return failures
  }
  const running = runLoop(clock, { interval: seconds(60), turn }, stop.signal)
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

test('a clock that is set back or forward moves no tick', async () => {
  const clock = fakeClock()
  const stop = new AbortController()
  let turns = 0
  const turn = (): Promise<number> => {
    turns += 1
    clock.step(seconds(turns === 1 ? -3600 : 7200))
    return Promise.resolve(0)
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
  const turn = (): Promise<number> => {
    starts.push(clock.monotonic())
    return Promise.resolve(0)
  }
  const running = runLoop(clock, { interval: seconds(60), turn, turnedAt: seconds(10) }, stop.signal)
  await clock.advance(seconds(100))
  stop.abort()
  await running
  expect(starts).toEqual([70, 130])
})
