// The kill switch: while it is engaged nothing is sent. A command, a file or a variable engages it.
import { lstatSync } from 'node:fs'
import { object, string, number } from 'zod'
import { KILL_SWITCH_VARIABLE, type Config } from '../../config/load.ts'
import type { Event } from '../../model/output/event-kinds.ts'
import { jobStateWrite, type JobState, type Outbox } from '../../model/ports/outbox.ts'
import type { Ports } from '../../model/ports/ports.ts'
import { commit, eventWrites, type AccountStore, type Store } from '../../model/ports/store.ts'
import { instant, type Instant } from '../../model/units.ts'
import { failed, ok, type Result } from '../../std/result.ts'

/** By a command. */
type Thrown = Readonly<{ by: string; at: Instant }>

const STORED: JobState<Thrown | null> = {
  job: 'kill-switch',
  decode: (json) => schema.nullable().safeParse(json).data,
}
/** The last announcement: what engages it, in words; null: nothing does. */
const ANNOUNCED: JobState<string | null> = {
  job: 'kill-switch-announced',
  decode: (json) => string().nullable().safeParse(json).data,
}
const schema = object({ by: string(), at: number().transform(instant) })

/** Where an announcement goes; `by`: whose command it is, absent where nobody gave one. */
type Announcement = Pick<Ports, 'send'> &
  Readonly<{ store: Pick<AccountStore, 'commit'>; account: string; by?: string; at: Instant }>

export type KillSwitch = Awaited<ReturnType<typeof createKillSwitch>>

type KillSwitchOptions = Readonly<{
  config: () => Pick<Config, 'accounts' | 'changes'>
  store: Pick<Store, 'account'> & Pick<Outbox, 'jobState'>
}>

/** @throws when the store fails */
export async function createKillSwitch({ config, store }: KillSwitchOptions) {
  const stored = await Promise.all(config().accounts.map(({ name }) => store.jobState(name, STORED)))
  // accounts may have been added or reordered since
  let thrown: Thrown | undefined = stored.find((one) => one !== null && one !== undefined) ?? undefined
  const standing = () => {
    const { killSwitchFile, isKilled } = config().changes
    return [
      ...(isKilled ? [`the variable ${KILL_SWITCH_VARIABLE}`] : []),
      ...(killSwitchFile !== undefined && mayExist(killSwitchFile) ? [`the file ${killSwitchFile}`] : []),
    ]
  }
  const engagedBy = () => [...(thrown ? [`a command of ${thrown.by}`] : []), ...standing()]
  let last: Promise<unknown> = Promise.resolve()
  let lastSet: Promise<unknown> = Promise.resolve()

  async function announceNow({ account, store: own, send, by, at }: Announcement): Promise<void> {
    const before = (await store.jobState(account, ANNOUNCED)) ?? null
    const engaged = engagedBy().join(' and ')
    const isOn = engaged !== ''
    if (engaged === (before ?? '')) return
    const because = by === undefined ? (isOn ? engaged : `${before} is gone`) : `a command of ${by}`
    const kind = isOn ? 'brake-engaged' : 'brake-released'
    const isNews = isOn !== (before !== null)
    const events: readonly Event[] = isNews ? [{ kind, account, at, brake: 'kill_switch', because }] : []
    await commit(own, [jobStateWrite(ANNOUNCED, isOn ? engaged : null), ...eventWrites(events)])
    if (isNews) await send(events)
  }

  /** After earlier ones. @param before what a release ends: what somebody engages meanwhile stays */
  async function storeInOrder(next: Thrown | null, before: Thrown | undefined): Promise<void> {
    await lastSet
    for (const { name } of config().accounts)
      // oxlint-disable-next-line no-await-in-loop -- of each account, so that its store alone tells
      await commit(store.account(name), [jobStateWrite(STORED, next)])
    if (next || thrown === before) thrown = next ?? undefined
  }

  return {
    /** An event where it is engaged or released since the last one, whatever did that. @throws when the store fails */
    announce: (to: Announcement): Promise<void> => {
      const done = last.then(() => announceNow(to))
      last = done.catch(() => undefined)
      return done
    },
    /** Reads the file system. */
    isEngaged: () => engagedBy().length > 0,
    /** What engages it, in words; empty where nothing does. */
    engagedBy,
    /** Also after a restart. The problem names what else engages it. @throws when the store fails */
    set: async (isOn: boolean, by: string, at: Instant): Promise<Result<void, string>> => {
      const others = standing()
      if (!isOn && others.length > 0)
        return failed(`${others.join(' and ')} engages the kill switch: remove that first`)
      const next = isOn ? { by, at } : null
      // engaged even where that cannot be stored
      thrown = next ?? thrown
      const done = storeInOrder(next, thrown)
      lastSet = done.catch(() => undefined)
      await done
      return ok(undefined)
    },
  }
}

/** In doubt it does: of a folder that cannot be read nobody can tell. */
function mayExist(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined
  } catch {
    return true
  }
}
