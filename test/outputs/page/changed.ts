// Changes of the computes of a fleet, with holds and history.
import type { Snapshot } from '../../../src/model/output/snapshot.ts'
import type { Change, ChangeEvent, OpenChange } from '../../../src/model/policy/change.ts'
import type { ComputeRef } from '../../../src/model/service/compute.ts'
import { cu, instant, seconds } from '../../../src/model/units.ts'
import { at } from '../../support/build.ts'
import type { ShownChanges } from '../../support/change-sources.ts'
import { changeOf, SCHEDULED } from '../../support/changes.ts'
import { TAKEN } from '../../support/fleet-snapshot.ts'
import { amounts } from '../../support/recommendations.ts'

const DAY = 86_400

/** What people and the service put into changes. */
export type ChangeNames = Readonly<{ by: string; reason: string; because: string }>

const QUIET_NAMES: ChangeNames = {
  by: 'ann',
  reason: 'it never uses more',
  because: 'the service refused it: size 8 is not available',
}

/** By the number of the compute: the first of five is scheduled by a recommendation, then proposed, verifying, done, failed. */
export function changesOf({ computes }: Snapshot, names: ChangeNames = QUIET_NAMES): ShownChanges {
  const changes = computes.map(({ identity: { ref } }) => oneOf(ref, numberOf(ref), names))
  return {
    changes,
    events: changes.flatMap(eventsOf),
    holds: new Map(changes.flatMap((one) => holdsOf(one))),
    slots: new Map([['ch-ep-0', { from: at(7200), to: at(10_800) }]]),
  }
}

const numberOf = ({ endpointId }: ComputeRef): number => Number(/\d+$/.exec(endpointId)?.[0] ?? 0)

function holdsOf({ id, state }: Change): readonly (readonly [string, NonNullable<OpenChange['hold']>])[] {
  if (state.at === 'scheduled') return [[id, { because: 'awake', since: at(TAKEN - 900), until: undefined }]]
  if (state.at === 'proposed') return [[id, { because: 'approval', since: at(0), until: undefined }]]
  if (state.at !== 'verifying') return []
  return [[id, { because: 'unverified', since: at(TAKEN - 20), until: at(TAKEN + 280) }]]
}

function oneOf(ref: ComputeRef, number: number, { by, reason, because }: ChangeNames): Change {
  const person = { by: 'person', name: by } as const
  const one = (fields: Partial<Change>): Change =>
    changeOf({
      id: `ch-${ref.endpointId}`,
      ref,
      origin: person,
      planHash: 'a7c01d93be45f260',
      createdAt: at(-number),
      ...fields,
    })
  const sent = { at: at(-DAY), sessions: 0 } as const
  switch (number % 5) {
    case 0:
      return one({
        origin: { by: 'recommendation', id: `${ref.endpointId}.sizing.1`, hash: 'h1', name: by },
        promised: amounts(1, 2, 4),
        state: { ...SCHEDULED, at: 'scheduled', approvedBy: by, notBefore: at(0), attempts: 0 },
      })
    case 1:
      return one({
        kind: 'delay',
        desired: { autosuspendDelay: seconds(60) },
        before: { autosuspendDelay: 'never' },
        reason,
        state: { at: 'proposed' },
      })
    case 2:
      return one({
        state: {
          at: 'verifying',
          since: at(TAKEN - 20),
          operationIds: [],
          sent: { ...sent, at: at(TAKEN - 21) },
        },
      })
    case 3:
      return one({
        reason,
        desired: { sizing: { min: cu(0.25), max: cu(2) } },
        state: {
          at: 'done',
          because: 'verified',
          endedAt: at(-DAY + 30 + number),
          sent: number % 2 === 0 ? { ...sent, sessions: 'unknown' } : sent,
        },
      })
    default:
      return one({
        kind: 'restart',
        desired: {},
        before: {},
        state: { at: 'failed', because, endedAt: at(-DAY + number) },
      })
  }
}

/** Proposed, approved by another person where it was sent, and its state now. */
function eventsOf({ id: changeId, state, createdAt }: Change): readonly ChangeEvent[] {
  const event = (version: number, when: number, one: Change['state']): ChangeEvent => ({
    changeId,
    version,
    at: instant(createdAt + when * 1000),
    state: one,
  })
  const approved = {
    ...SCHEDULED,
    at: 'scheduled',
    approvedBy: 'bob',
    notBefore: createdAt,
    attempts: 0,
  } as const
  return state.at === 'done' || state.at === 'verifying'
    ? [event(1, 0, { at: 'proposed' }), event(2, 60, approved), event(3, 120, state)]
    : [event(1, 0, state)]
}
