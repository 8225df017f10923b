import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  changeAnswerSchema,
  changeHistorySchema,
  changesSchema,
  killSwitchSchema,
  plansSchema,
} from '../../../../src/outputs/text/change-schema.ts'
import { after, seconds } from '../../../../src/model/units.ts'
import { asked, ASKED_AT, daemonOf, SIZE, TOKENS } from '../../../support/changes-daemon.ts'

describe('a change that a person asks for', () => {
  test('is scheduled, told, and listed with its history and its plan', async () => {
    const daemon = await daemonOf()
    const [status, answer] = await daemon.post('/changes', { ...SIZE, reason: ' the batch is gone ' })
    const { change, note } = changeAnswerSchema.parse(answer)
    expect([status, note]).toEqual([200, null])
    expect(change).toMatchObject({
      endpoint_id: 'ep-0',
      project_name: 'zero',
      state: 'scheduled',
      kind: 'sizing',
      from: { min_cu: 1, max_cu: 1 },
      to: { min_cu: 1, max_cu: 2 },
      when: 'idle',
      restarts: true,
      request: {
        method: 'PATCH',
        path: '/projects/project-0/endpoints/ep-0',
        body: { endpoint: { autoscaling_limit_min_cu: 1, autoscaling_limit_max_cu: 2 } },
      },
      asked_by: 'ann',
      approved_by: null,
      reason: 'the batch is gone',
      created_at: '2026-01-05T02:00:00Z',
      deadline: '2026-01-19T02:00:00Z',
      sent_at: null,
      ended: null,
    })
    expect(daemon.woken()).toBe(1)
    const [, listed] = await daemon.ask('/changes')
    expect(changesSchema.parse(listed).changes).toEqual([change])
    const [, one] = await daemon.ask(`/changes/${change.id}`)
    expect(changeHistorySchema.parse(one)).toMatchObject({
      change,
      history: [{ version: 1, state: 'scheduled', at: '2026-01-05T02:00:00Z' }],
    })
    const [, planned] = await daemon.ask(`/plan?name=${change.id}`)
    expect(plansSchema.parse(planned)).toMatchObject({
      mode: 'suggest',
      kill_switch: [],
      plans: [{ change_id: change.id, plan_hash: change.plan_hash, waits_for: null, likely_in_time: 'yes' }],
    })
    expect(daemon.logged).toMatchObject([
      {
        change: change.id,
        endpointId: 'ep-0',
        state: 'scheduled',
        by: 'ann',
        msg: 'a person changed the journal',
      },
    ])
  })

  test.each<[string, object, Readonly<Record<string, unknown>>]>([
    ['a fixed size', { compute: 'ep-0', cu: 2 }, { kind: 'sizing', to: { min_cu: 2, max_cu: 2 } }],
    [
      'a delay',
      { compute: 'zero', delay_seconds: 600 },
      { kind: 'delay', restarts: false, to: { delay_seconds: 600 } },
    ],
    ['never', { compute: 'project-0', delay_seconds: 'never' }, { to: { delay_seconds: 'never' } }],
    [
      'the default',
      { compute: 'ep-1', delay_seconds: 'default' },
      { from: { delay_seconds: 'never' }, to: { delay_seconds: 'default' } },
    ],
    [
      'a restart at once',
      { compute: 'ep-1', restart: true, when: 'now' },
      { kind: 'restart', when: 'now', from: {}, to: {} },
    ],
    ['an end', { ...SIZE, until: '2026-01-06' }, { deadline: '2026-01-06T00:00:00Z' }],
    ['an account', { ...SIZE, account: 'main' }, { state: 'scheduled' }],
    ['a proposal', { ...SIZE, propose: true }, { state: 'proposed', approved_by: null }],
  ])('may be of %s', async (_, body, change) => {
    const daemon = await daemonOf()
    const [status, answer] = await daemon.post('/changes', body)
    expect([status, changeAnswerSchema.parse(answer)]).toMatchObject([200, { change }])
  })
})

test.each(['suggest', 'approve', 'apply'] as const)('mode %s allows changes', async (mode) => {
  expect((await (await daemonOf({ mode })).post('/changes', SIZE))[0]).toBe(200)
})

test('changes are listed of one compute, and of unknown ones and accounts they are refused', async () => {
  const daemon = await daemonOf()
  const id = await asked(daemon)
  await asked(daemon, { compute: 'ep-3', delay_seconds: 600 })
  const [, answer] = await daemon.ask('/changes?compute=shop')
  expect(changesSchema.parse(answer).changes.map((one) => one.id)).toEqual([id])
  expect(await daemon.ask('/changes?compute=nobody')).toEqual([
    404,
    { message: 'compute: no compute or project is called nobody' },
  ])
  expect(await daemon.ask('/changes?account=other')).toEqual([
    400,
    { message: 'account: expected one of main, got other' },
  ])
  expect(await daemon.ask('/changes?all=banana')).toEqual([
    400,
    { message: 'all: expected true or false, got banana' },
  ])
})

describe('the kill switch', () => {
  test('is engaged and released by a command, with the name of the token', async () => {
    const daemon = await daemonOf({ mode: 'off' })
    const on = await daemon.post('/kill-switch', { engaged: true }, TOKENS.cyd)
    expect([on[0], killSwitchSchema.parse(on[1])]).toEqual([
      200,
      { schema_version: 1, engaged: true, engaged_by: ['a command of cyd'] },
    ])
    expect([await daemon.ask('/kill-switch'), daemon.woken()]).toEqual([on, 1])
    const off = { schema_version: 1, engaged: false, engaged_by: [] }
    expect(await daemon.post('/kill-switch', { engaged: false })).toEqual([200, off])
    expect(daemon.logged).toMatchObject([
      { by: 'cyd', engaged: true, msg: 'a person set the kill switch' },
      { by: 'ann', engaged: false },
    ])
    // once for each change of its state
    await daemon.post('/kill-switch', { engaged: false })
    const events = await daemon.store.eventsAfter('main', 0, 9)
    expect(events.map(({ event }) => event)).toMatchObject([
      { kind: 'brake-engaged', brake: 'kill_switch', because: 'a command of cyd' },
      { kind: 'brake-released', brake: 'kill_switch', because: 'a command of ann' },
    ])
  })

  test('is not released while the file or the variable stands', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'dormouse-stop-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = join(folder, 'stop')
    writeFileSync(file, '')
    const daemon = await daemonOf({ isKilled: true, killSwitchFile: file })
    const names = ['the variable DORMOUSE_KILL_SWITCH', `the file ${file}`]
    expect(await daemon.post('/kill-switch', { engaged: false })).toEqual([
      409,
      { message: `${names.join(' and ')} engages the kill switch: remove that first` },
    ])
    expect(await daemon.ask('/plan')).toMatchObject([200, { kill_switch: names, plans: [] }])
  })

  test.each<[unknown, string]>([
    [{}, 'engaged: expected true or false'],
    [{ engaged: 'yes' }, 'engaged: expected true or false'],
    [{ engaged: true, until: 'x' }, 'until: unknown key'],
  ])('%j is refused', async (body, message) => {
    const daemon = await daemonOf()
    expect(await daemon.post('/kill-switch', body)).toEqual([400, { message }])
    expect(daemon.killSwitch.isEngaged()).toBe(false)
  })
})

test('the schema is published', async () => {
  const daemon = await daemonOf()
  expect(await daemon.ask('/schema/changes')).toMatchObject([200, { title: 'Changes of Dormouse' }])
})

describe('the plan of the next seven days', () => {
  const yaml = [
    'windows: { office: "Mon-Fri 08:00-19:00", night: "22:00-06:00" }',
    'policies:',
    '  - { match: { project: zero }, mode: apply, levers: [delay], autosuspend: { schedule: [{ in: office, delay: 15m }] } }',
    '  - { match: { project: one }, mode: suggest, levers: [delay], autosuspend: { schedule: [{ in: night, delay: 1h }] } }',
    '',
  ].join('\n')

  test('has the slot of each change, as the list has, and what schedules set', async () => {
    const slot = { from: after(ASKED_AT, seconds(3600)), to: after(ASKED_AT, seconds(7200)) }
    const daemon = await daemonOf({ yaml, slotOf: () => slot })
    const id = await asked(daemon)
    const json = { from: '2026-01-05T03:00:00Z', to: '2026-01-05T04:00:00Z' }
    const planned = plansSchema.parse((await daemon.ask('/plan'))[1])
    expect(planned.plans).toMatchObject([{ change_id: id, slot: json }])
    expect(changesSchema.parse((await daemon.ask('/changes'))[1]).changes).toMatchObject([{ id, slot: json }])
    // from Monday, 02:00: five days in the office; a policy that only suggests sets nothing
    expect(planned.schedules.map(({ window, from, to }) => [window, from, to])).toEqual(
      [5, 6, 7, 8, 9].map((day) => ['office', `2026-01-0${day}T08:00:00Z`, `2026-01-0${day}T19:00:00Z`]),
    )
    expect(planned.schedules[0]).toMatchObject({ delay_seconds: 900, computes: 1 })
    const named = plansSchema.parse((await daemon.ask(`/plan?name=${id}`))[1])
    expect([named.plans.length, named.schedules]).toEqual([1, []])
  })

  test('has no slot of a change that was cancelled', async () => {
    const slot = { from: ASKED_AT, to: ASKED_AT }
    const daemon = await daemonOf({ slotOf: () => slot })
    const id = await asked(daemon)
    await daemon.post(`/changes/${id}/cancel`, { reason: 'no' })
    expect(changesSchema.parse((await daemon.ask('/changes'))[1]).changes).toMatchObject([{ id, slot: null }])
  })
})
