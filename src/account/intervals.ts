// Awake intervals out of evidence: a walk along the timeline that keeps one piece of state, whether the compute is awake.
import type { AwakeInterval, Edge, Evidence, Sighting } from '../model/ledger.ts'
import { earliest, instant, latest, type Instant } from '../model/units.ts'
import { isAwake, timelineOf, type Boundary } from './boundaries.ts'

type Walk = {
  readonly done: AwakeInterval[]
  open: AwakeInterval | undefined
  /** The last instant at which the compute is known not to be awake; undefined before anything is known. */
  asleepAt: Instant | undefined
}

/**
 * The awake intervals that began after `settledUntil`, in order of time, never overlapping; only the last may be open.
 * The compute was not awake at `settledUntil`. An interval that began before the first evidence is left out when no
 * fact dates its start.
 */
export function intervalsOf(evidence: Evidence, settledUntil: Instant): readonly AwakeInterval[] {
  const { boundaries, gaps } = timelineOf(evidence, settledUntil)
  const walk: Walk = { done: [], open: undefined, asleepAt: settledUntil > 0 ? settledUntil : undefined }
  gaps.forEach((sightings, index) => {
    for (const sighting of sightings) pass(walk, sighting)
    const boundary = boundaries[index]
    if (boundary?.kind === 'start') start(walk, boundary)
    else if (boundary) end(walk, boundary)
  })
  return walk.open ? [...walk.done, walk.open] : walk.done
}

/** A sighting that contradicts the walk dates a transition nothing else tells of. */
function pass(walk: Walk, sighting: Sighting): void {
  if (isAwake(sighting)) {
    if (walk.open) walk.open = { ...walk.open, knownUntil: latest(walk.open.knownUntil, sighting.askedAt) }
    else open(walk, polled(walk.asleepAt ?? sighting.askedAt, sighting.answeredAt), sighting.askedAt)
    return
  }
  if (walk.open) close(walk, polled(walk.open.knownUntil, sighting.answeredAt))
  walk.asleepAt = sighting.askedAt
}

function start(walk: Walk, { edge, restart }: Boundary): void {
  const running = walk.open
  if (running)
    close(walk, {
      ...edge,
      earliest: earliest(running.knownUntil, edge.likely),
      source: 'assumed',
    })
  const from = notBefore(edge, walk.done.at(-1)?.to)
  walk.open = { from, to: undefined, knownUntil: from.likely, restart: restart || running !== undefined }
}

function end(walk: Walk, { edge }: Boundary): void {
  if (!walk.open) {
    if (walk.asleepAt === undefined) {
      walk.asleepAt = edge.latest
      return
    }
    open(walk, { ...polled(walk.asleepAt, edge.latest), source: 'assumed' }, edge.earliest)
  }
  close(walk, edge)
  walk.asleepAt = edge.latest
}

function open(walk: Walk, from: Edge, knownUntil: Instant): void {
  walk.open = { from, to: undefined, knownUntil: latest(from.likely, knownUntil), restart: false }
}

function close(walk: Walk, edge: Edge): void {
  if (!walk.open) return
  const to = notBefore(edge, walk.open.from)
  walk.done.push({ ...walk.open, to, knownUntil: to.likely })
  walk.open = undefined
}

/** `edge` moved so that it does not lie before `limit`: two edges within one second share it in their order. */
function notBefore(edge: Edge, limit: Edge | undefined): Edge {
  if (!limit) return edge
  return {
    earliest: latest(edge.earliest, limit.earliest),
    likely: latest(edge.likely, limit.likely),
    latest: latest(edge.latest, limit.likely),
    source: edge.source,
  }
}

const polled = (from: Instant, to: Instant): Edge => ({
  earliest: earliest(from, to),
  likely: instant((from + to) / 2),
  latest: latest(from, to),
  source: 'poll',
})
