// A model of the service's file cache: what of it plain Postgres does not have.

/**
 * The cache sits behind `shared_buffers`, so it sees what Postgres counts as blocks read, relation by relation.
 *
 * Stated model: within a relation every access meets a page at random. It hits with the share of the relation's pages
 * that are resident; a miss brings its page in. After `a` accesses a relation of `p` pages with `c` of them resident has
 * `p - (p - c)·e^(-a/p)` resident, had all had room. When they have not, relations that were not read lose theirs, the
 * least recently read first; then those that were read share the cache in proportion to what they wanted.
 *
 * Pages are pages of this machine, counters are accesses. Counters never fall.
 */
export type CacheModel = {
  /** Pages that fit. */
  readonly capacity: number
  readonly hits: number
  readonly misses: number
  readonly evicted: number
  /** By database and relation. */
  readonly relations: ReadonlyMap<string, Relation>
  /** What had been read by some instants, ascending, about a minute apart, the last hour of them. */
  readonly marks: readonly Mark[]
  /** Until when this is known, ms. */
  readonly at: number
}

type Residence = { readonly pages: number; readonly resident: number }

type Relation = Residence & {
  readonly database: string
  /** Blocks read as the server told last, and since the start. They differ once somebody reset the server's counters. */
  readonly told: number
  readonly accesses: number
  readonly readAt: number
}

type Mark = { readonly at: number; readonly accesses: ReadonlyMap<string, number> }

/** What the server tells of a relation: its id, blocks read since the start, pages. */
export type RelationReading = { readonly id: string; readonly told: number; readonly pages: number }

/** Pages distinct since an instant. */
export type Touched = { readonly at: number; readonly pages: number }

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** An empty cache, as at every start. */
export const emptyCache = (capacity: number, now: number): CacheModel => ({
  capacity,
  hits: 0,
  misses: 0,
  evicted: 0,
  relations: new Map(),
  marks: [{ at: now, accesses: new Map() }],
  at: now,
})

/** One relation on the way through a step. */
type Step = {
  readonly id: string
  readonly relation: Relation
  readonly read: number
  readonly wanted: number
}

/**
 * What the accesses since the last reading of a database did. Relations that are gone free their room.
 * `since`: an instant at which nothing had been read that is new now.
 */
export function recordAccesses(
  model: CacheModel,
  reading: { readonly database: string; readonly relations: readonly RelationReading[] },
  { since, now }: { readonly since: number; readonly now: number },
): CacheModel {
  const { database } = reading
  const steps = reading.relations.map((told) => stepOf(model, told, { database, now }))
  const others = [...model.relations].filter(([, relation]) => relation.database !== database)
  const total = steps.reduce((sum, { read, wanted }) => sum + (read > 0 ? wanted : 0), 0)
  const share = total > model.capacity ? model.capacity / total : 1
  let { hits, misses } = model
  const relations = new Map(others)
  for (const { id, relation, read, wanted } of steps) {
    const room = read > 0 ? wanted * share : wanted
    const missed = missesIn(relation, read, room)
    misses += missed
    hits += read - missed
    relations.set(id, { ...relation, resident: room })
  }
  return evictedTo(
    { ...model, hits, misses, relations, marks: marksOf(model, since), at: now },
    model.capacity,
  )
}

function stepOf(
  model: CacheModel,
  { id, told, pages }: RelationReading,
  { database, now }: { readonly database: string; readonly now: number },
): Step {
  const key = `${database}\0${id}`
  const before = model.relations.get(key)
  const read = before && told >= before.told ? told - before.told : told
  const resident = Math.min(pages, before?.resident ?? 0)
  const relation: Relation = {
    database,
    told,
    accesses: (before?.accesses ?? 0) + read,
    pages,
    resident,
    readAt: read > 0 ? now : (before?.readAt ?? now),
  }
  return { id: key, relation, read, wanted: residentAfter(relation, read) }
}

const residentAfter = ({ pages, resident }: Residence, read: number): number =>
  pages > 0 ? pages - (pages - resident) * Math.exp(-read / pages) : 0

/** Misses of `read` accesses when at most `room` pages of the relation may be resident. */
function missesIn({ pages, resident }: Residence, read: number, room: number): number {
  if (pages === 0 || read === 0) return read
  const share = Math.min(1, room / pages)
  if (resident >= room) return read * (1 - share)
  const filling = share < 1 ? Math.min(read, pages * Math.log((pages - resident) / (pages - room))) : read
  const brought = residentAfter({ pages, resident }, filling) - resident
  return Math.min(read, brought + (read - filling) * (1 - share))
}

/** The same cache with room for `capacity` pages. */
export const resizeCache = (model: CacheModel, capacity: number): CacheModel =>
  evictedTo({ ...model, capacity }, capacity)

/** Takes room from the relations that were read least recently until what is left fits. */
function evictedTo(model: CacheModel, capacity: number): CacheModel {
  let over = usedPages(model) - capacity
  if (over <= 0) return model
  const evicted = model.evicted + over
  const relations = new Map(model.relations)
  const oldestFirst = [...relations].toSorted(([, a], [, b]) => a.readAt - b.readAt)
  for (const [id, relation] of oldestFirst) {
    const taken = Math.min(over, relation.resident)
    relations.set(id, { ...relation, resident: relation.resident - taken })
    over -= taken
  }
  return { ...model, evicted, relations }
}

export function usedPages({ relations }: CacheModel): number {
  let used = 0
  for (const { resident } of relations.values()) used += resident
  return used
}

/** Marks what had been read by `since`, when the last mark is old, and forgets what is older than an hour. */
function marksOf({ marks, relations }: CacheModel, since: number): readonly Mark[] {
  const last = marks.at(-1)
  if (last && since - last.at < MINUTE) return marks
  const accesses = new Map([...relations].map(([id, relation]) => [id, relation.accesses]))
  const added = [...marks, { at: since, accesses }]
  const oldest = added.findLastIndex(({ at }) => at <= since - HOUR)
  return added.slice(Math.max(0, oldest))
}

/** How many distinct pages were touched since each mark until now, the newest last with none. */
export function touchedSince(model: CacheModel): readonly Touched[] {
  const touched = model.marks.map(({ at, accesses }): Touched => {
    let pages = 0
    for (const [id, relation] of model.relations) {
      const read = relation.accesses - (accesses.get(id) ?? 0)
      pages += relation.pages > 0 ? relation.pages * (1 - Math.exp(-read / relation.pages)) : 0
    }
    return { at, pages }
  })
  return [...touched, { at: model.at, pages: 0 }]
}

/** Distinct pages touched in the last 1, 2, … 60 minutes. */
export function workingSet(model: CacheModel, now: number): readonly number[] {
  const touched = touchedSince(model)
  return Array.from({ length: 60 }, (_, index) => touchedAfter(touched, now - (index + 1) * MINUTE))
}

/** Between two marks, as if the accesses had been spread evenly. */
function touchedAfter(touched: readonly Touched[], at: number): number {
  const next = touched.findIndex((mark) => mark.at > at)
  if (next === -1) return 0
  const [from, to] = [touched[next - 1], touched[next]]
  if (!from || !to) return to?.pages ?? 0
  return from.pages + ((at - from.at) / (to.at - from.at)) * (to.pages - from.pages)
}
