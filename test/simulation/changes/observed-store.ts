// The store as it is seen from outside: what is written, and times in which it takes no writes.
import type { AccountStore, Write } from '../../../src/model/ports/store.ts'
import type { memoryStore } from '../../support/memory-store.ts'

type MemoryStore = ReturnType<typeof memoryStore>

type ObserveOptions = Readonly<{
  /** Why it takes no writes now; undefined where it does. */
  refusal: () => string | undefined
  /** After a commit. */
  stored: (writes: readonly Write[]) => void
}>

export const observedStore = (store: MemoryStore, options: ObserveOptions): MemoryStore => ({
  ...store,
  account: (name) => observedAccount(store.account(name), options),
})

const observedAccount = (store: AccountStore, { refusal, stored }: ObserveOptions): AccountStore => ({
  ...store,
  commit: async (...given) => {
    const refused = refusal()
    if (refused !== undefined) throw new Error(refused)
    const committed = await store.commit(...given)
    if (committed.ok) stored(given[0])
    return committed
  },
})
