// Snapshot from the store of a stopped daemon, for commands that find none running.
import type { Config } from '../../config/load.ts'
import { createClock } from '../../daemon/clock.ts'
import { effectivePrices } from '../../daemon/accounts/price-history.ts'
import { takeSnapshot } from '../../daemon/snapshot/snapshot.ts'
import { newPassState } from '../../daemon/pass/pass-state.ts'
import { createPreset } from '../../model/service/sizes.ts'
import type { Snapshot } from '../../model/output/snapshot.ts'
import { seconds } from '../../model/units.ts'
import { readStore } from '../../store/open-store.ts'

/**
 * The snapshot of the store; every state is unknown, because this process has made no sweep.
 *
 * @returns undefined if there is no store
 * @throws when the store cannot be read
 */
export async function offlineSnapshot(config: Config): Promise<Snapshot | undefined> {
  const clock = createClock()
  const store = readStore(config.store, clock)
  if (!store) return undefined
  await using _ = { [Symbol.asyncDispose]: store.close }
  const preset = createPreset(config.service.preset)
  const accounts = await Promise.all(
    config.accounts.map(async (account) => ({
      state: newPassState(await store.account(account.name).load()),
      prices: await effectivePrices(account, store, clock.now()),
      preset,
    })),
  )
  const context = {
    now: clock.now(),
    version: 0,
    passSeconds: seconds(0),
    staleAfter: seconds(0),
    activityLag: config.reading.activityLag,
    owners: config.owners,
  }
  return takeSnapshot(accounts, context)
}
