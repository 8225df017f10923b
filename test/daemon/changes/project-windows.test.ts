import { describe, expect, test } from 'vitest'
import { createProjectWindows } from '../../../src/daemon/changes/project-windows.ts'
import type { Event } from '../../../src/model/output/event-kinds.ts'
import { DEFAULT_RESTART_RULES, type RestartRules } from '../../../src/model/policy/change-policy.ts'
import type { Change } from '../../../src/model/policy/change.ts'
import type { Priority, Service } from '../../../src/model/ports/service.ts'
import { eventsOf } from '../../../src/model/ports/store.ts'
import type { ProjectDetail } from '../../../src/model/service/consumption.ts'
import { instant, millis, seconds } from '../../../src/model/units.ts'
import { failed, ok } from '../../../src/std/result.ts'
import { changeOf, SCHEDULED } from '../../support/changes.ts'
import { UNASKED } from '../../support/unasked.ts'

const HOUR = 3_600_000
const DAY = 86_400
/** A Monday. */
const NOW = instant(Date.parse('2026-01-05T00:00:00Z'))
/** Mondays and Sundays from 22:30 to 01:00. */
const HOURS = { days: new Set([1, 0]), from: millis(22.5 * HOUR), to: millis(HOUR) }

const WINDOWED: RestartRules = { ...DEFAULT_RESTART_RULES, when: ['window'], windows: ['service'] }
const inProject = (projectId: string, over: Partial<Change> = {}): Change => {
  const change = changeOf({ when: 'policy', state: SCHEDULED, ...over })
  return { ...change, ref: { ...change.ref, projectId } }
}
const WAITING = inProject('p-1')

type Detail = Partial<Pick<ProjectDetail, 'maintenanceHours' | 'maintenanceAt'>>
const NO_DETAIL: Detail = { maintenanceHours: undefined, maintenanceAt: undefined }

function world(
  first: Detail | 'fails' = { maintenanceHours: HOURS },
  rules: RestartRules | 'gone' = WINDOWED,
) {
  let detail = first
  let monotonic = 0
  let isFull = false
  const asked: string[] = []
  const stored: Event[] = []
  const sent: Event[] = []
  const at = (priority: Priority): Service => ({
    ...UNASKED,
    at,
    getProjectDetail: async (projectId) => {
      asked.push(`${priority} ${projectId}`)
      if (detail === 'fails') return failed({ kind: 'unavailable', message: 'no answer' } as never)
      return ok({ ...NO_DETAIL, ...detail } as ProjectDetail)
    },
  })
  const windows = createProjectWindows({
    account: 'main',
    clock: { monotonic: () => seconds(monotonic) },
    service: { at },
    store: {
      commit: async (writes) => {
        if (isFull) throw new Error('the disk is full')
        stored.push(...eventsOf(writes))
        return ok(undefined)
      },
    },
    send: async (events) => {
      sent.push(...events)
      return []
    },
    epoch: 1,
    now: () => NOW,
    rulesOf: () => (rules === 'gone' ? undefined : rules),
    log: { warn: () => undefined, error: () => undefined } as never,
  })
  const running = new AbortController().signal
  return {
    asked,
    stored,
    sent,
    of: windows.of,
    turn: (...open: readonly Change[]) => windows.refresh(open, running),
    pass: (length: number) => void (monotonic += length),
    becomes: (next: Detail | 'fails') => void (detail = next),
    fill: (full: boolean) => void (isFull = full),
  }
}

const openAt = (w: ReturnType<typeof world>, time: string): boolean | undefined => {
  const found = w.of('p-1')?.service
  return found && found.at(instant(Date.parse(`2026-01-${time}:00Z`))) !== undefined
}

describe('when the service updates a project is read', () => {
  test.each<[what: string, open: readonly Change[], rules: RestartRules | 'gone', asked: readonly string[]]>([
    ['where a change waits for a window', [WAITING], WINDOWED, ['report p-1']],
    [
      'once for all changes of a project',
      [WAITING, inProject('p-1'), inProject('p-2')],
      WINDOWED,
      ['report p-1', 'report p-2'],
    ],
    [
      'where a change waits for another window',
      [WAITING],
      { ...WINDOWED, windows: ['night'] },
      ['report p-1'],
    ],
    [
      'where idle is denied in it',
      [WAITING],
      { ...DEFAULT_RESTART_RULES, deny: ['service'] },
      ['report p-1'],
    ],
    ['not without changes', [], WINDOWED, []],
    ['not where idle is enough', [WAITING], { ...DEFAULT_RESTART_RULES, deny: ['office'] }, []],
    ['not where there is no policy any more', [WAITING], 'gone', []],
    ['not for a person', [inProject('p-1', { when: 'idle' })], WINDOWED, []],
    ['not for a delay', [inProject('p-1', { kind: 'delay' })], WINDOWED, []],
    [
      'not for one that waits for an approval',
      [inProject('p-1', { state: { at: 'proposed' } })],
      WINDOWED,
      [],
    ],
  ])('%s', async (_, open, rules, asked) => {
    const w = world({ maintenanceHours: HOURS }, rules)
    await w.turn(...open)
    expect(w.asked).toEqual(asked)
  })

  test('once a day, and after a failure once an hour', async () => {
    const w = world()
    for (let turn = 0; turn < 48; turn += 1) {
      await w.turn(WAITING)
      w.pass(DAY / 24)
    }
    expect(w.asked).toHaveLength(2)
    w.becomes('fails')
    for (let turn = 0; turn < 24; turn += 1) {
      await w.turn(WAITING)
      w.pass(DAY / 24)
    }
    expect(w.asked).toHaveLength(26)
  })

  test('by one turn at a time', async () => {
    const w = world()
    await Promise.all([w.turn(WAITING), w.turn(WAITING)])
    expect(w.asked).toHaveLength(1)
  })
})

describe('the windows of a project', () => {
  test('are those of the service, in UTC, over midnight', async () => {
    const w = world()
    expect(w.of('p-1')).toBeUndefined()
    await w.turn(WAITING)
    const open = ['05T00:59', '05T01:00', '05T22:29', '05T22:30', '06T00:30', '06T22:45', '11T22:30']
    expect(open.map((time) => openAt(w, time))).toEqual([true, false, false, true, true, false, true])
    expect(w.of('p-1')?.beforeUpdate).toBeUndefined()
    expect(w.of('p-2')).toBeUndefined()
  })

  test('never open where the project has none, and include the half hour before an announced update', async () => {
    const w = world({ maintenanceAt: instant(NOW + 4 * HOUR) })
    await w.turn(WAITING)
    expect(w.of('p-1')?.service?.next(NOW)).toBeUndefined()
    expect(w.of('p-1')?.beforeUpdate?.next(NOW)).toEqual({ from: NOW + 3.5 * HOUR, to: NOW + 4 * HOUR })
  })

  test('stay for two days without an answer, and not longer', async () => {
    const w = world()
    await w.turn(WAITING)
    w.becomes('fails')
    w.pass(2 * DAY)
    await w.turn(WAITING)
    expect(openAt(w, '05T22:45')).toBe(true)
    w.pass(1)
    expect(w.of('p-1')).toBeUndefined()
    w.becomes({ maintenanceHours: HOURS })
    w.pass(HOUR / 1000)
    await w.turn(WAITING)
    expect(openAt(w, '05T22:45')).toBe(true)
  })

  test('are unknown where they cannot be read, with one event, and one more if that comes again', async () => {
    const w = world({ maintenanceHours: 'unreadable', maintenanceAt: instant(NOW + 4 * HOUR) })
    for (let turn = 0; turn < 3; turn += 1) {
      await w.turn(WAITING)
      w.pass(DAY)
    }
    expect(w.asked).toHaveLength(3)
    expect(w.of('p-1')).toMatchObject({ service: undefined, beforeUpdate: expect.anything() })
    const event = {
      kind: 'problem',
      account: 'main',
      at: NOW,
      where: 'project p-1',
      message: 'settings.maintenance_window is not readable: the window service of its policies stays closed',
    }
    expect([w.stored, w.sent]).toEqual([[event], [event]])
    w.becomes({ maintenanceHours: HOURS })
    await w.turn(WAITING)
    w.pass(DAY)
    w.becomes({ maintenanceHours: 'unreadable' })
    await w.turn(WAITING)
    expect(w.sent).toEqual([event, event])
  })

  test('are read on after an event could not be stored', async () => {
    const w = world({ maintenanceHours: 'unreadable' })
    w.fill(true)
    await w.turn(WAITING, inProject('p-2'))
    w.fill(false)
    await w.turn(WAITING, inProject('p-2'))
    expect(w.asked).toEqual(['report p-1', 'report p-2'])
    expect(w.sent.map((event) => event.kind === 'problem' && event.where)).toEqual(['project p-2'])
    w.pass(DAY)
    await w.turn(WAITING)
    expect(w.sent).toHaveLength(2)
  })
})
