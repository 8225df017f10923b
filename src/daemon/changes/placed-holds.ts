// Holds and forces of one account, as stored: in memory, because they are asked when a request is written to the socket.
/* oxlint-disable no-await-in-loop -- one commit after the other */
import type { Event } from '../../model/output/event-kinds.ts'
import { stands, type ForcedChange, type PlacedHold } from '../../model/policy/placed-hold.ts'
import { matchesSelector, selectorText, type SelectorTarget } from '../../model/policy/selector.ts'
import type { Clock } from '../../model/ports/clock.ts'
import type { Send } from '../../model/ports/outbox.ts'
import { commit, eventWrites, type AccountStore, type Write } from '../../model/ports/store.ts'
import { seconds, type Instant } from '../../model/units.ts'
import { createOrder } from '../../std/in-order.ts'
import type { DaemonEnvironment } from '../environment.ts'

export type PlacedHolds = ReturnType<typeof createPlacedHolds>

type PlacedHoldsOptions = Readonly<{
  account: string
  store: Pick<AccountStore, 'commit'>
  send: Send
  clock: Pick<Clock, 'sleep'>
  now: () => Instant
  log: Pick<DaemonEnvironment['log'], 'error'>
  /** As stored. */
  initial: Readonly<{ holds: readonly PlacedHold[]; forced: readonly ForcedChange[] }>
  /** After a hold or a force began or ended. */
  onChange: () => void
}>

/** Seconds between two looks for holds that have ended: how late their event may be. From its end on a hold holds nothing. */
const INTERVAL = seconds(10)

export function createPlacedHolds(options: PlacedHoldsOptions) {
  const { account, store, now, clock, log } = options
  /** By id, oldest first; without those whose end is stored. */
  const holds = new Map(options.initial.holds.map((hold) => [hold.id, hold]))
  /** By the id of the change. */
  const forced = new Map(options.initial.forced.map((one) => [one.changeId, one]))
  /** What a write depends on is still so when it is stored. */
  const inOrder = createOrder()

  async function write(rows: readonly Write[], events: readonly Event[], remember: () => void) {
    await commit(store, [...rows, ...eventWrites(events)])
    remember()
    options.onChange()
    await options.send(events)
  }

  const place = (hold: PlacedHold) =>
    inOrder(() => {
      const events = [eventOf('hold-placed', hold, hold.reason)]
      return write([{ kind: 'placed-hold', hold }], events, () => holds.set(hold.id, hold))
    })

  /** @param by name of the token; undefined where its time is over. @returns undefined where no such hold stands */
  const end = (id: string, by?: string): Promise<PlacedHold | undefined> =>
    inOrder(async () => {
      const hold = holds.get(id)
      if (!hold) return undefined
      const ended: PlacedHold = { ...hold, ended: { at: now(), ...(by !== undefined && { by }) } }
      const events = [eventOf('hold-ended', hold, by === undefined ? 'its time is over' : `${by} ended it`)]
      await write([{ kind: 'placed-hold', hold: ended }], events, () => holds.delete(id))
      return ended
    })

  const force = (one: ForcedChange) =>
    inOrder(() =>
      write([{ kind: 'forced-change', changeId: one.changeId, forced: one }], [], () =>
        forced.set(one.changeId, one),
      ),
    )

  const unforce = (changeId: string) =>
    inOrder(() =>
      write([{ kind: 'forced-change', changeId, forced: undefined }], [], () => forced.delete(changeId)),
    )

  const eventOf = (kind: 'hold-placed' | 'hold-ended', hold: PlacedHold, because: string): Event => {
    const { id: holdId, match, by, until } = hold
    return { kind, account, at: now(), holdId, what: selectorText(match), by, because, until }
  }

  async function endOver(): Promise<void> {
    for (const { id, until } of holds.values()) if (until <= now()) await end(id)
    for (const { changeId, until } of forced.values()) if (until <= now()) await unforce(changeId)
  }

  return {
    place,
    end,
    force,
    /** Oldest first. */
    standing: (): readonly PlacedHold[] => [...holds.values()].filter((hold) => stands(hold, now())),
    /** Holds that stand and fit the target. @param target undefined for a compute that no pass has seen: in doubt each hold fits it */
    fitting: (target: SelectorTarget | undefined): readonly PlacedHold[] =>
      holds.size === 0
        ? NO_HOLDS
        : [...holds.values()].filter((hold) => stands(hold, now()) && fits(hold.match, target)),
    /** Undefined where nobody forces the change now. */
    forceOf: (changeId: string): ForcedChange | undefined => {
      const one = forced.get(changeId)
      return one && one.until > now() ? one : undefined
    },
    /** Ends holds and forces whose time is over, until `signal` aborts. Never rejects. */
    run: async (signal: AbortSignal): Promise<void> => {
      while (!signal.aborted) {
        try {
          await endOver()
        } catch (err) {
          log.error({ err, account }, 'the end of a hold could not be stored')
        }
        await clock.sleep(INTERVAL, signal)
      }
    },
  }
}

const NO_HOLDS: readonly PlacedHold[] = []

const fits = (match: PlacedHold['match'], target: SelectorTarget | undefined) =>
  !target || matchesSelector(match, target)
