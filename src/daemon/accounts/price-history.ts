// The prices that accounts went by, kept so that what was counted keeps its price over restarts, too.
import type { Logger } from 'pino'
import { EMPTY_BATCH } from '../../ledger/apply-sweep.ts'
import { replacePricesFrom } from '../../ledger/settle/prices.ts'
import type { AccountConfig, LoadedConfig } from '../../config/load.ts'
import type { Outbox } from '../../model/ports/outbox.ts'
import type { Store } from '../../model/ports/store.ts'
import type { Prices } from '../../model/ledger/price.ts'
import type { Instant } from '../../model/units.ts'

const JOB = 'prices'

/** Those of the configuration from `now` on, before it those that the daemon went by. @throws when the store fails */
export async function effectivePrices(
  { name, prices }: Pick<AccountConfig, 'name' | 'prices'>,
  store: Pick<Outbox, 'memory'>,
  now: Instant,
): Promise<Prices> {
  const periods = (await store.memory(name, JOB)) as Prices['periods'] | undefined
  return periods ? replacePricesFrom(now, { currency: prices.currency, periods }, prices) : prices
}

/** @throws when the store fails */
export async function withPriceHistory(
  { config, effective }: LoadedConfig,
  store: Pick<Outbox, 'memory'>,
  now: Instant,
): Promise<LoadedConfig> {
  const accounts = await Promise.all(
    config.accounts.map(async (account) => ({
      ...account,
      prices: await effectivePrices(account, store, now),
    })),
  )
  return { effective, config: { ...config, accounts } }
}

type Keeping = { readonly store: Pick<Store, 'commit'>; readonly log: Pick<Logger, 'error'> }

/** Resolves to whether they are kept: nothing is to be counted by others. Never rejects. */
export function createPriceHistory(
  account: string,
  { store, log }: Keeping,
): (prices: Prices) => Promise<boolean> {
  let kept: Prices | undefined
  return async (prices) => {
    if (prices === kept) return true
    try {
      await store.commit({ ...EMPTY_BATCH, account, memories: { [JOB]: prices.periods } })
      kept = prices
    } catch (err) {
      log.error({ err, account }, 'new prices cannot be kept, those before stay')
    }
    return prices === kept
  }
}
