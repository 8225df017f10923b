// Steps of schedules with several windows, one of which begins while another is open, or as it closes.
/* oxlint-disable no-await-in-loop -- one pass after the other */
import { expect, test } from 'vitest'
import type { Window } from '../../../../src/calendar/window.ts'
import { createDecidedChanges } from '../../../../src/daemon/changes/decided/decided-changes.ts'
import { DEFAULT_RESTART_RULES } from '../../../../src/model/policy/change-policy.ts'
import { seconds } from '../../../../src/model/units.ts'
import { at } from '../../../support/build.ts'
import { budgetWorld, DAY, made, OFFICE_RULE } from './step-world.ts'

const HOUR = 3600

/** Each day, from and to in hours. */
const daily = (from: number, to: number): Window => ({
  at: (now) => {
    const day = Math.floor((now - at(0)) / (DAY * 1000))
    const open = { from: at(day * DAY + from * HOUR), to: at(day * DAY + to * HOUR) }
    return now >= open.from && now < open.to ? open : undefined
  },
  next: () => undefined,
  previous: () => undefined,
  between: () => [],
})

const WINDOWS = new Map([
  ['office', daily(9, 18)],
  ['evening', daily(18, 22)],
  ['lunch', daily(12, 13)],
])

type Schedule = readonly (readonly [window: string, delay: number])[]

async function worldWith(...schedule: Schedule) {
  const world = await budgetWorld([
    {
      ...OFFICE_RULE,
      autosuspend: {
        floor: seconds(60),
        ceiling: 'never',
        wakeCost: seconds(300),
        schedule: schedule.map(([window, delay]) => ({ window, delay: seconds(delay) })),
      },
    },
  ])
  const { config } = world.sources
  world.sources.config = () => ({ ...config(), windows: WINDOWS })
  world.restart()
  return world
}

test.each<readonly [string, Schedule, Readonly<Record<string, number>>]>([
  [
    'a window that begins as another closes',
    [
      ['office', 900],
      ['evening', 600],
    ],
    { 8: 300, 10: 900, 18.1: 600, 19: 600, 22.1: 300, 23: 300, 32: 300, 34: 900, 42.1: 600, 46.1: 300 },
  ],
  [
    'a window inside another one',
    [
      ['lunch', 120],
      ['office', 900],
    ],
    { 8: 300, 10: 900, 12.1: 120, 13.1: 900, 14: 900, 18.1: 300, 23: 300, 34: 900, 36.1: 120, 42.1: 300 },
  ],
  [
    'a window inside another one, with the delay of before',
    [
      ['lunch', 300],
      ['office', 900],
    ],
    { 8: 300, 10: 900, 12.1: 300, 13.1: 900, 18.1: 300, 34: 900, 36.1: 300, 37.1: 900, 42.1: 300 },
  ],
])('%s: the delay of before is put back after both', async (_, schedule, expected) => {
  for (const restarts of [false, true]) {
    const world = await worldWith(...schedule)
    const times = Object.keys(expected)
      .map(Number)
      .toSorted((a, b) => a - b)
    const delays: unknown[] = []
    for (const time of times) {
      // two passes: an open change lets another one wait
      for (const minute of [0, 1]) {
        if (restarts) world.restart()
        world.at(time * HOUR + 60 * minute)
        await world.pass()
      }
      delays.push(world.settingsOf('ep-0').autosuspendDelay)
    }
    expect(delays).toEqual(times.map((time) => expected[time]))
    expect(world.problems).toEqual([])
  }
})

test('a person who sets the delay between two windows keeps it', async () => {
  const world = await worldWith(['office', 900], ['evening', 600])
  world.at(10 * HOUR)
  await world.pass()
  world.at(15 * HOUR)
  await world.set('ep-0', { autosuspendDelay: seconds(240) })
  for (const time of [18.1, 18.2, 22.1, 22.2]) {
    world.at(time * HOUR)
    await world.pass()
  }
  expect(world.settingsOf('ep-0').autosuspendDelay).toBe(240)
})

test.each([false, true])(
  'a delay that a budget set stays, although a window had the same before a person set another (restarted: %s)',
  async (restarts) => {
    const world = await worldWith(['evening', 60])
    const passAt = async (time: number) => {
      if (restarts) world.restart()
      // the first pass of a process may only find that a step was overwritten
      for (const minute of [0, 1]) {
        world.at(time * HOUR + 60 * minute)
        await world.pass()
      }
      return world.settingsOf('ep-0').autosuspendDelay
    }
    const delays = [await passAt(19)]
    await world.set('ep-0', { autosuspendDelay: seconds(444) })
    delays.push(await passAt(20), await passAt(22.1))
    // of the next day, so that a put-back sets the value of the person
    world.reach(80)
    delays.push(await passAt(34))
    world.reach()
    delays.push(await passAt(48.1))
    world.reach(80)
    delays.push(await passAt(58), await passAt(59))
    world.reach()
    delays.push(await passAt(72.1))
    expect(delays).toEqual([60, 444, 444, 60, 444, 60, 60, 444])
  },
)

test('a step is put back although a pass listed its compute before it was sent', async () => {
  const world = await budgetWorld([OFFICE_RULE])
  world.at(17 * HOUR + 3590)
  const stale = await world.snapshot()
  await world.pass()
  expect(world.settingsOf('ep-0').autosuspendDelay).toBe(900)
  world.at(18 * HOUR + 5)
  const decided = createDecidedChanges(world.sources)
  await decided.decide({ ...stale, takenAt: at(18 * HOUR + 5) })
  world.at(18 * HOUR + 65)
  await decided.decide(await world.snapshot())
  expect((await made(world)).at(-1)?.[3]).toMatch(/^puts back/)
})

test('a delay waits for its compute until its window closes, longer than a restart', async () => {
  const restart = { ...DEFAULT_RESTART_RULES, maxWait: seconds(HOUR) }
  const world = await budgetWorld([{ ...OFFICE_RULE, restart }])
  world.at(9 * HOUR + 60)
  await world.decide()
  const [step] = await world.changes()
  expect(step?.deadline).toBe(at(18 * HOUR))
})
