import { expect, onTestFinished, test, vi } from 'vitest'
import { createScaledClock } from '../support/scaled-clock.ts'

test('a scaled clock begins now, and its hour takes six minutes at ten times the pace', async () => {
  vi.useFakeTimers({ now: 1_000_000 })
  onTestFinished(() => void vi.useRealTimers())
  const clock = createScaledClock(10)
  const times: number[] = []
  clock.after(3_600_000, () => times.push(clock.now()))
  const slept = clock.sleep(7_200_000, new AbortController().signal).then(() => times.push(clock.now()))
  expect(clock.now()).toBe(1_000_000)
  await vi.advanceTimersByTimeAsync(720_000)
  await slept
  expect(times).toEqual([1_000_000 + 3_600_000, 1_000_000 + 7_200_000])
})
