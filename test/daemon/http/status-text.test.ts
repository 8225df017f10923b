// A large fleet is told in pieces: made at once, its text would hold up everything else for a second.
import { expect, test } from 'vitest'
import { newComputeEntry } from '../../../src/ledger/apply-facts.ts'
import { createApiApp } from '../../../src/daemon/http/app.ts'
import { takeSnapshot } from '../../../src/daemon/snapshot/snapshot.ts'
import { newPassState } from '../../../src/daemon/pass/pass-state.ts'
import { fleetJson } from '../../../src/daemon/http/api/status-json.ts'
import { computeKey } from '../../../src/model/service/compute.ts'
import { createOwners } from '../../../src/model/policy/owner.ts'
import { seconds } from '../../../src/model/units.ts'
import { at, ledger, look, preset, prices } from '../../support/build.ts'
import { NO_REPORTS } from '../../support/no-reports.ts'
import { NO_HISTORY } from '../../support/no-history.ts'
import { NO_PAGES } from '../../support/no-pages.ts'

const snapshotOf = (count: number) => {
  const accounts = Array.from({ length: count }, (_, index) => {
    const [projectId, endpointId] = [`project-${index}`, `ep-${index}`]
    return newComputeEntry(
      { account: 'main', projectId, endpointId },
      look(0, { projectId, endpointId }),
      false,
    )
  })
  const known = ledger({ computes: new Map(accounts.map((one) => [computeKey(one.ref), one])) })
  const context = {
    now: at(60),
    version: 1,
    passSeconds: seconds(1),
    staleAfter: seconds(600),
    activityLag: seconds(60),
    owners: createOwners([]),
    insecure: ['accounts.main'],
  }
  return takeSnapshot([{ state: newPassState(known), prices, preset }], context)
}

test.each([0, 1, 1000])('%i computes are told whole, others have turns in between', async (count) => {
  const taken = snapshotOf(count)
  const app = createApiApp({
    snapshot: () => taken,
    history: NO_HISTORY,
    accounts: () => [],
    ...NO_REPORTS,
    ...NO_PAGES,
  })
  let [turns, told] = [0, false]
  const turn = (): void => {
    turns += 1
    if (!told) setImmediate(turn)
  }
  setImmediate(turn)
  const answer = await app.request('/api/v1/computes', { headers: { host: 'localhost' } })
  const text = await answer.text()
  told = true
  expect(answer.headers.get('content-type')).toContain('application/json')
  expect(JSON.parse(text)).toEqual(fleetJson(taken))
  expect(fleetJson(taken).insecure).toEqual(['accounts.main'])
  expect(turns).toBeGreaterThanOrEqual(count / 100)
})
