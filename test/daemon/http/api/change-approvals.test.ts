import { describe, expect, test } from 'vitest'
import type { ChangeState } from '../../../../src/model/policy/change.ts'
import { cu } from '../../../../src/model/units.ts'
import { applyingOf } from '../../../apply/build.ts'
import { at } from '../../../support/build.ts'
import { changeAnswerSchema } from '../../../../src/outputs/text/change-schema.ts'
import {
  asked,
  ASKED_AT,
  daemonOf,
  planHashOf,
  SIZE,
  TOKENS,
  type ChangesDaemon,
} from '../../../support/changes-daemon.ts'

const NEVER =
  'when: expected now: autosuspend is off, so that no suspension comes by itself; now interrupts the sessions of the compute'

const approve = async (daemon: ChangesDaemon, id: string, more: object = {}) =>
  daemon.post(`/recommendations/${id}/approve`, { plan_hash: await planHashOf(daemon, id), ...more })

describe('a proposed change', () => {
  const PROPOSED = { ...SIZE, propose: true }
  test('is approved by its hash, once', async () => {
    const daemon = await daemonOf()
    const id = await asked(daemon, PROPOSED)
    const hash = await planHashOf(daemon, id)
    const [status, answer] = await daemon.post(`/changes/${id}/approve`, { plan_hash: hash }, TOKENS.cyd)
    expect([status, changeAnswerSchema.parse(answer)]).toMatchObject([
      200,
      { note: null, change: { state: 'scheduled', asked_by: 'ann', approved_by: 'cyd' } },
    ])
    expect(daemon.logged.at(-1)).toMatchObject({ change: id, by: 'cyd' })
    const before = daemon.stored()
    const again = await daemon.post(`/changes/${id}/approve`, { plan_hash: hash })
    expect(again).toMatchObject([200, { note: 'it was approved already by cyd' }])
    expect(daemon.stored()).toBe(before)
  })

  test.each<[string, object, string]>([
    ['another hash', { plan_hash: 'x' }, 'plan_hash: it is not that of change ID, which is 1 CU → 1 to 2 CU'],
    [
      'another moment',
      { plan_hash: 'HASH', when: 'now' },
      'when: the change was proposed with idle: ask for another one',
    ],
  ])('is not approved with %s', async (_, body, message) => {
    const daemon = await daemonOf()
    const id = await asked(daemon, PROPOSED)
    const hash = await planHashOf(daemon, id)
    const before = daemon.stored()
    const sent = JSON.parse(JSON.stringify(body).replace('HASH', hash ?? ''))
    expect(await daemon.post(`/changes/${id}/approve`, sent)).toEqual([
      409,
      { message: message.replace('ID', id) },
    ])
    expect(daemon.stored()).toBe(before)
  })

  test('is not approved without a hash', async () => {
    const daemon = await daemonOf()
    const id = await asked(daemon, PROPOSED)
    const message = 'plan_hash: expected the plan hash that dormouse plan prints'
    for (const body of [{}, { plan_hash: '' }, { plan_hash: 7 }])
      expect(await daemon.post(`/changes/${id}/approve`, body)).toEqual([400, { message }])
  })

  test.each([
    ['/changes/nope/approve', 'no change has the id nope'],
    ['/changes/nope/force', 'no change has the id nope'],
    ['/recommendations/nope/approve', 'no recommendation has the id nope'],
  ])('that there is not is said before what its body needs: %s', async (path, message) => {
    const daemon = await daemonOf()
    expect(await daemon.post(path, {})).toEqual([404, { message }])
  })

  test('is not approved once the compute has another size, which is shown', async () => {
    const daemon = await daemonOf()
    const id = await asked(daemon, PROPOSED)
    const hash = await planHashOf(daemon, id)
    daemon.show([{ sizing: { fixed: cu(4) } }])
    const before = daemon.stored()
    expect(await daemon.post(`/changes/${id}/approve`, { plan_hash: hash })).toEqual([
      409,
      {
        message:
          'plan_hash: the plan is no longer true: it is 1 CU → 1 to 2 CU, and the compute has 4 CU now',
      },
    ])
    daemon.show([])
    expect(await daemon.post(`/changes/${id}/approve`, { plan_hash: hash })).toEqual([
      409,
      { message: `the compute of change ${id} is gone` },
    ])
    expect(daemon.stored()).toBe(before)
  })

  test('is rejected, once', async () => {
    const daemon = await daemonOf()
    const id = await asked(daemon, PROPOSED)
    const [, answer] = await daemon.post(`/changes/${id}/reject`, { reason: 'not now' }, TOKENS.cyd)
    expect(changeAnswerSchema.parse(answer)).toMatchObject({
      note: null,
      change: { state: 'rejected', ended: { because: 'by cyd: not now', at: '2026-01-05T02:00:00Z' } },
    })
    const before = daemon.stored()
    expect(await daemon.post(`/changes/${id}/reject`, {})).toMatchObject([
      200,
      { note: 'it was rejected already' },
    ])
    const hash = { plan_hash: 'x' }
    const message = `change ${id} has ended: rejected, by cyd: not now`
    expect(await daemon.post(`/changes/${id}/approve`, hash)).toEqual([409, { message }])
    expect(await daemon.post(`/changes/${id}/cancel`, {})).toEqual([409, { message }])
    expect(daemon.stored()).toBe(before)
  })
})

describe('a scheduled change', () => {
  test('needs no approval, which is harmless, and is not rejected', async () => {
    const daemon = await daemonOf()
    const id = await asked(daemon)
    const before = daemon.stored()
    expect(await daemon.post(`/changes/${id}/approve`, { plan_hash: 'x' })).toMatchObject([
      200,
      { note: 'it needs no approval: ann asked for it' },
    ])
    expect(await daemon.post(`/changes/${id}/reject`, {})).toEqual([
      409,
      { message: `change ${id} is scheduled and waits for no approval: cancel it` },
    ])
    expect(daemon.stored()).toBe(before)
  })

  test('is cancelled, once', async () => {
    const daemon = await daemonOf()
    const id = await asked(daemon)
    expect(await daemon.post(`/changes/${id}/cancel`, { reason: ' ' })).toMatchObject([
      200,
      { note: null, change: { state: 'cancelled', ended: { because: 'by ann' } } },
    ])
    expect(await daemon.post(`/changes/${id}/cancel`, {})).toMatchObject([
      200,
      { note: 'it was cancelled already' },
    ])
    // another one of its kind may follow
    await asked(daemon)
  })

  const verifying: ChangeState = {
    at: 'verifying',
    since: ASKED_AT,
    operationIds: [],
    sent: { at: ASKED_AT, sessions: 0 },
  }
  test.each<[string, readonly ChangeState[]]>([
    ['applying', [applyingOf()]],
    ['verifying', [applyingOf(), verifying]],
  ])('is not cancelled once it is %s', async (_, states) => {
    const daemon = await daemonOf()
    const id = await asked(daemon)
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    for (const state of states) await daemon.move(id, state)
    const before = daemon.stored()
    expect(await daemon.post(`/changes/${id}/cancel`, {})).toEqual([
      409,
      { message: `the request of change ${id} was written: nobody can call it back` },
    ])
    expect(daemon.stored()).toBe(before)
  })

  test('shows what it waits for', async () => {
    const hold = { because: 'awake', until: undefined, since: at(7000) } as const
    const daemon = await daemonOf({ holds: { 'ch-00000001': hold } })
    const id = await asked(daemon)
    expect(await daemon.ask(`/changes/${id}`)).toMatchObject([
      200,
      { change: { hold: { because: 'awake', since: '2026-01-05T01:56:40Z', until: null } } },
    ])
  })
})

describe('a recommendation', () => {
  test.each<[string, Readonly<Record<string, unknown>>]>([
    ['ep-0.delay.1', { kind: 'delay', to: { delay_seconds: 'never' } }],
    ['ep-0.sizing.1', { kind: 'sizing', to: { min_cu: 0.25, max_cu: 1 } }],
  ])('%s is approved by its hash, once', async (id, change) => {
    const daemon = await daemonOf()
    const [status, answer] = await approve(daemon, id)
    const made = changeAnswerSchema.parse(answer)
    expect([status, made]).toMatchObject([
      200,
      { note: null, change: { ...change, state: 'scheduled', approved_by: 'ann', recommendation_id: id } },
    ])
    expect(made.change.promised_micros_per_30_days).not.toBeNull()
    const before = daemon.stored()
    const again = await daemon.post(`/recommendations/${id}/approve`, { plan_hash: 'any' }, TOKENS.cyd)
    expect(again).toMatchObject([
      200,
      { note: 'it was approved already by ann', change: { id: made.change.id } },
    ])
    expect(daemon.stored()).toBe(before)
  })

  test('that asks for a restart is approved with --when now alone where autosuspend is off', async () => {
    const daemon = await daemonOf()
    const path = '/recommendations/ep-1.refresh.1/approve'
    const before = daemon.stored()
    expect(await daemon.post(path, { plan_hash: 'x' })).toEqual([409, { message: NEVER }])
    expect(await daemon.ask('/plan?name=ep-1.refresh.1')).toEqual([409, { message: NEVER }])
    expect(daemon.stored()).toBe(before)
    const hash = await planHashOf(daemon, 'ep-1.refresh.1', '&when=now')
    expect(await daemon.post(path, { plan_hash: hash, when: 'now' })).toMatchObject([
      200,
      { change: { kind: 'restart', when: 'now' } },
    ])
  })

  test.each<[string, string]>([
    [
      'ep-0.pooler.1',
      'recommendation ep-0.pooler.1 is of kind pooler, which no change of settings implements',
    ],
    ['ep-2.delay.1', 'compute: its provisioner mainframe is not known, so it is never changed'],
    ['ep-3.delay.1', 'recommendation ep-3.delay.1 is dismissed: only an open one is approved'],
    ['ep-3.delay.2', 'recommendation ep-3.delay.2 is superseded: only an open one is approved'],
    ['ep-3.delay.3', 'recommendation ep-3.delay.3 is withdrawn: only an open one is approved'],
    ['ep-3.delay.4', 'recommendation ep-3.delay.4 is implemented: only an open one is approved'],
    [
      'ep-4.delay.1',
      'recommendation ep-4.delay.1 was made for a delay of 600 s, and the compute has a delay of 300 s now',
    ],
  ])('%s is not approved', async (id, message) => {
    const daemon = await daemonOf()
    const before = daemon.stored()
    expect(await daemon.post(`/recommendations/${id}/approve`, { plan_hash: 'x' })).toEqual([
      409,
      { message },
    ])
    expect(await daemon.ask(`/plan?name=${id}`)).toEqual([409, { message }])
    expect(daemon.stored()).toBe(before)
  })

  test('is not approved with the hash of another plan: the plan of now is shown', async () => {
    const daemon = await daemonOf()
    const hash = await planHashOf(daemon, 'ep-0.delay.1')
    const before = daemon.stored()
    for (const body of [{ plan_hash: 'x' }, { plan_hash: hash, when: 'now' }]) {
      const answer = await daemon.post('/recommendations/ep-0.delay.1/approve', body)
      expect(answer).toMatchObject([
        409,
        {
          message: expect.stringMatching(
            /^plan_hash: the plan is now another one: a delay of 300 s → no autosuspend, plan hash \w+$/,
          ),
        },
      ])
    }
    expect(daemon.stored()).toBe(before)
  })

  test('is not approved while a change of its kind is open, which is named', async () => {
    const daemon = await daemonOf()
    const hash = await planHashOf(daemon, 'ep-0.sizing.1')
    const id = await asked(daemon)
    const [status, answer] = await daemon.post('/recommendations/ep-0.sizing.1/approve', { plan_hash: hash })
    expect([status, answer]).toEqual([
      409,
      {
        message: `the compute has an open change of kind sizing already: ${id}, 1 CU → 1 to 2 CU; cancel it first`,
      },
    ])
  })

  test('may be approved anew once its change was cancelled', async () => {
    const daemon = await daemonOf()
    const [, answer] = await approve(daemon, 'ep-0.delay.1')
    const { change } = changeAnswerSchema.parse(answer)
    await daemon.post(`/changes/${change.id}/cancel`, {})
    expect(await approve(daemon, 'ep-0.delay.1')).toMatchObject([200, { note: null }])
  })
})
