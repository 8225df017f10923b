// Brakes of one account that a person releases: their state, as stored, in memory. Who finds a cause engages one, and ends it when the
// cause is gone.
import type { Event } from '../../model/output/event-kinds.ts'
import { brakeId, isEngaged, type StoredBrake, type StoredBrakeName } from '../../model/policy/brakes.ts'
import type { Send } from '../../model/ports/outbox.ts'
import { commit, eventWrites, type AccountStore } from '../../model/ports/store.ts'
import type { Instant } from '../../model/units.ts'

export type StoredBrakes = ReturnType<typeof createStoredBrakes>

type StoredBrakesOptions = Readonly<{
  account: string
  store: Pick<AccountStore, 'commit'>
  send: Send
  now: () => Instant
  /** As stored. */
  initial: readonly StoredBrake[]
  /** After a brake was engaged, released or ended. */
  onChange: () => void
}>

type BrakeCause = Pick<StoredBrake, 'name' | 'because'> & Partial<Pick<StoredBrake, 'subject' | 'count'>>

export function createStoredBrakes(options: StoredBrakesOptions) {
  const { account, store, now } = options
  const byId = new Map(options.initial.map((brake) => [brakeId(brake), brake]))
  let last: Promise<unknown> = Promise.resolve()
  /** Works run one after the other, so that a release is not lost to a pass that engages at the same time. */
  const inOrder = <Value>(work: () => Promise<Value>): Promise<Value> => {
    const done = last.then(work)
    last = done.catch(() => undefined)
    return done
  }

  async function write(brake: StoredBrake, events: readonly Event[] = []): Promise<StoredBrake> {
    await commit(store, [{ kind: 'brake', brake }, ...eventWrites(events)])
    byId.set(brakeId(brake), brake)
    if (events.length > 0) {
      options.onChange()
      await options.send(events)
    }
    return brake
  }

  const eventOf = (kind: 'brake-engaged' | 'brake-released', brake: StoredBrake, because: string): Event => ({
    kind,
    account,
    at: now(),
    brake: brakeId(brake),
    because,
  })

  return {
    /** Sends one event where the brake was not engaged, or half open. An engaged brake stays as it is but for a larger count. */
    engage: ({ name, subject = '', because, count }: BrakeCause): Promise<void> =>
      inOrder(async () => {
        const before = byId.get(brakeId({ name, subject }))
        if (before && isEngaged(before) && before.halfOpenAt === undefined) {
          if ((count ?? 0) > (before.count ?? 0)) await write({ ...before, because, ...(count && { count }) })
          return
        }
        const brake = { name, subject, because, engagedAt: now(), ...(count !== undefined && { count }) }
        await write(brake, [eventOf('brake-engaged', brake, because)])
      }),
    /** From now on it lets changes pass one by one, until it is engaged anew or ends. */
    openHalf: (name: StoredBrakeName): Promise<void> =>
      inOrder(async () => {
        const brake = byId.get(name)
        if (!brake || !isEngaged(brake) || brake.halfOpenAt !== undefined) return
        await write({
          ...brake,
          because: `${brake.because}; now the next one is tried alone`,
          halfOpenAt: now(),
        })
        options.onChange()
      }),
    /** Its cause is gone. An event where it was engaged. */
    end: (name: StoredBrakeName, because: string, subject = ''): Promise<void> =>
      inOrder(async () => {
        const brake = byId.get(brakeId({ name, subject }))
        if (!brake || brake.endedAt !== undefined) return
        const events = isEngaged(brake) ? [eventOf('brake-released', brake, because)] : []
        await write({ ...brake, endedAt: now() }, events)
      }),
    /** @param id of the brake. @returns undefined where it is not engaged */
    release: (id: string, { by, reason }: Readonly<{ by: string; reason: string }>) =>
      inOrder(async (): Promise<StoredBrake | undefined> => {
        const brake = byId.get(id)
        if (!brake || !isEngaged(brake)) return undefined
        const released = { ...brake, released: { at: now(), by, reason } }
        return write(released, [eventOf('brake-released', brake, `${by} released it, ${reason}`)])
      }),
    of: (name: StoredBrakeName, subject = ''): StoredBrake | undefined =>
      byId.get(brakeId({ name, subject })),
    engaged: (): readonly StoredBrake[] => [...byId.values()].filter(isEngaged),
    /** Engaged, or released while the cause is there; by id. */
    current: (): readonly StoredBrake[] => [...byId.values()].filter(({ endedAt }) => endedAt === undefined),
  }
}
