import { describe, expect, test } from 'vitest'
import type { Hold } from '../../../../src/model/policy/hold.ts'
import { plansSchema } from '../../../../src/outputs/text/change-schema.ts'
import { at } from '../../../support/build.ts'
import { asked, daemonOf } from '../../../support/changes-daemon.ts'

describe('plans', () => {
  test('of a compute are its open changes and what its open recommendations would change', async () => {
    const daemon = await daemonOf()
    const id = await asked(daemon)
    const [, answer] = await daemon.ask('/plan?name=shop')
    const { plans } = plansSchema.parse(answer)
    expect(plans.map((plan) => [plan.change_id, plan.recommendation_id])).toEqual([
      [id, null],
      [null, 'ep-0.delay.1'],
      [null, 'ep-0.sizing.1'],
    ])
  })

  test('of nobody are refused, and so is a moment that is none', async () => {
    const daemon = await daemonOf()
    expect(await daemon.ask('/plan?name=nobody')).toEqual([
      404,
      { message: 'no compute, project, recommendation or open change is called nobody' },
    ])
    expect(await daemon.ask('/plan?when=later')).toEqual([
      400,
      { message: 'when: expected idle or now, got later' },
    ])
  })

  test.each<[string, string, object, string, string]>([
    ['asleep', 'ep-0', { max_cu: 2 }, 'null', 'yes'],
    ['awake', 'ep-3', { max_cu: 2 }, 'awake', 'unknown'],
    ['never asleep', 'ep-3', { max_cu: 2, delay_seconds: 'never' }, 'awake', 'unknown'],
    ['a restart at once', 'ep-3', { restart: true, when: 'now' }, 'null', 'yes'],
    ['a restart of one that sleeps', 'ep-0', { restart: true }, 'next-start', 'unknown'],
    ['a restart at once of one that sleeps', 'ep-0', { restart: true, when: 'now' }, 'next-start', 'unknown'],
    ['a delay', 'ep-3', { delay_seconds: 600 }, 'null', 'yes'],
  ])(
    'say what a change waits for and whether that comes in time: %s',
    async (_, compute, body, hold, likely) => {
      const daemon = await daemonOf()
      const id = await asked(daemon, { compute, ...body })
      const [, answer] = await daemon.ask(`/plan?name=${id}`)
      const [plan] = plansSchema.parse(answer).plans
      expect([String(plan?.waits_for && plan.waits_for.because), plan?.likely_in_time]).toEqual([
        hold,
        likely,
      ])
    },
  )

  test.each<[string, object, Hold | undefined, string]>([
    ['a hold beyond the deadline', { max_cu: 2 }, { because: 'hold', until: at(30 * 86_400) }, 'no'],
    ['a hold before it', { max_cu: 2 }, { because: 'hold', until: at(86_400) }, 'yes'],
    [
      'a freeze beyond the deadline',
      { delay_seconds: 600 },
      { because: 'freeze', until: at(30 * 86_400) },
      'no',
    ],
    ['a window of the past', { max_cu: 2 }, { because: 'outside-window', until: undefined }, 'no'],
    ['a brake of a person', { max_cu: 2 }, { because: 'brake', until: undefined }, 'unknown'],
    ['an approval', { max_cu: 2, propose: true }, undefined, 'unknown'],
  ])('say whether what holds a change ends in time: %s', async (_, body, held, likely) => {
    const slot = { from: at(86_400), to: at(2 * 86_400) }
    const daemon = await daemonOf({ policyHold: () => held, slotOf: () => slot })
    const id = await asked(daemon, { compute: 'ep-0', ...body })
    const plans = [{ waits_for: { because: held?.because ?? 'approval' }, likely_in_time: likely }]
    expect(await daemon.ask(`/plan?name=${id}`)).toMatchObject([200, { plans }])
  })

  test('say nothing of the time where the kill switch is engaged', async () => {
    const daemon = await daemonOf({ isKilled: true })
    const id = await asked(daemon, { compute: 'ep-0', max_cu: 2 })
    const stopped = { waits_for: { because: 'kill-switch' }, likely_in_time: 'unknown' }
    expect(await daemon.ask(`/plan?name=${id}`)).toMatchObject([200, { plans: [stopped] }])
    expect(await daemon.ask('/plan?name=ep-0.sizing.1')).toMatchObject([200, { plans: [stopped] }])
  })

  test('cannot say it where a hold ends in time and no slot of the next days was found', async () => {
    const daemon = await daemonOf({ policyHold: () => ({ because: 'outside-window', until: at(86_400) }) })
    const id = await asked(daemon, { compute: 'ep-0', max_cu: 2 })
    expect(await daemon.ask(`/plan?name=${id}`)).toMatchObject([
      200,
      { plans: [{ likely_in_time: 'unknown' }] },
    ])
  })

  test('of an awake compute whose autosuspend is off say that it does not come in time', async () => {
    const computes = [{ autosuspendDelay: 'never', state: 'active', suspendedAt: undefined }] as const
    const daemon = await daemonOf({ computes })
    await asked(daemon, { compute: 'ep-0', cu: 2 })
    expect(await daemon.ask('/plan')).toMatchObject([200, { plans: [{ likely_in_time: 'no' }] }])
  })
})
