// What a daemon left of changes, without one.
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addChange, transition } from '../../../src/model/ports/journal.ts'
import { changeHistorySchema, changesSchema } from '../../../src/outputs/text/change-schema.ts'
import { openEmbeddedStore } from '../../../src/store/sqlite/embedded.ts'
import { applyingOf } from '../../apply/build.ts'
import { computeOf } from '../../store/build.ts'
import { at, project } from '../../support/build.ts'
import { changeOf } from '../../support/changes.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { keptBy } from '../kept.ts'

const twin = computeOf('ep-two')
const rows = {
  computes: [computeOf('ep-one'), twin],
  projects: [{ project: project(), listed: undefined }],
}

let kept: Awaited<ReturnType<typeof keptBy>>
beforeAll(async () => {
  kept = await keptBy([rows])
  const store = openEmbeddedStore(join(kept.folder, 'data'), fakeClock())
  const main = store.account('main')
  const first = changeOf({ reason: 'the batch is gone' })
  await addChange(main, first, { at: at(0) })
  const to = applyingOf({ sentAt: at(900), sessions: 0 })
  await transition(main, { change: first, to }, { at: at(900) })
  const second = changeOf({ id: 'ch-two', ref: { ...first.ref, endpointId: 'ep-two' }, createdAt: at(60) })
  await addChange(main, second, { at: at(60) })
  const third = changeOf({ id: 'ch-three', kind: 'restart', desired: {}, before: {}, createdAt: at(120) })
  await addChange(main, third, { at: at(120) })
  await store.close()
})
afterAll(() => kept[Symbol.asyncDispose]())

const NO_DAEMON =
  /^dormouse: no daemon answers .*; this is what the last one stored, and current states are unknown\n$/

test('the journal is read from the store, which is said', async () => {
  const { code, out, err } = await kept.cli('changes')
  expect([code, err]).toEqual([0, expect.stringMatching(NO_DAEMON)])
  expect(out).toBe(
    `CHANGE    COMPUTE  WHAT            ASKED BY  SENT                  SESSIONS  STATE
ch-three  one      restart         alice     -                     -         scheduled
ch-two    one      1 CU → 0.25 CU  alice     -                     -         scheduled
ch-one    one      1 CU → 0.25 CU  alice     2026-01-05T00:15:00Z  0         being applied
`,
  )
})

test('JSON fits the schema, newest first, also of several computes of one name', async () => {
  const json = await kept.cli('changes --json')
  const ids = ['ch-three', 'ch-two', 'ch-one']
  expect(changesSchema.parse(JSON.parse(json.out)).changes.map(({ id }) => id)).toEqual(ids)
  const named = await kept.cli('changes --compute one --json')
  expect(changesSchema.parse(JSON.parse(named.out)).changes.map(({ id }) => id)).toEqual(ids)
})

test('one change has its history', async () => {
  const { code, out, err } = await kept.cli('changes ch-one')
  expect([code, err]).toEqual([0, expect.stringMatching(NO_DAEMON)])
  expect(out.split('\n').slice(-3)).toEqual([
    '  2026-01-05T00:00:00Z scheduled',
    '  2026-01-05T00:15:00Z being applied',
    '',
  ])
  const json = await kept.cli('changes ch-one --json')
  expect(changeHistorySchema.parse(JSON.parse(json.out)).history.map(({ state }) => state)).toEqual([
    'scheduled',
    'applying',
  ])
})

test.each([
  ['changes ch-none', 2, /^dormouse: no change has the id ch-none; no daemon answers at .*\n$/],
  [
    'changes --compute nobody',
    2,
    /^dormouse: --compute: no compute or project is called nobody; no daemon .*\n$/,
  ],
  [
    'changes ch-one --compute ep-one',
    2,
    /^dormouse: expected neither --compute nor --all beside the id of a change\n$/,
  ],
  ['changes ch-one --all', 2, /^dormouse: expected neither --compute nor --all beside the id of a change\n$/],
  ['changes --account other', 2, /^dormouse: --account: expected one of main, got other; no daemon .*\n$/],
  ['plan', 1, /^dormouse: no daemon answers at http:\/\/127\.0\.0\.1:1 \(.*\)\n$/],
  ['kill on', 1, /^dormouse: no daemon answers at http:\/\/127\.0\.0\.1:1 \(.*\)\n$/],
])('%s ends with %i', async (text, exitCode, message) => {
  const { code, out, err } = await kept.cli(text)
  expect([code, out]).toEqual([exitCode, ''])
  expect(err).toMatch(message)
})
