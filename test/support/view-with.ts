// Views of computes with some fields replaced.
import type { ComputeView } from '../../src/model/output/snapshot.ts'

export type ViewChange = { readonly [Part in keyof ComputeView]?: Partial<ComputeView[Part]> }

export const viewWith = (view: ComputeView, change: ViewChange): ComputeView => ({
  identity: { ...view.identity, ...change.identity },
  state: { ...view.state, ...change.state },
  ledger: { ...view.ledger, ...change.ledger },
  reading: { ...view.reading, ...change.reading },
})
