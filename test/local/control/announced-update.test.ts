// Updates of the service that are announced: which computes restart for one, and when.
import { describe, expect, test } from 'vitest'
import type { Event } from '../../../src/local/control/events.ts'
import type { Project } from '../../../src/local/control/project.ts'
import { START, compute, play, project, sleeping } from './build.ts'

const endpointId = 'ep-one'
const time: Event = { kind: 'time' }
const announce: Event = { kind: 'announce-update', scheduledFor: START + 100_000 }
const stopped: Event = { kind: 'stopped', endpointId }
const started: Event = { kind: 'started', endpointId }
const steady = { suspendTimeout: -1 }

/** Reasons of all stops, and starts with their cause. */
const recordsOf = (before: Project, events: readonly (readonly [number, Event])[]): readonly string[] =>
  play(before, events)
    .results.flatMap(({ effects }) => effects)
    .flatMap((effect) => {
      if (effect.kind === 'write-stop') return [`stop ${effect.stop.why}`]
      return effect.kind === 'write-wake' ? [`start ${effect.wake.cause.kind}`] : []
    })

describe('an announced update', () => {
  test('restarts an awake compute at its time, not before, and is over then', () => {
    const before = project([compute({}, steady)])
    const announced = play(before, [
      [10, announce],
      [99, time],
    ])
    expect(announced.wakeAt).toBe(START + 100_000)
    expect(announced.project.queue).toEqual([])
    const events = [
      [10, announce],
      [100, time],
      [101, stopped],
      [102, started],
    ] as const
    expect(recordsOf(before, events)).toEqual(['stop maintenance', 'start maintenance'])
    const after = play(before, events)
    expect([after.project.update, after.wakeAt]).toEqual([undefined, undefined])
  })

  test('leaves a compute alone that was restarted since the announcement', () => {
    const events = [
      [10, announce],
      [20, { kind: 'restart', endpointId }],
      [21, stopped],
      [22, started],
      [100, time],
      [101, stopped],
    ] as const
    const after = play(project([compute({}, steady)]), events)
    expect(after.results[4]?.project.queue).toEqual([])
    expect(after.results[4]?.project.update).toBeUndefined()
  })

  test('leaves a suspended compute alone', () => {
    const { project: after } = play(project([sleeping(steady)]), [
      [10, announce],
      [100, time],
    ])
    expect([after.queue, after.update]).toEqual([[], undefined])
  })

  test('suspends once a compute that is due for it anyway', () => {
    const before = project([compute({}, { suspendTimeout: 100 })])
    const events = [
      [10, announce],
      [100, time],
      [101, stopped],
    ] as const
    expect(recordsOf(before, events)).toEqual(['stop autosuspend'])
  })

  test('waits for operations that run', () => {
    const before = project([compute({}, steady)])
    const events = [
      [10, announce],
      [99, { kind: 'update', endpointId, changes: { suspendTimeout: 600 } }],
      [100, time],
      [101, { kind: 'configured', endpointId }],
    ] as const
    const busy = play(before, events)
    expect(busy.project.update).toBeDefined()
    expect(busy.wakeAt).toBe(START + 100_000)
    expect(recordsOf(before, [...events, [102, time], [103, stopped]])).toEqual(['stop maintenance'])
  })

  test('that is moved was announced when it first was', () => {
    const restarted = [
      [10, announce],
      [20, { kind: 'restart', endpointId }],
      [21, stopped],
      [22, started],
      [30, { kind: 'announce-update', scheduledFor: START + 40_000 }],
      [40, time],
      [41, stopped],
    ] as const
    expect(recordsOf(project([compute({}, steady)]), restarted)).toEqual([
      'stop restart-call',
      'start api',
      'stop crash',
    ])
  })

  test('that is taken back restarts nothing', () => {
    const { project: after, wakeAt } = play(project([compute({}, steady)]), [
      [10, announce],
      [20, { kind: 'announce-update', scheduledFor: undefined }],
      [100, time],
    ])
    expect([after.queue, wakeAt]).toEqual([[], undefined])
  })
})
