// Stored prices: usage keeps the price it was counted with, also after a restart.
import type { Logger } from 'pino'
import { z } from 'zod'
import { replacePricesFrom } from '../../ledger/settle/prices.ts'
import type { AccountConfig, LoadedConfig } from '../../config/load.ts'
import { jobStateWrite, type JobState, type Outbox } from '../../model/ports/outbox.ts'
import { commit, type AccountStore } from '../../model/ports/store.ts'
import type { Prices } from '../../model/ledger/quantities.ts'
import { instant, micros, type Instant } from '../../model/units.ts'

const STORED_PERIODS: JobState<Prices['periods']> = {
  job: 'prices',
  decode: (json) => periodsSchema.safeParse(json).data,
}

const periodsSchema = z.array(
  z.object({ from: z.number().transform(instant), perCuHour: z.number().transform(micros) }),
)

/** Configured prices from `now` on, the stored ones before. @throws when the store fails */
export async function effectivePrices(
  { name, prices }: Pick<AccountConfig, 'name' | 'prices'>,
  store: Pick<Outbox, 'jobState'>,
  now: Instant,
): Promise<Prices> {
  const periods = await store.jobState(name, STORED_PERIODS)
  return periods ? replacePricesFrom(now, { currency: prices.currency, periods }, prices) : prices
}

/** @throws when the store fails */
export async function withPriceHistory(
  { config, effective }: LoadedConfig,
  store: Pick<Outbox, 'jobState'>,
  now: Instant,
): Promise<LoadedConfig> {
  const withHistory = async (account: AccountConfig): Promise<AccountConfig> => ({
    ...account,
    prices: await effectivePrices(account, store, now),
  })
  const accounts = await Promise.all(config.accounts.map(withHistory))
  return { effective, config: { ...config, accounts } }
}

/** Stores prices before they are used. Resolves to whether they are stored; never rejects. */
export function createPriceHistory(
  account: string,
  { store, log }: Readonly<{ store: Pick<AccountStore, 'commit'>; log: Pick<Logger, 'error'> }>,
): (prices: Prices) => Promise<boolean> {
  let stored: Prices | undefined
  return async (prices) => {
    if (prices === stored) return true
    try {
      await commit(store, [jobStateWrite(STORED_PERIODS, prices.periods)])
      stored = prices
    } catch (err) {
      log.error({ err, account }, 'new prices cannot be kept, those before stay')
    }
    return prices === stored
  }
}
