// A person asks for a change while the effect of another one is judged.
import { expect, test } from 'vitest'
import { foreignChanges } from '../../../../src/apply/foreign-changes.ts'
import { createChangeCommands } from '../../../../src/daemon/changes/commands.ts'
import { createChangeRules } from '../../../../src/daemon/changes/rules.ts'
import { planLimits } from '../../../../src/model/policy/plan-limits.ts'
import { addChange } from '../../../../src/model/ports/journal.ts'
import { cu, seconds } from '../../../../src/model/units.ts'
import { seenOf } from '../../../apply/build.ts'
import { compute, preset } from '../../../support/build.ts'
import { changeOf } from '../../../support/changes.ts'
import { fakeClock } from '../../../support/fake-clock.ts'
import { snapshotOf } from '../../../support/fleet-snapshot.ts'
import { memoryStore } from '../../../support/memory-store.ts'

const REF = { account: 'main', projectId: 'project-0', endpointId: 'ep-0' }
const SMALL = { fixed: cu(0.25) }

test('hers takes its place at once: nobody else has set the compute', async () => {
  const clock = fakeClock()
  const memory = memoryStore()
  const main = memory.account('main')
  const now = () => clock.now()
  const judged = changeOf({
    ref: REF,
    when: 'policy',
    desired: { sizing: SMALL },
    origin: { by: 'policy', id: 'ep-0.sizing.1', hash: 'h', name: 'policies[0]' },
    state: {
      at: 'verifying',
      since: now(),
      operationIds: [],
      sent: { at: now(), sessions: 0, effectiveAt: now() },
      judgement: { good: 1, bad: 0, lookedAt: undefined, restarts: 2 },
    },
  })
  await addChange(main, judged, { at: now() })
  await clock.advance(seconds(600))
  const snapshot = snapshotOf(1, { compute: () => ({ sizing: SMALL }) })
  const commands = createChangeCommands({
    snapshot: () => snapshot,
    journal: memory,
    history: memory,
    random: { unit: () => 0.5, uuid: () => 'abcdef0123' },
    log: { info: () => undefined },
    runnerOf: () =>
      ({
        store: main,
        now,
        send: () => Promise.resolve([]),
        wake: () => undefined,
        limits: () => ({ preset, limits: planLimits('interface', 'scale') }),
        policyHold: () => undefined,
      }) as never,
  })
  const asked = {
    compute: 'ep-0',
    account: undefined,
    size: { fixed: cu(2) },
    delay: undefined,
    restart: false,
    when: 'now',
    until: undefined,
    reason: 'too small',
    propose: false,
  } as const
  const answer = await commands.create(snapshot, asked, 'ann')
  if (!answer.ok) throw new Error(answer.error.message)
  const replaced = await memory.change('main', judged.id)
  expect(replaced?.state).toMatchObject({
    at: 'cancelled',
    because: expect.stringContaining('ann asked for'),
  })
  const rules = createChangeRules({
    account: 'main',
    journal: memory,
    duration: () => seconds(10),
    now,
    history: { gaps: async function* () {}, settings: async function* () {} },
  })
  const seen = seenOf({ endpointId: 'ep-0', sizing: SMALL }, { askedAt: now() })
  expect((await rules(answer.value.change, seen)).siblings).toBeUndefined()
  const watched = {
    compute: compute({ sizing: SMALL }),
    defaultDelay: seconds(300),
    changes: replaced ? [replaced] : [],
    settings: [],
    seenAt: now(),
  }
  expect(foreignChanges(watched)).toEqual([])
})
