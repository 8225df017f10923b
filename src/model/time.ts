import { after, instant, latest, SECOND, seconds, type Instant, type Interval } from './units.ts'

/** Union, in ascending order without overlaps. */
export function union(intervals: readonly Interval[]): readonly Interval[] {
  const joined: Interval[] = []
  const ordered = intervals.filter(({ from, to }) => from < to).toSorted((a, b) => a.from - b.from)
  for (const { from, to } of ordered) {
    const last = joined.at(-1)
    if (last && from <= last.to) joined[joined.length - 1] = { from: last.from, to: latest(last.to, to) }
    else joined.push({ from, to })
  }
  return joined
}

/** `2026-11-20T16:32:07Z`, or with milliseconds where there are any. */
export const toIso = (at: Instant): string => new Date(at).toISOString().replace('.000Z', 'Z')

/** For people: without fractions of a second. */
export const toIsoSecond = (at: Instant): string => toIso(instant(Math.floor(at / SECOND) * SECOND))

/** ISO 8601 with a zone designator; undefined for anything else, local times included. */
export function fromIso(text: string): Instant | undefined {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text)) return undefined
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : instant(at)
}

export const lastHours = (now: Instant, hours: number): Interval => ({
  from: after(now, seconds(-hours * 3600)),
  to: now,
})
