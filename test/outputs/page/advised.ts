// Recommendations of the computes of a fleet, as the adviser stores and publishes them.
import { totalSaving } from '../../../src/advise/total.ts'
import type { AdviceSummary, ComputeView, Snapshot } from '../../../src/model/output/snapshot.ts'
import type { ComputeAdvice, Recommendation } from '../../../src/model/policy/recommendation.ts'
import type { ComputeRef } from '../../../src/model/service/compute.ts'
import { cu, seconds } from '../../../src/model/units.ts'
import { at } from '../../support/build.ts'
import { amounts, recommendation, withheld } from '../../support/recommendations.ts'

const numberOf = ({ endpointId }: ComputeRef): number => Number(endpointId.match(/\d+/)?.[0] ?? 0)

const DISMISSED_BEFORE: NonNullable<Recommendation['dismissedBefore']> = {
  id: 'ep-0.delay.0',
  to: { delay: seconds(600) },
  saving: amounts(0.5, 1, 1.5),
  at: at(-864_000),
  until: at(0),
  reason: 'tests run at night',
  by: 'ann',
}

/** Even ones have an open delay, the first of them after a dismissal, every third a size, some odd ones what ended. */
export function recommendationsOf(ref: ComputeRef): readonly Recommendation[] {
  const number = numberOf(ref)
  const one = (kind: Recommendation['kind'], over: Partial<Recommendation> = {}) =>
    recommendation({ ref, kind, id: `${ref.endpointId}.${kind}.1`, ...over })
  const delay = one('delay', {
    saving: amounts(1 + number / 10, 2 + number / 10, 4 + number / 10),
    ...(number === 0 && { dismissedBefore: DISMISSED_BEFORE }),
  })
  const sizing = one('sizing', {
    from: { sizing: { fixed: cu(4) } },
    to: { sizing: { min: cu(0.5), max: cu(4) } },
    restarts: true,
    spend: amounts(305, 305, 305),
    saving: amounts(120, 190, 260),
    effect: { wakesPerDay: undefined, sessionsCut: undefined, connections: { peak: 40, limit: 1671 } },
    alternatives: [
      {
        to: { sizing: { min: cu(1), max: cu(4) } },
        saving: amounts(80, 140, 210),
        effect: { wakesPerDay: undefined, sessionsCut: undefined, connections: undefined },
        because: 'dearer',
      },
    ],
  })
  const dearer = one('sizing', {
    from: { sizing: { min: cu(0.25), max: cu(2) } },
    to: { sizing: { min: cu(0.25), max: cu(4) } },
    restarts: true,
    saving: amounts(-5, -3, -1),
    alternatives: [],
  })
  return [
    ...(number % 2 === 0 ? [delay] : []),
    ...(number % 6 === 3 ? [sizing] : []),
    ...(number % 12 === 4 ? [dearer] : []),
    ...(number % 6 === 1
      ? [
          one('delay', {
            life: { state: 'dismissed', at: at(0), until: at(864_000), reason: 'demo next week', by: 'ann' },
          }),
        ]
      : []),
    ...(number % 6 === 5
      ? [one('delay', { life: { state: 'implemented', at: at(0), realised: amounts(9, 11, 12) } })]
      : []),
  ]
}

export const withheldOf = (ref: ComputeRef): ComputeAdvice => ({
  ref,
  evaluatedAt: at(0),
  withheld: [
    ...(numberOf(ref) % 2 === 1 ? [withheld()] : []),
    withheld({ kind: 'pooler', because: 'fits', have: 0, needs: 0, until: undefined }),
    withheld({ kind: 'awake-for-nothing', because: 'no-readings', have: 3, needs: 200, until: at(86_400) }),
  ],
  made: {},
})

const openOf = ({ identity: { ref } }: ComputeView) =>
  recommendationsOf(ref)
    .filter(({ life }) => life.state === 'open')
    .map((one) => {
      const { dismissedBefore: _, ...open } = one
      return open
    })

/** With what is published of the open ones. */
export function advised(snapshot: Snapshot): Snapshot {
  const open = snapshot.computes.flatMap(openOf)
  const advice: AdviceSummary = {
    saving: totalSaving(open),
    counts: new Map([['delay/open', open.length]]),
    withheld: new Map([['pooler/fits', snapshot.computes.length]]),
  }
  return {
    ...snapshot,
    accounts: snapshot.accounts.map((view) => ({ ...view, advice })),
    computes: snapshot.computes.map((view) => {
      const own = openOf(view)
      return own.length === 0 ? view : { ...view, advice: own }
    }),
  }
}
