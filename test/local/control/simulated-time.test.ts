import { expect, test } from 'vitest'
import { createSimulation } from '../../../src/local/control/simulation/simulation.ts'
import { project, settings, sleeping, START } from './build.ts'

test('a delay that has already passed when it is set suspends the compute at that moment, not in the past', () => {
  const simulation = createSimulation({
    projects: [project([sleeping({ suspendTimeout: -1 })])],
    from: START,
    settings,
    latencies: { start: 100, stop: 100, configure: 100 },
    activity: new Map([['ep-one', [START + 1000]]]),
  })
  simulation.advance(START + 3_600_000)
  simulation.request('project-one', { kind: 'update', endpointId: 'ep-one', changes: { suspendTimeout: 60 } })
  simulation.advance(START + 7_200_000)
  const [account] = simulation.usages(START + 7_200_000)
  expect(account?.awakeSeconds).toBeGreaterThanOrEqual(3590)
})
