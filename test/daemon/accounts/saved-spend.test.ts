// Saved spend from the journal to the metrics: account runners over a simulated service, with a store on disk that a second process opens.
import { expect, test } from 'vitest'
import { oneChange } from '../../../src/daemon/changes/list-changes.ts'
import { readReportChanges } from '../../../src/daemon/reports/changes.ts'
import { NO_OWNER } from '../../../src/model/policy/owner.ts'
import { addChange } from '../../../src/model/ports/journal.ts'
import { instant, seconds } from '../../../src/model/units.ts'
import { moneyText } from '../../../src/outputs/text/amounts.ts'
import { changeLines } from '../../../src/outputs/text/change-text.ts'
import { GOOD } from '../../config/loading.ts'
import { START } from '../../local/control/build.ts'
import { changeOf } from '../../support/changes.ts'
import { openAccount } from './running-account.ts'

const DAY = 86_400_000
const PAST_DAYS = 20
const REF = { account: 'main', projectId: 'project-ep-one', endpointId: 'ep-one' }
/** Before it the compute never slept. */
const DONE_AT = instant(START + 10 * DAY)

/** Used for 300 s from each noon on; it then stays awake for the 300 s of its delay. */
const USES = [
  {
    endpointId: 'ep-one',
    delay: 300,
    activity: Array.from({ length: PAST_DAYS + 3 }, (_, day) =>
      [0, 100, 200, 300].map((second) => (day + 0.5) * DAY + second * 1000),
    ).flat(),
    range: [1, 1] as const,
  },
]

const CONFIG = `${GOOD}prices: { currency: USD, cu_hour: 0.36 }
owners: [{ match: { compute: ep-one }, team: shop }]
`
/** Of an awake second at 1 CU. */
const PRICE = 0.36 / 3600

const NOBODY = {
  projectName: undefined,
  name: undefined,
  branchId: undefined,
  owner: NO_OWNER,
  autosuspendOff: undefined,
  unreadBecause: undefined,
}

const COMPUTE = 'project_id="project-ep-one",endpoint_id="ep-one",currency="USD"'
const TEAM = 'team="shop",currency="USD"'

test('what a change saved is counted with an evaluation, once, and stays when the daemon starts again', async () => {
  const { clock, open } = openAccount({ uses: USES, config: CONFIG, past: PAST_DAYS })
  const first = await open()
  const change = changeOf({
    ref: REF,
    kind: 'delay',
    before: { autosuspendDelay: 'never' },
    desired: { autosuspendDelay: seconds(300) },
    state: { at: 'done', because: 'verified', endedAt: DONE_AT, sent: { at: DONE_AT, sessions: 0 } },
  })
  // as the apply loop ends it
  await addChange(first.store.account('main'), change, { at: DONE_AT })
  await first.store.close()

  const second = await open()
  await second.pass()
  // ten days, awake for 600 s of each, and some seconds of starts and suspensions
  const tenDays = (10 * DAY) / 1000 - 10 * 600
  const after = second.exposed('dormouse_compute_saved_total')[COMPUTE] ?? 0
  expect(after).toBeGreaterThan(0.99 * tenDays * PRICE)
  expect(after).toBeLessThan(1.001 * tenDays * PRICE)
  expect(second.exposed('dormouse_saved_total')).toEqual({ [TEAM]: after })
  expect(second.exposed('dormouse_compute_extra_spend_total')).toEqual({ [COMPUTE]: 0 })
  expect(second.exposed('dormouse_extra_spend_total')).toEqual({ [TEAM]: 0 })
  // the API and the report have the figure of the metric
  const snapshot = second.snapshot()
  if (!snapshot) throw new Error('nothing was published')
  const json = await oneChange({ runnerOf: second.runnerOf, journal: second.store }, snapshot, change)
  const micros = Math.round(after * 1e6)
  expect(json.saved).toMatchObject({ saved_micros: micros, extra_spend_micros: 0 })
  expect(changeLines(json).join('\n')).toContain(
    `saved ${moneyText(micros, 'USD')} and spent 0.00 USD beyond`,
  )
  const [reported] = await readReportChanges(
    { journal: second.store, freezes: [], holdOf: () => undefined },
    {
      account: 'main',
      currency: 'USD',
      slot: { id: 'week', from: DONE_AT, to: clock.now(), late: false },
      plans: [{ groupBy: undefined, onlyTeam: undefined, redact: [] }],
      identityOf: () => NOBODY,
      fitsPlan: () => true,
      isCurrent: true,
    },
  )
  expect(reported).toMatchObject({ saved_micros: micros, extra_spend_micros: 0 })
  await second.store.close()

  const third = await open()
  await third.pass()
  expect(third.exposed('dormouse_saved_total')).toEqual({ [TEAM]: after })
  await clock.advance(seconds(DAY / 1000))
  await third.pass()
  const later = third.exposed('dormouse_saved_total')[TEAM] ?? 0
  const parts = await third.store.savedParts('main', { changeId: change.id })
  expect(later).toBeGreaterThan(after + 0.98 * (86_400 - 600) * PRICE)
  expect(later).toBeLessThan(after + 1.02 * (86_400 - 600) * PRICE)
  expect(parts.map(({ team }) => team)).toEqual(['shop', 'shop'])
  await third.store.close()
})
