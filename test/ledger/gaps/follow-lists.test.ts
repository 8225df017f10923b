import { expect, test } from 'vitest'
import { followActivity } from '../../../src/ledger/gaps/follow-activity.ts'
import type { OwnSession } from '../../../src/model/ledger/evidence.ts'
import { MIN_GAP } from '../../../src/model/ledger/gap.ts'
import type { ListedActivity, Look } from '../../../src/model/observation.ts'
import type { Compute } from '../../../src/model/service/compute.ts'
import { seconds } from '../../../src/model/units.ts'
import { at } from '../../support/build.ts'
import { active, ref, secondsOf, session } from './looks.ts'

/** Activity that the list, a minute late, shows at `when` and did not a minute earlier. */
const listed = (when: number, lastActive: number, over: Partial<ListedActivity> = {}): ListedActivity => ({
  projectId: ref.projectId,
  lastActive: at(lastActive),
  askedAt: at(when),
  askedBefore: at(when - 60),
  lag: seconds(60),
  ...over,
})

/** A look that comes after lists of each minute from `since` on. */
const lookAfterLists = (
  since: number,
  when: number,
  lastActive: number,
  over: Partial<Compute> = {},
): Look => ({
  ...active(when, lastActive, over),
  quietUntil: at(when - 61),
  listed: { from: at(since), to: at(when - 1) },
})

/** Gaps with what lists and looks show, one after the other. */
function gapsOfLists(seen: readonly (Look | ListedActivity)[], ownSessions: readonly OwnSession[] = []) {
  let before: Parameters<typeof followActivity>[0]
  return seen.flatMap((one) => {
    const shown = 'compute' in one ? { looks: [one] } : { looks: [], listed: one }
    const { gaps, activity } = followActivity(before, { ref, ...shown, ownSessions, minGap: MIN_GAP })
    const last = 'compute' in one ? { compute: one.compute, observedAt: one.answeredAt } : before
    before = last && { ...last, activity }
    return gaps
  })
}

test.each<
  readonly [string, readonly (Look | ListedActivity)[], readonly OwnSession[], readonly (readonly number[])[]]
>([
  [
    'between two looks, without what is short',
    [active(0, -5), listed(120, 70), listed(600, 490), lookAfterLists(-60, 900, 895)],
    [],
    [
      [70, 409, 421],
      [490, 348, 406],
    ],
  ],
  ['no look has confirmed', [active(0, -5), listed(600, 490)], [], []],
  [
    'the lists before are missing',
    [active(0, -5), listed(600, 490, { askedBefore: undefined }), lookAfterLists(540, 900, 895)],
    [],
    [[490, 348, 406]],
  ],
  [
    'lists were missing for a tenth of the time before it',
    [
      active(0, -5),
      lookAfterLists(-60, 3600, -5),
      lookAfterLists(3940, 6000, -5),
      listed(7200, 7090),
      lookAfterLists(3940, 7300, 7090),
    ],
    [],
    [[-5, 7084, 7096]],
  ],
  [
    'lists were missing for more',
    [
      active(0, -5),
      lookAfterLists(-60, 3600, -5),
      lookAfterLists(4800, 6000, -5),
      listed(7200, 7090),
      lookAfterLists(4800, 7300, 7090),
    ],
    [],
    [],
  ],
  [
    'the list is older than the look',
    [active(0, -5), listed(30, -30), lookAfterLists(-60, 300, 290)],
    [],
    [[-5, 243, 296]],
  ],
  [
    'the same list again',
    [active(0, -5), listed(600, 490), listed(600, 490), lookAfterLists(-60, 900, 490)],
    [],
    [[-5, 484, 496]],
  ],
  [
    'a suspension in between',
    [
      active(0, -5),
      listed(600, 490),
      listed(720, 650),
      lookAfterLists(-60, 900, 650, { startedAt: at(488), suspendedAt: at(300) }),
    ],
    [],
    [],
  ],
  [
    'a suspension before them',
    [
      active(0, -5),
      listed(600, 495),
      listed(720, 650),
      lookAfterLists(-60, 900, 650, { startedAt: at(488), suspendedAt: at(300) }),
    ],
    [],
    [[495, 104, 156]],
  ],
  [
    'own activity in it',
    [active(0, -5), listed(600, 490), listed(900, 800), lookAfterLists(-60, 1000, 800)],
    [session(490)],
    [[-5, 784, 806]],
  ],
  [
    'activity that is dated ahead',
    [active(0, -5), listed(600, 9000), listed(720, 650), lookAfterLists(-60, 900, 650)],
    [],
    [],
  ],
])('%s', (_, seen, sessions, gaps) => {
  expect(secondsOf(gapsOfLists(seen, sessions))).toEqual(gaps)
})
