// The prices that accounts went by, kept so that what was counted keeps its price over restarts, too.
import type { Logger } from 'pino'
import { NOTHING } from '../../ledger/apply-sweep.ts'
import { pricesFrom } from '../../ledger/settle/prices.ts'
import type { AccountConfig, Loaded } from '../../config/load.ts'
import type { Outbox, Store } from '../../model/ports.ts'
import type { Prices } from '../../model/ledger/price.ts'
import type { Instant } from '../../model/units.ts'

const JOB = 'prices'

/** Those of the configuration from `now` on, before it those that the daemon went by. @throws when the store fails */
export async function keptPrices(
  { name, prices }: Pick<AccountConfig, 'name' | 'prices'>,
  store: Pick<Outbox, 'memory'>,
  now: Instant,
): Promise<Prices> {
  const periods = (await store.memory(name, JOB)) as Prices['periods'] | undefined
  return periods ? pricesFrom(now, { currency: prices.currency, periods }, prices) : prices
}

/** @throws when the store fails */
export async function withKeptPrices(
  { config, effective }: Loaded,
  store: Pick<Outbox, 'memory'>,
  now: Instant,
): Promise<Loaded> {
  const accounts = await Promise.all(
    config.accounts.map(async (account) => ({ ...account, prices: await keptPrices(account, store, now) })),
  )
  return { effective, config: { ...config, accounts } }
}

type Keeping = { readonly store: Pick<Store, 'commit'>; readonly log: Pick<Logger, 'error'> }

/** Resolves to whether they are kept: nothing is to be counted by others. Never rejects. */
export function createPriceKeeper(
  account: string,
  { store, log }: Keeping,
): (prices: Prices) => Promise<boolean> {
  let kept: Prices | undefined
  return async (prices) => {
    if (prices === kept) return true
    try {
      await store.commit({ ...NOTHING, account, memories: { [JOB]: prices.periods } })
      kept = prices
    } catch (err) {
      log.error({ err, account }, 'new prices cannot be kept, those before stay')
    }
    return prices === kept
  }
}
