import { expect, onTestFinished, test } from 'vitest'
import type { Mutation, Stop } from '../../../src/local/control/records.ts'
import { createProjectStore } from '../../../src/local/state/projects.ts'
import { openStore } from '../../../src/local/state/store.ts'

const stopAt = (at: number): Stop => ({ at, why: 'config', open: 1, openPooled: 0, working: 0 })
const mutationAt = (at: number): Mutation => ({ at, action: 'restart', fields: {}, restarted: true })

test('the newest ten thousand stops and mutations of a compute stay, also of one that never started', () => {
  const store = openStore(':memory:')
  if (!store) throw new Error('a database in memory is held by nobody else')
  onTestFinished(() => store.close())
  const projects = createProjectStore(store)
  store.commit(() => {
    projects.saveStop('local-one', 'ep-other', stopAt(0))
    // all but the last ones at once, without a look at the others for each
    const [stop, mutation] = [JSON.stringify(stopAt(0)), JSON.stringify(mutationAt(0))]
    const instants = JSON.stringify(Array.from({ length: 9990 }, (_, at) => at))
    void store.sql
      .run`insert into stops select 'local-one', 'ep-one', value, json_set(${stop}, '$.at', value) from json_each(${instants})`
    void store.sql
      .run`insert into mutations select 'local-one', 'ep-one', value, json_set(${mutation}, '$.at', value) from json_each(${instants})`
    for (let at = 9990; at < 10_002; at += 1) {
      projects.saveStop('local-one', 'ep-one', stopAt(at))
      projects.saveMutation('local-one', 'ep-one', mutationAt(at))
    }
  })
  const uses = new Map(projects.uses().map((use) => [use.endpointId, use]))
  expect(uses.get('ep-other')?.stops).toEqual([stopAt(0)])
  const { stops, mutations } = uses.get('ep-one') ?? { stops: [], mutations: [] }
  expect([stops.length, stops[0], stops.at(-1)]).toEqual([10_000, stopAt(2), stopAt(10_001)])
  expect([mutations.length, mutations[0], mutations.at(-1)]).toEqual([
    10_000,
    mutationAt(2),
    mutationAt(10_001),
  ])
})
