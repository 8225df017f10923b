// What policies do where somebody else overwrites what a change had set: the whole daemon on virtual time.
import { expect, test } from 'vitest'
import { isEnded, type Change } from '../../../../src/model/policy/change.ts'
import { cu, seconds } from '../../../../src/model/units.ts'
import { IDS, inWorld, type World } from './foreign-world.ts'
import { bySize, longTest } from '../../../support/tiers.ts'

const HOUR = 3600
const policyOf = (answer: string, lever = 'delay') =>
  `mode: apply, levers: [${lever}], on_foreign_change: ${answer}`
const LONGER = { from: { delay: seconds(300) }, to: { delay: seconds(900) } }
const SHORTER = { from: { delay: seconds(300) }, to: { delay: seconds(60) } }

/** Sets its value every minute until the signal aborts. */
async function control({ clock, set }: World, value: number, until: AbortSignal): Promise<void> {
  while (!until.aborted) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await clock.sleep(seconds(60), until)
    // oxlint-disable-next-line no-await-in-loop -- likewise
    if (!until.aborted) await set({ suspend_timeout_seconds: value })
  }
}

const delayOf = ({ simulated }: World) => simulated.project(IDS.projectId)?.computes[0]?.config.suspendTimeout
const kindsOf = async (world: World, kind: string) =>
  (await world.events()).filter((event) => event['kind'] === kind)
const wasSent = ({ state }: Change) => isEnded(state) && state.sent !== undefined

const CONTROLLED = [
  ['a longer delay', LONGER, 0.5],
  ['a shorter one, which changes set at most once an hour', SHORTER, 2.5],
] as const
test.each(bySize<readonly (typeof CONTROLLED)[number][]>(CONTROLLED, CONTROLLED.slice(0, 1)))(
  'against a controller that sets %s back every minute: at most three changes, one alert, then none',
  async (_, wish, hours) => {
    await inWorld({ policy: policyOf('reapply'), recommendations: [wish] }, async (world) => {
      const end = new AbortController()
      const controlling = control(world, 300, end.signal)
      await world.passes(hours * HOUR)
      const changes = await world.changes()
      expect(changes.filter(wasSent)).toHaveLength(3)
      expect(await kindsOf(world, 'brake-engaged')).toMatchObject([{ brake: `controller.${IDS.endpointId}` }])
      expect(delayOf(world)).toBe(300)

      // another process knows it, too
      await world.restart()
      await world.passes(1800)
      expect(await world.changes()).toEqual(changes)
      expect(await kindsOf(world, 'brake-engaged')).toHaveLength(1)
      end.abort()
      await controlling
    })
  },
)

longTest('after the release by a person the policy sets its value again, and it stays', async () => {
  await inWorld({ policy: policyOf('reapply'), recommendations: [LONGER] }, async (world) => {
    const end = new AbortController()
    const controlling = control(world, 300, end.signal)
    await world.passes(1800)
    end.abort()
    await controlling
    await world.passes(1800)
    expect(delayOf(world)).toBe(300)
    const { storedBrakes } = world.daemon().runners.of('main').changes
    await storedBrakes.release(`controller.${IDS.endpointId}`, { by: 'ann', reason: 'it is off now' })
    await world.passes(1800)
    expect(delayOf(world)).toBe(900)
    expect((await world.changes()).filter(wasSent)).toHaveLength(4)
    expect(storedBrakes.engaged()).toEqual([])
  })
})

/** Somebody sets 400 s over the 900 s of a policy. */
async function overwritten(answer: string, live: (world: World) => Promise<void>): Promise<void> {
  await inWorld({ policy: policyOf(answer), recommendations: [LONGER] }, async (world) => {
    await world.passes(600)
    expect(delayOf(world)).toBe(900)
    await world.set({ suspend_timeout_seconds: 400 })
    await world.passes(600)
    await world.restart()
    await world.passes(2 * HOUR)
    await live(world)
    expect(await kindsOf(world, 'brake-engaged')).toEqual([])
  })
}

test('reapply: a change of the policy sets the value again', () =>
  overwritten('reapply', async (world) => {
    const [again, first, ...others] = await world.changes()
    expect(delayOf(world)).toBe(900)
    expect(again?.origin).toMatchObject({ by: 'policy', reapplies: first?.id })
    expect(again?.reason).toBe(
      `sets again what change ${first?.id} had set: somebody else set a delay of 400 s`,
    )
    expect(others).toEqual([])
    expect(await kindsOf(world, 'foreign-change')).toEqual([])
  }))

longTest('adopt: the value of somebody else stays', () =>
  overwritten('adopt', async (world) => {
    expect(delayOf(world)).toBe(400)
    expect(await world.changes()).toHaveLength(1)
    expect(await kindsOf(world, 'foreign-change')).toEqual([])
  }),
)

longTest('alert: it stays, with one event', () =>
  overwritten('alert', async (world) => {
    expect(delayOf(world)).toBe(400)
    const [change, ...others] = await world.changes()
    expect(others).toEqual([])
    const values = { ours: 'a delay of 900 s', theirs: 'a delay of 400 s' }
    expect(await kindsOf(world, 'foreign-change')).toMatchObject([
      { ref: { endpointId: IDS.endpointId }, changeId: change?.id, ...values },
    ])
  }),
)

longTest('a change that a person asks Dormouse for is not set back', async () => {
  await inWorld({ policy: policyOf('reapply'), recommendations: [LONGER] }, async (world) => {
    await world.passes(600)
    const { commands, runners } = world.daemon()
    const snapshot = runners.snapshot()
    if (!snapshot) throw new Error('a pass has ended')
    const asked = {
      compute: IDS.endpointId,
      account: undefined,
      when: 'now',
      size: undefined,
      delay: seconds(400),
      restart: false,
      until: undefined,
      reason: 'a test',
      propose: false,
    } as const
    expect(await commands.create(snapshot, asked, 'ann')).toMatchObject({ ok: true })
    await world.passes(2 * HOUR)
    expect(delayOf(world)).toBe(400)
    expect((await world.changes()).map(({ origin }) => origin.by)).toEqual(['person', 'policy'])
  })
})

longTest('a size that was overwritten is set again at the pace of the brakes', async () => {
  const size = {
    id: `${IDS.endpointId}.sizing.1`,
    kind: 'sizing',
    from: { sizing: { fixed: cu(1) } },
    to: { sizing: { min: cu(0.25), max: cu(1) } },
  } as const
  const given = { policy: policyOf('reapply', 'sizing'), recommendations: [size], project: { activity: [] } }
  await inWorld(given, async (world) => {
    await world.passes(HOUR)
    await world.set({ autoscaling_limit_min_cu: 2, autoscaling_limit_max_cu: 2 })
    await world.passes(HOUR)
    const [again, first] = await world.changes()
    expect([first?.state.at, again?.state.at]).toEqual(['superseded', 'scheduled'])
    expect(world.daemon().runners.of('main').changes.open()).toMatchObject([
      { hold: { because: 'compute-pace' } },
    ])
  })
})
