import { expect, test } from 'vitest'
import { createClock } from '../../src/daemon/clock.ts'
import { seconds } from '../../src/model/units.ts'

test.each([
  ['that goes on', new AbortController().signal],
  ['that was stopped: what is still to be done holds nobody up', AbortSignal.abort()],
])('others have their turn during a sleep of nothing in a daemon %s', async (_, signal) => {
  const order: string[] = []
  setImmediate(() => order.push('others'))
  await createClock().sleep(seconds(0), signal)
  order.push('awake')
  expect(order).toEqual(['others', 'awake'])
})

test('a sleep ends when it is stopped', async () => {
  const stop = new AbortController()
  const slept = createClock().sleep(seconds(86_400), stop.signal)
  stop.abort()
  await expect(slept).resolves.toBeUndefined()
})

test('work gives up a turn only when it has run for 20 ms', async () => {
  const clock = createClock()
  const order: string[] = []
  setImmediate(() => order.push('others'))
  await clock.yield()
  order.push('after a short turn')
  const until = clock.monotonic() + 0.025
  while (clock.monotonic() < until);
  await clock.yield()
  order.push('after a long turn')
  expect(order).toEqual(['after a short turn', 'others', 'after a long turn'])
})
