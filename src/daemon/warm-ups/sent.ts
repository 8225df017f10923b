// Warm-ups that were sent, as stored: before the request, so that no wake of ours is taken for a client's after a crash, and until it is known
// what came of them.
import { array, object, string, number } from 'zod'
import { WAKE_TIME } from '../../ledger/gaps/gap-length.ts'
import type { Ledger } from '../../model/ledger/ledger.ts'
import { WARM_UP_RESULTS, type WarmUpCounts, type WarmUpResult } from '../../model/policy/warm-up.ts'
import { jobStateWrite, type JobState, type Outbox } from '../../model/ports/outbox.ts'
import { commit, type AccountStore } from '../../model/ports/store.ts'
import { createOrder } from '../../std/in-order.ts'
import { computeKey, type Compute, type ComputeRef } from '../../model/service/compute.ts'
import {
  DAY,
  earliest,
  HOUR,
  instant,
  MINUTE,
  SECOND,
  type Instant,
  type Interval,
} from '../../model/units.ts'

/** `startedAt`: as the record shows it, once it does. */
type SentWarmUp = Readonly<{
  projectId: string
  endpointId: string
  at: Instant
  startedAt?: Instant | undefined
  result?: WarmUpResult | undefined
}>

type Memory = Readonly<{ sent: readonly SentWarmUp[]; counts: WarmUpCounts }>

const instants = number().transform(instant)
const schema = object({
  sent: array(
    object({
      projectId: string(),
      endpointId: string(),
      at: instants,
      startedAt: instants.optional(),
      result: string()
        .transform((text) => WARM_UP_RESULTS.find((one) => one === text))
        .optional(),
    }),
  ),
  counts: object({ used: number(), unused: number(), failed: number() }),
})

const STORED: JobState<Memory> = {
  job: 'warm-ups',
  decode: (json) => schema.safeParse(json).data,
}

/** Longest time from the request to the start of the compute. */
const STARTS_WITHIN = MINUTE
/** A wake may be seen so long after it: operations are listed 15 minutes late. */
const REMEMBERED = HOUR
/** Longest time for which a compute that was started waits for a client: the longest delay, and a day for a daemon that is down. */
const WAITS_AT_MOST = 8 * DAY

type SentOptions = Readonly<{
  account: string
  store: Pick<AccountStore, 'commit'>
  epoch: number
  history: Pick<Outbox, 'jobState'>
  now: () => Instant
}>

/** @throws when the store fails */
export async function loadSentWarmUps({ account, store, epoch, history, now }: SentOptions) {
  let memory: Memory = (await history.jobState(account, STORED)) ?? {
    sent: [],
    counts: { used: 0, unused: 0, failed: 0 },
  }
  // a pass asks for each compute
  let byEndpoint = sentByEndpoint(memory)
  const inOrder = createOrder()
  const replace = async (next: Memory): Promise<void> => {
    if (next !== memory) await commit(store, [jobStateWrite(STORED, next)], { epoch })
    memory = next
    byEndpoint = sentByEndpoint(next)
  }
  /** Each depends on the one before. @throws when the store fails, and then remembers nothing */
  const update = (change: (memory: Memory) => Memory): Promise<void> => inOrder(() => replace(change(memory)))
  const sentTo = ({ endpointId }: ComputeRef) => byEndpoint.get(endpointId)

  return {
    counts: (): WarmUpCounts => memory.counts,
    /** Undefined where none is remembered. */
    lastTo: (ref: ComputeRef): Instant | undefined => sentTo(ref)?.at(-1)?.at,
    /** Projects with one of which nobody knows yet what came of it: passes look at them. */
    waiting: (): ReadonlySet<string> =>
      new Set(memory.sent.flatMap(({ projectId, result }) => (result === undefined ? [projectId] : []))),
    /** When starts of the compute may have been ours; undefined where none is remembered. */
    timesOf: (ref: ComputeRef): readonly Interval[] | undefined => {
      const times = sentTo(ref)
        ?.filter(({ result }) => result !== 'failed')
        .map(({ at, startedAt }) => ({
          from: at,
          to:
            startedAt === undefined
              ? earliest(now(), instant(at + STARTS_WITHIN))
              : instant(startedAt + SECOND),
        }))
      return times && times.length > 0 ? times : undefined
    },
    /** Before the request. */
    add: ({ projectId, endpointId }: ComputeRef, at: Instant) =>
      update(({ sent, counts }) => ({ sent: [...sent, { projectId, endpointId, at }], counts })),
    /** The service certainly started nothing. */
    failed: ({ endpointId }: ComputeRef, at: Instant) =>
      update(({ sent, counts }) => ({
        sent: sent.map((one) =>
          one.endpointId === endpointId && one.at === at ? { ...one, result: 'failed' as const } : one,
        ),
        counts: { ...counts, failed: counts.failed + 1 },
      })),
    /** Counts what came of those that are over, by what the last pass stored. */
    follow: (ledger: Ledger) =>
      update((before) => {
        const kept = before.sent.filter((one) => one.at > now() - rememberedFor(one))
        const sent = kept.map((one) => followed(one, ledger, account))
        const isSame =
          sent.length === before.sent.length && sent.every((one, index) => one === before.sent[index])
        if (isSame) return before
        const counts = { ...before.counts }
        for (const [index, { result }] of sent.entries())
          if (result && kept[index]?.result === undefined) counts[result] += 1
        return { sent, counts }
      }),
  }
}

const rememberedFor = ({ startedAt, result }: SentWarmUp): number =>
  startedAt !== undefined && result === undefined ? WAITS_AT_MOST : REMEMBERED

const sentByEndpoint = ({ sent }: Memory) => Map.groupBy(sent, ({ endpointId }) => endpointId)

function followed(one: SentWarmUp, { computes }: Ledger, account: string): SentWarmUp {
  if (one.result !== undefined) return one
  const entry = computes.get(computeKey({ ...one, account }))
  if (!entry || entry.observedAt <= one.at) return one
  const { startedAt } = entry.compute
  const isOurs = startedAt !== undefined && startedAt + SECOND > one.at && startedAt <= one.at + STARTS_WITHIN
  const seen = isOurs ? { ...one, startedAt } : one
  const result = resultOf(seen, entry.compute, entry.observedAt)
  if (result !== undefined) return { ...seen, result }
  return seen.startedAt === one.startedAt ? one : seen
}

/** Undefined while the compute waits for a client. */
function resultOf(one: SentWarmUp, compute: Compute, seenAt: Instant): WarmUpResult | undefined {
  if (one.startedAt !== undefined) return resultSince(one.startedAt, compute)
  // it slept again before a pass looked at it
  if ((compute.startedAt ?? 0) > one.at) return 'unused'
  return seenAt > one.at + STARTS_WITHIN + MINUTE ? 'failed' : undefined
}

function resultSince(
  startedAt: Instant,
  { startedAt: last, state, lastActive = instant(0), suspendedAt = instant(0) }: Compute,
): WarmUpResult | undefined {
  if (last !== startedAt) return 'unused'
  // records may show the start itself as activity
  if (lastActive > startedAt + WAKE_TIME) return 'used'
  return state === 'idle' && suspendedAt >= startedAt ? 'unused' : undefined
}
