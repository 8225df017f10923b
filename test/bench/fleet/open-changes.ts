// Open changes of a fleet: each sets another size while its compute sleeps.
import type { Ledger } from '../../../src/model/ledger/ledger.ts'
import { addChange } from '../../../src/model/ports/journal.ts'
import type { Store } from '../../../src/model/ports/store.ts'
import { largestCu } from '../../../src/model/service/compute.ts'
import { after, cu, seconds, type Instant } from '../../../src/model/units.ts'
import { changeOf } from '../../support/changes.ts'

type OpenChanges = Readonly<{ ledger: Ledger; count: number; now: Instant }>

/** Of the first computes in order. */
export async function addOpenChanges(store: Store, { ledger, count, now }: OpenChanges): Promise<void> {
  const entries = [...ledger.computes.values()].slice(0, count)
  for (const [index, { ref, compute }] of entries.entries()) {
    const change = changeOf({
      id: `ch-${index}`,
      ref,
      before: { sizing: compute.sizing },
      desired: { sizing: { fixed: cu(largestCu(compute.sizing) + 1) } },
      createdAt: now,
      deadline: after(now, seconds(86_400)),
    })
    // oxlint-disable-next-line no-await-in-loop -- one commit each, as commands make them
    const added = await addChange(store.account(ref.account), change, { at: now })
    if (!added.ok) throw new Error(`a change was refused: ${added.error.kind}`)
  }
}
