import { collect, type Facts } from '../metrics/collect.ts'
import { renderText } from '../metrics/render.ts'
import type { SelfMetrics } from '../metrics/self.ts'
import type { Snapshot } from '../model/snapshot.ts'

/** What a scrape gets: the part of the snapshot is rendered once per snapshot, not per scrape. */
export type Exposition = {
  publish(snapshot: Snapshot): void
  text(): Promise<string>
}

export function createExposition(facts: Facts, self: SelfMetrics): Exposition {
  let rendered = ''
  return {
    publish: (snapshot) => {
      rendered = renderText(collect(snapshot, facts))
    },
    text: async () => rendered + (await self.text()),
  }
}
