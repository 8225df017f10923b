// The counted past as it lies in the store: parts of days as rows of numbers, since a large account has many.
import { z } from 'zod'
import type { Zone } from '../../calendar/zone.ts'
import { PAST_BASES, type CountedPast, type PastPart } from '../../model/ledger/counted-past.ts'
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
      /** Start of the day, start of the window, price, bounds of the ledger, bounds shown. */
      parts: z.array(z.array(z.number()).length(9)),
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
  computes: [...computes.values()].map(({ ref: { projectId, endpointId }, basis, parts }) => ({
    projectId,
    endpointId,
    basis,
    parts: parts.map(({ day, window, price, ledger, shown }) => [
      day,
      window,
      price,
      ...rowOf(ledger),
      ...rowOf(shown),
    ]),
  })),
})

const rowOf = ({ low, likely, high }: Bounds<CuMillis>) => [low, likely, high]

/** Undefined before a daemon derived it. */
export async function readStoredPast(store: Pick<Outbox, 'jobState'>, account: string, zone: Zone) {
  const stored = await store.jobState(account, STORED_PAST)
  return stored && decodePast(stored, account, zone)
}

function decodePast({ until, computes }: StoredPast, account: string, { dayOf }: Zone): CountedPast {
  const pasts = computes.map(({ projectId, endpointId, basis, parts }) => {
    const ref = { account, projectId, endpointId }
    return [computeKey(ref), { ref, basis, parts: parts.map(partOfRow) }] as const
  })
  const { date: untilDate } = dayOf(instant(until))
  return { until: instant(until), untilDate, computes: new Map(pasts) }
}

const partOfRow = ([day = 0, window = 0, price = 0, ...bounds]: readonly number[]): PastPart => ({
  day: instant(day),
  window: instant(window),
  price: micros(price),
  ledger: boundsOf(bounds.slice(0, 3)),
  shown: boundsOf(bounds.slice(3)),
})

const boundsOf = ([low = 0, likely = 0, high = 0]: readonly number[]): Bounds<CuMillis> => ({
  low: cuMillis(low),
  likely: cuMillis(likely),
  high: cuMillis(high),
})
