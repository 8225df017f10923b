// Model of the service's file cache, which sits behind `shared_buffers`: its accesses are the blocks that Postgres
// counts as read, relation by relation.
//
// 1. An access meets a random page of its relation. The share of resident pages hits; a miss makes its page resident.
// 2. After `a` accesses, a relation of `p` pages, `c` of them resident before, has `p - (p - c)·e^(-a/p)`, if all fit.
// 3. Else relations that were not read lose pages, the least recently read first; then the others share the cache in
//    proportion to the pages they would have.

/** Pages of this machine; counters of accesses, which never fall. */
export type CacheModel = Readonly<{
  capacity: number
  hits: number
  misses: number
  evicted: number
  /** Database and relation → pages. */
  relations: ReadonlyMap<string, Relation>
  /** Accesses at instants of the last hour, ascending, a minute apart. */
  marks: readonly Mark[]
  at: number
}>

type Residence = Readonly<{ pages: number; resident: number }>

type Relation = Residence &
  Readonly<{
    database: string
    /** The server's own counter. */
    read: number
    /** Accesses since the start; not `read` once the server's counters were reset. */
    accesses: number
    readAt: number
  }>

type Mark = Readonly<{ at: number; accesses: ReadonlyMap<string, number> }>

/** Blocks read since the start, by relation. */
export type RelationReading = Readonly<{ id: string; read: number; pages: number }>

/** Distinct pages since an instant. */
type Touched = Readonly<{ at: number; pages: number }>

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

/** Adds a reading of one database; `since` is before all new accesses. Deleted relations free their pages. */
export function recordAccesses(
  model: CacheModel,
  reading: Readonly<{ database: string; relations: readonly RelationReading[] }>,
  { since, now }: Readonly<{ since: number; now: number }>,
): CacheModel {
  const { database } = reading
  const steps = reading.relations.map((relation) => stepOf(model, relation, { database, now }))
  const others = [...model.relations].filter(([, relation]) => relation.database !== database)
  const total = steps.reduce((sum, { accesses, wanted }) => sum + (accesses > 0 ? wanted : 0), 0)
  const share = total > model.capacity ? model.capacity / total : 1
  let { hits, misses } = model
  const relations = new Map(others)
  for (const { id, relation, accesses, wanted } of steps) {
    const room = accesses > 0 ? wanted * share : wanted
    const missed = missesIn(relation, accesses, room)
    misses += missed
    hits += accesses - missed
    relations.set(id, { ...relation, resident: room })
  }
  return evict({ ...model, hits, misses, relations, marks: marksOf(model, since), at: now })
}

/** New accesses of a relation, and the pages it would have without a limit. */
function stepOf(
  model: CacheModel,
  { id, read, pages }: RelationReading,
  { database, now }: Readonly<{ database: string; now: number }>,
) {
  const key = `${database}\0${id}`
  const before = model.relations.get(key)
  const accesses = before && read >= before.read ? read - before.read : read
  const resident = Math.min(pages, before?.resident ?? 0)
  const relation: Relation = {
    database,
    read,
    accesses: (before?.accesses ?? 0) + accesses,
    pages,
    resident,
    readAt: accesses > 0 ? now : (before?.readAt ?? now),
  }
  return { id: key, relation, accesses, wanted: residentAfter(relation, accesses) }
}

const residentAfter = ({ pages, resident }: Residence, accesses: number) =>
  pages > 0 ? pages - (pages - resident) * Math.exp(-accesses / pages) : 0

/** Misses when at most `room` pages may be resident. */
function missesIn({ pages, resident }: Residence, accesses: number, room: number): number {
  if (pages === 0 || accesses === 0) return accesses
  const share = Math.min(1, room / pages)
  if (resident >= room) return accesses * (1 - share)
  const filling =
    share < 1 ? Math.min(accesses, pages * Math.log((pages - resident) / (pages - room))) : accesses
  const filled = residentAfter({ pages, resident }, filling) - resident
  return Math.min(accesses, filled + (accesses - filling) * (1 - share))
}

export const resizeCache = (model: CacheModel, capacity: number): CacheModel => evict({ ...model, capacity })

/** The least recently read relations first. */
function evict(model: CacheModel): CacheModel {
  let excess = usedPages(model) - model.capacity
  if (excess <= 0) return model
  const evicted = model.evicted + excess
  const relations = new Map(model.relations)
  const oldestFirst = [...relations].toSorted(([, a], [, b]) => a.readAt - b.readAt)
  for (const [id, relation] of oldestFirst) {
    const taken = Math.min(excess, relation.resident)
    relations.set(id, { ...relation, resident: relation.resident - taken })
    excess -= taken
  }
  return { ...model, evicted, relations }
}

export const usedPages = ({ relations }: CacheModel): number =>
  relations.values().reduce((used, { resident }) => used + resident, 0)

/** A new mark once the last is a minute old; none older than an hour. */
function marksOf({ marks, relations }: CacheModel, since: number): readonly Mark[] {
  const last = marks.at(-1)
  if (last && since - last.at < MINUTE) return marks
  const accesses = new Map([...relations].map(([id, relation]) => [id, relation.accesses]))
  const added = [...marks, { at: since, accesses }]
  const oldest = added.findLastIndex(({ at }) => at <= since - HOUR)
  return added.slice(Math.max(0, oldest))
}

/** Distinct pages from each mark until the last update; the last item is that update, with none. */
export function touchedSince(model: CacheModel): readonly Touched[] {
  const touched = model.marks.map(({ at, accesses }) => {
    let pages = 0
    for (const [id, relation] of model.relations) {
      const since = relation.accesses - (accesses.get(id) ?? 0)
      pages += residentAfter({ pages: relation.pages, resident: 0 }, since)
    }
    return { at, pages }
  })
  return [...touched, { at: model.at, pages: 0 }]
}

/** Distinct pages in the last 1, 2, … 60 minutes. */
export function workingSet(model: CacheModel, now: number): readonly number[] {
  const touched = touchedSince(model)
  return Array.from({ length: 60 }, (_, index) => touchedAfter(touched, now - (index + 1) * MINUTE))
}

/** Interpolates between two marks, as if accesses were spread evenly. */
function touchedAfter(touched: readonly Touched[], at: number): number {
  const next = touched.findIndex((mark) => mark.at > at)
  if (next === -1) return 0
  const [from, to] = [touched[next - 1], touched[next]]
  if (!from || !to) return to?.pages ?? 0
  return from.pages + ((at - from.at) / (to.at - from.at)) * (to.pages - from.pages)
}
