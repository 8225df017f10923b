// What the service's count tells of the sizes of computes that move inside a range.
import type { Habit, ProjectCount } from '../../model/counted.ts'
import type { ProjectAccount } from '../../model/ledger.ts'
import { eachInTurns, type Steps } from '../../model/steps.ts'
import { cuMillis, ratio, type Ratio } from '../../model/units.ts'
import { NOT_COUNTED, type CountedSizes } from '../sizing.ts'
import { NO_HABIT } from './count.ts'

/** What a project's own habit is mixed with of that of all, CU·ms of room. Doubled, a project is taken for one like the others for twice as long. */
const MIXED = 3_600_000

/** Projects of one step. Doubled, the event loop is held up for a millisecond longer. */
const PROJECTS = 2000

/** What all projects of an account tell together. */
export function* habitOf(projects: Iterable<ProjectAccount>): Steps<Habit> {
  let [used, room] = [0, 0]
  yield* eachInTurns(projects, PROJECTS, ({ count }) => {
    if (!count) return
    used += count.habit.used + count.open.used
    room += count.habit.room + count.open.room
  })
  return { used: cuMillis(used), room: cuMillis(room) }
}

/** @param all the habit of the whole account */
export function countedSizes(count: ProjectCount | undefined, all: Habit): CountedSizes {
  const expected = expectedShare(count, all)
  if (!count) return { ...NOT_COUNTED, expected }
  return { shares: count.shares, expected, until: count.shares.at(-1)?.to }
}

function expectedShare(count: ProjectCount | undefined, all: Habit): Ratio | undefined {
  if (all.room === 0) return undefined
  const { habit, open } = count ?? { habit: NO_HABIT, open: NO_HABIT }
  const own = { used: habit.used + open.used, room: habit.room + open.room }
  return ratio((own.used + (MIXED * all.used) / all.room) / (own.room + MIXED))
}
