// Fleets in which every name that others choose is one of those given.
import { instant, seconds } from '../../../src/model/units.ts'
import { refOf } from '../../store/build.ts'
import { recommendation, withheld } from '../../support/recommendations.ts'
import type { FleetAdvice } from './fleet-advice.ts'
import { FLEETS, type Described, type inputOf } from './fleets.ts'

/** Every name that others choose. */
export const namedAll = (names: readonly string[]): readonly Described[] =>
  names.map((name, index) => ({
    endpointId: `ep-${index}`,
    projectId: `p-${index}`,
    hours: 24 - index * 1e-4,
    hoursBefore: index % 20,
    unsure: 0.5,
    place: {
      projectName: name,
      name,
      owner: { team: name, tier: name, channel: undefined, costCentre: name },
      ...(index % 2 === 0 ? {} : { unreadBecause: name }),
    },
    ...(index % 2 === 0
      ? {
          heldBy: {
            [['clients', name, name, name].map((part) => encodeURIComponent(wellFormed(part))).join('/')]: 1,
          },
        }
      : {}),
  }))

/** Clients, reasons and windows with every name. */
export const advisedAll = (names: readonly string[]): FleetAdvice => {
  const refs = names.map((_, index) => refOf(`ep-${index}`, `p-${index}`))
  return {
    recommendations: names.flatMap((name, index) => {
      const ref = refs[index]
      if (!ref) return []
      const culprit = { cause: 'clients', application: name, user: name, database: name } as const
      const detail = { kind: 'awake-for-nothing', culprit, period: seconds(60), fix: 'move-job' } as const
      const life = { state: 'dismissed', at: WEEK, until: undefined, reason: name, by: name } as const
      const of = { ref, openedAt: WEEK }
      return [
        recommendation({ ...of, id: `ep-${index}.delay.1` }),
        recommendation({
          ...of,
          id: `ep-${index}.awake-for-nothing.1`,
          kind: 'awake-for-nothing',
          to: {},
          detail,
        }),
        recommendation({ ...of, id: `ep-${index}.delay.0`, life }),
      ]
    }),
    withheld: refs.map((ref) => ({ ref, withheld: [withheld({ kind: 'sizing' })] })),
    noWake: new Map(
      names.map((window, index) => [`ep-${index}.delay.1`, [{ window, micros: 1, wakes_per_day: 1 }]]),
    ),
  }
}

const WEEK = instant(Date.UTC(2026, 10, 17))

const wellFormed = (text: string): string => text.toWellFormed()

export const budgetNamed = (name: string): NonNullable<ReturnType<typeof inputOf>['planned']> => {
  const [first] = FLEETS.busy.planned?.budgets ?? []
  return { budgets: first ? [{ ...first, name, team: name }] : [], month: undefined }
}
