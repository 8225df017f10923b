// Views of computes with some fields replaced.
import type { ComputeView } from '../../src/model/output/snapshot.ts'

type Part = 'identity' | 'state' | 'ledger' | 'reading'

export type ViewChange = { readonly [Name in Part]?: Partial<ComputeView[Name]> } & Pick<
  ComputeView,
  'advice'
>

export const viewWith = (view: ComputeView, change: ViewChange): ComputeView => ({
  ...view,
  ...(change.advice && { advice: change.advice }),
  identity: { ...view.identity, ...change.identity },
  state: { ...view.state, ...change.state },
  ledger: { ...view.ledger, ...change.ledger },
  reading: { ...view.reading, ...change.reading },
  ...(view.advice && { advice: view.advice }),
})
