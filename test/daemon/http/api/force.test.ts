import { describe, expect, test } from 'vitest'
import type { Change } from '../../../../src/model/policy/change.ts'
import type { Hold } from '../../../../src/model/policy/hold.ts'
import { addChange } from '../../../../src/model/ports/journal.ts'
import { changeAnswerSchema, changesSchema } from '../../../../src/outputs/text/change-schema.ts'
import { holdsSchema } from '../../../../src/outputs/text/hold-schema.ts'
import { applyingOf } from '../../../apply/build.ts'
import { cliOf } from '../../../cli/daemon-cli.ts'
import { at } from '../../../support/build.ts'
import { changeOf } from '../../../support/changes.ts'
import { ASKED_AT, daemonOf, TOKENS } from '../../../support/changes-daemon.ts'

const REF = { account: 'main', projectId: 'project-0', endpointId: 'ep-0' }
const UNTIL = '2026-01-06T00:00:00Z'

type World = Readonly<{
  change?: Partial<Change>
  /** What holds it although it is forced. */
  stops?: Hold
}>

/** With one change of a policy, which waits for its window. */
async function worldOf({ change = {}, stops }: World = {}) {
  const daemon = await daemonOf({
    policyHold: (_, isForced) => (isForced ? stops : { because: 'outside-window', until: undefined }),
  })
  const made = changeOf({ ref: REF, when: 'policy', ...change })
  const added = await addChange(daemon.store.account('main'), made, { at: ASKED_AT })
  if (!added.ok) throw new Error(added.error.kind)
  const force = (body: object, token?: string, id = 'ch-one') =>
    daemon.post(`/changes/${id}/force`, body, token)
  return { daemon, force }
}

test('a person forces a change until a time, which lists show; the loop looks at it', async () => {
  const { daemon, force } = await worldOf()
  const [status, answer] = await force({ until: UNTIL, reason: ' it is quiet ' })
  const forced = { by: 'ann', reason: 'it is quiet', until: UNTIL }
  expect([status, changeAnswerSchema.parse(answer).change.forced]).toEqual([200, forced])
  const [, list] = await daemon.ask('/changes')
  expect(changesSchema.parse(list).changes.map((one) => one.forced)).toEqual([forced])
  const [, holds] = await daemon.ask('/holds')
  expect(holdsSchema.parse(holds).forces).toEqual([
    { account: 'main', change_id: 'ch-one', forced_at: '2026-01-05T02:00:00Z', ...forced },
  ])
  expect(daemon.woken()).toBe(1)
  // a second one replaces it
  await force({ until: '2026-01-07' }, TOKENS.cyd)
  expect(await daemon.store.forcedChanges('main')).toMatchObject([{ by: 'cyd', reason: '' }])
})

const STOPPED = 'change ch-one is stopped:'
const denied = (because: Hold['because'], detail: string): World => ({
  stops: { because, detail, until: at(9000) },
})

describe('nobody forces a change', () => {
  test.each<[what: string, world: World, message: string]>([
    [
      'in a denied window, which is named',
      denied('denied-window', 'office'),
      `${STOPPED} a window of its policy forbids restarts: office, until 2026-01-05T02:30:00Z`,
    ],
    [
      'in a freeze, which is named',
      denied('freeze', 'year-end'),
      `${STOPPED} nothing is changed in a freeze: year-end, until 2026-01-05T02:30:00Z`,
    ],
    [
      'under a hold, which is named',
      denied('hold', 'hold-one of bob, the release'),
      `${STOPPED} a person holds changes of the compute: hold-one of bob, the release, until 2026-01-05T02:30:00Z`,
    ],
    [
      'that a person asked for',
      { change: { when: 'idle' } },
      'change ch-one waits for no window: alice asked for it',
    ],
    [
      'that waits for an approval',
      { change: { state: { at: 'proposed' } } },
      'change ch-one waits for an approval: approve it first',
    ],
    [
      'whose request was written',
      { change: { state: applyingOf() } },
      'the request of change ch-one was written already',
    ],
    [
      'that has ended',
      { change: { state: { at: 'expired', because: 'no moment', endedAt: at(1) } } },
      'change ch-one has ended: expired, no moment',
    ],
  ])('%s', async (_, given, message) => {
    const { daemon, force } = await worldOf(given)
    const before = daemon.stored()
    expect(await force({ until: UNTIL })).toEqual([409, { message }])
    expect([daemon.stored(), daemon.woken()]).toEqual([before, 0])
  })

  test('while the kill switch is engaged', async () => {
    const { daemon, force } = await worldOf()
    await daemon.post('/kill-switch', { engaged: true })
    expect(await force({ until: UNTIL })).toEqual([
      409,
      { message: `${STOPPED} the kill switch is engaged by a command of ann` },
    ])
    expect(await daemon.store.forcedChanges('main')).toEqual([])
  })

  test.each<[what: string, body: object, status: number, message: string]>([
    [
      'without an end',
      {},
      400,
      'until: expected a day such as 2026-11-20, which begins in UTC, or an instant such as 2026-11-20T08:00:00Z',
    ],
    [
      'with an end that is past',
      { until: '2026-01-05T01:59:59Z' },
      400,
      'until: expected a time after now, got 2026-01-05T01:59:59Z',
    ],
    ['with an unknown key', { until: UNTIL, when: 'now' }, 400, 'when: unknown key'],
  ])('%s', async (_, body, status, message) => {
    const { daemon, force } = await worldOf()
    const before = daemon.stored()
    expect(await force(body)).toEqual([status, { message }])
    expect(daemon.stored()).toBe(before)
  })

  test('that is unknown, by a token that reads, or in a mode that allows no changes', async () => {
    const { force } = await worldOf()
    expect(await force({ until: UNTIL }, TOKENS.ann, 'ch-none')).toEqual([
      404,
      { message: 'no change has the id ch-none' },
    ])
    expect(await force({ until: UNTIL }, TOKENS.bob)).toEqual([
      403,
      { message: 'the token has no scope operate' },
    ])
    const quiet = await daemonOf({ mode: 'observe' })
    expect((await quiet.post('/changes/ch-one/force', { until: UNTIL }))[0]).toBe(409)
  })
})

test('the command line prints the change, or one line with exit code 2', async () => {
  const { daemon } = await worldOf()
  const cli = cliOf(daemon)
  const done = await cli('force', 'ch-one', '--until', '2026-01-06')
  expect([done.code, done.out.split('\n')]).toEqual([
    0,
    expect.arrayContaining(['  forced by ann until 2026-01-06T00:00:00Z']),
  ])
  expect(await cli('force', 'ch-one')).toMatchObject({
    code: 2,
    out: '',
    err: expect.stringMatching(/^dormouse: --until: expected .*\n$/),
  })
})
