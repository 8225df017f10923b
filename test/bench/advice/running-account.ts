// What a bench may ask of an account while its daemon runs.
import { streamRecommendations } from '../../../src/daemon/history/recommendations.ts'
import type { Gap } from '../../../src/model/ledger/gap.ts'
import type { Snapshot } from '../../../src/model/output/snapshot.ts'
import type { Change } from '../../../src/model/policy/change.ts'
import { instant } from '../../../src/model/units.ts'
import type { RecommendationsJson } from '../../../src/outputs/text/recommendation-schema.ts'
import type { OpenedStore } from '../../../src/store/sqlite/embedded.ts'
import type { Simulated } from '../../support/simulated-service.ts'

/** Address of the simulated service: requests to it stay in this process. */
export const SERVICE_URL = 'https://service.test/api/v2'

export type RunningAccount = {
  readonly service: Simulated
  /** As the API answers without a query, `state` excepted. */
  readonly recommendations: (state?: string) => Promise<RecommendationsJson>
  /** Sends a printed request to the service. @throws where it is refused */
  readonly send: (
    request: NonNullable<RecommendationsJson['recommendations'][number]['request']>,
  ) => Promise<void>
  /** Stored gaps of the account. */
  readonly gaps: () => Promise<readonly Gap[]>
  /** Every change of the journal. */
  readonly changes: () => Promise<readonly Change[]>
  /** Sections of the configuration besides the account, from now on. */
  readonly configure: (more: string) => void
}

export function runningAccount(
  service: Simulated,
  history: OpenedStore,
  {
    snapshot,
    configure,
  }: Pick<RunningAccount, 'configure'> & { readonly snapshot: () => Snapshot | undefined },
): RunningAccount {
  return {
    service,
    recommendations: async (state) => {
      const states = state === undefined ? USUAL : [state as (typeof USUAL)[number]]
      const shown = snapshot()
      if (!shown) throw new Error('no pass has ended')
      const sources = { history, baseUrlOf: () => SERVICE_URL, windows: () => new Map() }
      const request = { account: 'main', targets: undefined, states }
      const pieces = await Array.fromAsync(streamRecommendations(sources, shown, request))
      return JSON.parse(pieces.join('')) as RecommendationsJson
    },
    send: async ({ method, path, body }) => {
      const answer = await service.fetch(
        new Request(`${SERVICE_URL}${path}`, {
          method,
          headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' },
          ...(body && { body: JSON.stringify(body) }),
        }),
      )
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    },
    configure,
    changes: () => history.changes('main', { count: MANY }),
    gaps: () =>
      Array.fromAsync(history.gaps('main', { from: instant(0), to: instant(Number.MAX_SAFE_INTEGER) })),
  }
}

const MANY = 100_000

const USUAL = ['open', 'implemented', 'dismissed', 'withheld'] as const
