// What every driver of the journal must do.
import { describe, expect, test } from 'vitest'
import type { Change, ChangeState, EndedChange, InterruptedSessions } from '../../src/model/policy/change.ts'
import type { SavedPart } from '../../src/model/policy/saved.ts'
import { addChange, transition, type ChangesPart } from '../../src/model/ports/journal.ts'
import { micros } from '../../src/model/units.ts'
import { at } from '../support/build.ts'
import { changeOf, SCHEDULED, tallyOf } from '../support/changes.ts'
import type { Driver } from './conformance.ts'
import { plain } from './build.ts'

const APPLYING: ChangeState = {
  at: 'applying',
  approvedBy: 'bob',
  attempt: 1,
  sentAt: at(5),
  sessions: 0,
  baseStartedAt: at(1),
  epoch: 1,
  uncertainAt: undefined,
}
const done = (minute: number): EndedChange => ({ at: 'done', because: 'verified', endedAt: at(minute) })
const ended = (minute: number, sessions: InterruptedSessions): EndedChange => ({
  ...done(minute),
  sent: { at: at(minute - 1), sessions },
})
const savedPartOf = (over: Partial<SavedPart>): SavedPart => ({
  changeId: 'ch-one',
  ref: ref('ep-one'),
  team: '',
  from: at(0),
  to: at(60),
  saved: micros(10),
  extra: micros(0),
  ...over,
})
const cancelled = (minute: number): EndedChange => ({ ...done(minute), at: 'cancelled' })
const other = (fields: Partial<Change>): Change => changeOf({ id: 'ch-two', ...fields })
const ref = (endpointId: string, projectId = 'project-one'): Change['ref'] => ({
  account: 'main',
  projectId,
  endpointId,
})

export function journalContract(driver: () => Driver): void {
  const main = () => driver().store.account('main')
  const add = (change: Change) => addChange(main(), change, { at: at(0) })
  const move = (change: Change, to: ChangeState, epoch?: number) =>
    transition(main(), { change, to }, { at: at(9), epoch })

  const count = (...parts: readonly SavedPart[]) =>
    main().commit(parts.map((part) => ({ kind: 'saved-part', part }) as const))
  const idsOf = async (part: Partial<ChangesPart>) => {
    const changes = await driver().store.changes('main', { count: 9, ...part })
    return changes.map(({ id }) => id)
  }

  describe('the journal', () => {
    test('has a change with its history, also when the store was closed and opened again', async () => {
      const change = changeOf()
      expect(await add(change)).toEqual({ ok: true, value: change })
      const moved = await move(change, APPLYING)
      const applying = { ...change, version: 2, state: APPLYING }
      expect(moved).toEqual({ ok: true, value: applying })
      const again = await driver().reopen()
      expect(await again.openChanges('main')).toEqual(plain([applying]))
      expect(await again.change('main', 'ch-one')).toEqual(plain(applying))
      expect(await again.changeEvents('main', 'ch-one')).toEqual(
        plain([
          { changeId: 'ch-one', version: 1, at: at(0), state: SCHEDULED },
          { changeId: 'ch-one', version: 2, at: at(9), state: APPLYING },
        ]),
      )
      expect(await again.openChanges('other')).toEqual([])
      expect(await again.change('main', 'ch-two')).toBeUndefined()
    })

    test('takes the first of two transitions from one version, and nothing of the second', async () => {
      const change = changeOf()
      await add(change)
      expect((await move(change, APPLYING)).ok).toBe(true)
      const late = await transition(
        main(),
        { change, to: done(3) },
        {
          at: at(9),
          events: [{ kind: 'key-refused', account: 'main', at: at(9) }],
        },
      )
      expect(late).toEqual({ ok: false, error: { kind: 'conflict' } })
      expect((await driver().store.change('main', 'ch-one'))?.state.at).toBe('applying')
      expect(await driver().store.changeEvents('main', 'ch-one')).toHaveLength(2)
      expect(await driver().store.eventsAfter('main', 0, 9)).toEqual([])
    })

    test('refuses a second change of the same id', async () => {
      await add(changeOf())
      expect(await add(changeOf({ kind: 'delay' }))).toEqual({ ok: false, error: { kind: 'conflict' } })
    })

    test.each([
      ['a second open change of the compute and kind', other({}), false],
      ['a change of another kind', other({ kind: 'delay' }), true],
      ['a change of another compute', other({ ref: ref('ep-two') }), true],
    ])('beside an open one, %s: %#', async (_, change, isTaken) => {
      await add(changeOf())
      expect((await add(change)).ok).toBe(isTaken)
    })

    test('takes another change of the kind once the first has ended', async () => {
      const change = changeOf()
      await add(change)
      expect((await move(change, done(3))).ok).toBe(true)
      expect((await add(other({}))).ok).toBe(true)
      expect((await driver().store.openChanges('main')).map(({ id }) => id)).toEqual(['ch-two'])
    })

    test.each([
      ['the same project', ref('ep-two'), false],
      ['another project', ref('ep-two', 'project-two'), true],
    ])('has one applying change per project: in %s', async (_, where, isTaken) => {
      const [one, two] = [changeOf(), other({ ref: where })]
      await add(one)
      await add(two)
      expect((await move(one, APPLYING)).ok).toBe(true)
      expect((await move(two, APPLYING)).ok).toBe(isTaken)
    })

    test('refuses a transition of an earlier opening', async () => {
      const change = changeOf()
      await add(change)
      const { epoch } = driver().store
      const again = await driver().reopen()
      const late = await transition(again.account('main'), { change, to: APPLYING }, { at: at(9), epoch })
      expect(late).toEqual({ ok: false, error: { kind: 'fenced' } })
      expect((await again.change('main', 'ch-one'))?.state.at).toBe('scheduled')
    })

    test('counts each change once when it ends, also when the store was closed and opened again', async () => {
      const one = changeOf()
      const two = other({ ref: ref('ep-two') })
      const three = other({ id: 'ch-three', kind: 'delay' })
      for (const change of [one, two, three]) {
        // oxlint-disable-next-line no-await-in-loop -- one commit after the other
        await add(change)
      }
      expect(await driver().store.changeTallies('main')).toEqual([])
      expect((await move(one, ended(3, 4))).ok).toBe(true)
      // neither the loser of two transitions nor one of an earlier opening counts
      expect((await move(one, ended(4, 9))).ok).toBe(false)
      const { epoch } = driver().store
      const again = await driver().reopen()
      const fenced = await transition(
        again.account('main'),
        { change: two, to: ended(4, 9) },
        { at: at(9), epoch },
      )
      expect(fenced.ok).toBe(false)
      await transition(again.account('main'), { change: two, to: ended(5, 'unknown') }, { at: at(9) })
      await transition(again.account('main'), { change: three, to: cancelled(7) }, { at: at(9) })
      const four = changeOf({ id: 'ch-four' })
      await addChange(again.account('main'), four, { at: at(0) })
      await transition(again.account('main'), { change: four, to: ended(6, 2) }, { at: at(9) })
      // neither a request that interrupted nobody nor a value that somebody else set interrupts a session
      for (const [id, state] of [
        ['ch-five', ended(8, 0)],
        ['ch-six', done(9)],
      ] as const) {
        const quiet = changeOf({ id })
        // oxlint-disable-next-line no-await-in-loop -- one commit after the other
        await addChange(again.account('main'), quiet, { at: at(0) })
        // oxlint-disable-next-line no-await-in-loop
        await transition(again.account('main'), { change: quiet, to: state }, { at: at(9) })
      }
      const expected = [
        tallyOf({ kind: 'delay', outcome: 'cancelled', count: 1, interrupted: 0, lastAt: at(7) }),
        tallyOf({ count: 4, interrupted: 6, avoided: 2, lastAt: at(9) }),
        tallyOf({ ref: ref('ep-two'), count: 1, interrupted: 0, lastAt: at(5) }),
      ]
      expect(await again.changeTallies('main')).toEqual(expected)
      expect(await again.changeTallies('other')).toEqual([])
      expect(await (await driver().reopen()).changeTallies('main')).toEqual(expected)
    })

    test('counts what a change saved once, by compute and team, also when the store was closed and opened again', async () => {
      const [first, second] = [savedPartOf({}), savedPartOf({ from: at(60), to: at(90), saved: micros(5) })]
      const later = savedPartOf({
        changeId: 'ch-two',
        to: at(80),
        team: 'shop',
        saved: micros(0),
        extra: micros(7),
      })
      const ofProject = savedPartOf({
        changeId: 'ch-three',
        ref: { account: 'main', projectId: 'project-one' },
      })
      expect((await count(first)).ok).toBe(true)
      // a part that was counted refuses all that is written with it
      expect(await count(second, first)).toEqual({ ok: false, error: { kind: 'conflict' } })
      expect((await count(second, later, ofProject)).ok).toBe(true)
      const tallies = [
        { ref: ofProject.ref, team: '', saved: micros(10), extra: micros(0) },
        { ref: first.ref, team: '', saved: micros(15), extra: micros(0) },
        { ref: first.ref, team: 'shop', saved: micros(0), extra: micros(7) },
      ]
      expect(await driver().store.savedTallies('main')).toEqual(tallies)
      const again = await driver().reopen()
      expect(await again.savedTallies('main')).toEqual(tallies)
      expect(await again.savedTallies('other')).toEqual([])
      expect(await again.savedParts('main', { changeId: 'ch-one' })).toEqual([first, second])
      expect(await again.savedParts('main', { since: at(80), target: first.ref })).toEqual([second, later])
      expect(await again.savedParts('main', { since: at(0), target: ofProject.ref })).toEqual([ofProject])
    })

    test('keeps a change of the defaults of a project apart from those of its computes, one open at a time', async () => {
      const { account, projectId } = changeOf().ref
      const project = { account, projectId }
      const ofProject = other({ ref: project, kind: 'defaults' })
      for (const change of [changeOf(), ofProject]) {
        // oxlint-disable-next-line no-await-in-loop -- one commit after the other
        expect(await add(change)).toMatchObject({ ok: true })
      }
      expect(await idsOf({ target: project })).toEqual(['ch-two'])
      expect(await idsOf({ target: ref('ep-one') })).toEqual(['ch-one'])
      const second = changeOf({ id: 'ch-three', ref: project, kind: 'defaults' })
      expect(await add(second)).toEqual({ ok: false, error: { kind: 'conflict' } })
      await move(ofProject, done(3))
      expect((await driver().store.changeTallies('main')).map((tally) => tally.ref)).toEqual([project])
      expect(await add(second)).toMatchObject({ ok: true })
    })

    test('lists changes newest first, of one compute, of one project, since a time, at most so many', async () => {
      const [one, two] = [changeOf(), other({ createdAt: at(1), ref: ref('ep-two', 'project-two') })]
      const three = changeOf({ id: 'ch-three', kind: 'delay', createdAt: at(2) })
      for (const change of [one, two, three]) {
        // oxlint-disable-next-line no-await-in-loop -- one commit after the other
        await add(change)
      }
      await move(one, done(3))
      expect(await idsOf({})).toEqual(['ch-three', 'ch-two', 'ch-one'])
      expect(await idsOf({ target: ref('ep-one') })).toEqual(['ch-three', 'ch-one'])
      expect(await idsOf({ project: 'project-one' })).toEqual(['ch-three', 'ch-one'])
      expect(await idsOf({ project: 'project-two' })).toEqual(['ch-two'])
      expect(await idsOf({ since: at(4) })).toEqual(['ch-three', 'ch-two'])
      expect(await idsOf({ since: at(3), count: 2 })).toEqual(['ch-three', 'ch-two'])
    })
  })
}
