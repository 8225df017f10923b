// The counted past as it lies in the store: days as rows of numbers, since a large account has many.
import { z } from 'zod'
import { PAST_BASES, type CountedPast, type PastDay } from '../../model/ledger/counted-past.ts'
import type { Bounds } from '../../model/ledger/quantities.ts'
import type { JobState, Outbox } from '../../model/ports/outbox.ts'
import { computeKey } from '../../model/service/compute.ts'
import { cuMillis, instant, micros, type CuMillis } from '../../model/units.ts'

const schema = z.object({
  until: z.number(),
  computes: z.array(
    z.object({
      projectId: z.string(),
      endpointId: z.string(),
      basis: z.enum(PAST_BASES),
      /** Start, price, bounds of the ledger, bounds shown. */
      days: z.array(z.array(z.number()).length(8)),
    }),
  ),
})

type StoredPast = z.output<typeof schema>

/** The state of another version is not understood: then the past is read anew from the service. */
export const STORED_PAST: JobState<StoredPast> = {
  job: 'counted-past',
  decode: (json) => schema.safeParse(json).data,
}

export const encodePast = ({ until, computes }: CountedPast): StoredPast => ({
  until,
  computes: [...computes.values()].map(({ ref: { projectId, endpointId }, basis, days }) => ({
    projectId,
    endpointId,
    basis,
    days: days.map(({ from, price, ledger, shown }) => [from, price, ...rowOf(ledger), ...rowOf(shown)]),
  })),
})

const rowOf = ({ low, likely, high }: Bounds<CuMillis>) => [low, likely, high]

/** Undefined before a daemon derived it. */
export async function readStoredPast(store: Pick<Outbox, 'jobState'>, account: string) {
  const stored = await store.jobState(account, STORED_PAST)
  return stored && decodePast(stored, account)
}

function decodePast({ until, computes }: StoredPast, account: string): CountedPast {
  const pasts = computes.map(({ projectId, endpointId, basis, days }) => {
    const ref = { account, projectId, endpointId }
    return [computeKey(ref), { ref, basis, days: days.map(dayOf) }] as const
  })
  return { until: instant(until), computes: new Map(pasts) }
}

const dayOf = ([from = 0, price = 0, ...bounds]: readonly number[]): PastDay => ({
  from: instant(from),
  price: micros(price),
  ledger: boundsOf(bounds.slice(0, 3)),
  shown: boundsOf(bounds.slice(3)),
})

const boundsOf = ([low = 0, likely = 0, high = 0]: readonly number[]): Bounds<CuMillis> => ({
  low: cuMillis(low),
  likely: cuMillis(likely),
  high: cuMillis(high),
})
