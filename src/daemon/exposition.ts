import { collect, type Facts } from '../metrics/collect.ts'
import { renderText } from '../metrics/render.ts'
import type { SelfMetrics } from '../metrics/self.ts'
import type { Snapshot } from '../model/snapshot.ts'
import { inTurns } from '../model/steps.ts'

/** What a scrape gets: the part of the snapshot is rendered once per snapshot, not per scrape. */
export type Exposition = {
  /** Until it resolves, a scrape gets the text before. */
  publish(snapshot: Snapshot): Promise<void>
  text(): Promise<string>
}

export function createExposition(
  facts: Facts,
  { self, pause }: { readonly self: SelfMetrics; readonly pause: () => Promise<void> },
): Exposition {
  let rendered = ''
  return {
    publish: async (snapshot) => {
      const samples = await inTurns(collect(snapshot, facts), pause)
      rendered = await inTurns(renderText(samples), pause)
    },
    text: async () => rendered + (await self.text()),
  }
}
