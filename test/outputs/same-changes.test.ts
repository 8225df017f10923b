// One open and one ended change, everywhere with the same words and figures.
import { expect, test } from 'vitest'
import { createApiApp } from '../../src/daemon/http/app.ts'
import type { ReportSource } from '../../src/daemon/reports/build.ts'
import { createUtc } from '../../src/calendar/zone.ts'
import { createOwners } from '../../src/model/policy/owner.ts'
import { cu, seconds } from '../../src/model/units.ts'
import type { ChangeHistoryJson, ChangesJson } from '../../src/outputs/text/change-schema.ts'
import { changesSchema } from '../../src/outputs/text/change-schema.ts'
import { historyLines } from '../../src/outputs/text/change-text.ts'
import { withNoBreakSpaces } from '../../src/outputs/text/html.ts'
import { at, ledger, prices } from '../support/build.ts'
import { changeSources, shownJournal, type ShownChanges } from '../support/change-sources.ts'
import { changeOf, SCHEDULED } from '../support/changes.ts'
import { fakeClock } from '../support/fake-clock.ts'
import { NO_PAGES } from '../support/no-pages.ts'
import { amounts, REPORTED_ADVICE } from '../support/recommendations.ts'
import { pastOf } from './page/past.ts'
import { fleet } from './page/shown.ts'

const ref = { account: 'main', projectId: 'project-0', endpointId: 'ep-0' }
const SHOWN: ShownChanges = {
  changes: [
    changeOf({
      id: 'ch-open',
      ref,
      kind: 'delay',
      origin: { by: 'person', name: 'ann' },
      before: { autosuspendDelay: 'never' },
      desired: { autosuspendDelay: seconds(300) },
      state: { at: 'scheduled', approvedBy: 'bob', notBefore: at(0), attempts: 0 },
    }),
    changeOf({
      id: 'ch-ended',
      ref,
      origin: { by: 'recommendation', id: 'ep-0.sizing.1', hash: 'h1', name: 'carl' },
      desired: { sizing: { min: cu(0.25), max: cu(2) } },
      promised: amounts(1, 2, 4),
      state: { at: 'done', because: 'verified', endedAt: at(130), sent: { at: at(120), sessions: 3 } },
    }),
  ],
  events: [{ changeId: 'ch-ended', version: 1, at: at(0), state: { ...SCHEDULED } }],
  holds: new Map([['ch-open', { because: 'retry', since: at(60), until: at(360) }]]),
}

const OPEN = ['autosuspend off → 300 s', 'scheduled: the service was busy or could not take the request']
const ENDED = ['1 CU → 0.25–2 CU', 'done: verified', 'sessions interrupted: 3']
/** Not in the report, which has one line for each. */
const DETAILS = [
  'approved by bob',
  'implements the recommendation ep-0.sizing.1',
  'saves 2.00 USD in 30 days (1.00 USD to 4.00 USD)',
  'approved by carl',
]
const ENDED_REQUEST =
  'request: PATCH /projects/project-0/endpoints/ep-0 {"endpoint":{"autoscaling_limit_min_cu":0.25,"autoscaling_limit_max_cu":2}}'

const snapshot = fleet(1)
const source: ReportSource = {
  history: { ...pastOf(snapshot), eventsAfter: () => Promise.resolve([]) },
  ledger: ledger(),
  advice: REPORTED_ADVICE,
  changes: { journal: shownJournal(SHOWN), freezes: [], holdOf: (id) => SHOWN.holds?.get(id) },
  prices,
  zone: createUtc(),
  owners: createOwners([]),
  plan: { groupBy: undefined, onlyTeam: undefined, redact: [] },
  unread: undefined,
  view: undefined,
}
const clock = fakeClock()
const app = createApiApp({
  ...NO_PAGES,
  snapshot: () => snapshot,
  history: pastOf(snapshot),
  reports: () => new Map([['main', source]]),
  changes: changeSources(SHOWN, { snapshot: () => snapshot, clock }),
  accounts: () => [],
  clock,
})

async function ask(path: string, accept = '*/*') {
  const answer = await app.request(path, { headers: { host: 'localhost', accept } })
  return answer.text()
}

/** Of the command for one change. */
async function commandText(id: string) {
  const answer = JSON.parse(await ask(`/api/v1/changes/${id}`)) as ChangeHistoryJson
  return historyLines(answer).join('\n')
}

const plain = (text: string) => text.replaceAll('&quot;', '"')

test('API, command, explanation, pages and report agree', async () => {
  const list = JSON.parse(await ask('/api/v1/changes')) as ChangesJson
  expect(changesSchema.parse(list).changes.map(({ id, state, sessions }) => [id, state, sessions])).toEqual([
    ['ch-open', 'scheduled', null],
    ['ch-ended', 'done', 3],
  ])
  const command = `${await commandText('ch-open')}\n${await commandText('ch-ended')}`
  const { lines } = JSON.parse(await ask('/api/v1/explain/ep-0')) as { readonly lines: readonly string[] }
  for (const text of [command, lines.join('\n')]) {
    for (const part of [...OPEN, ...ENDED, ...DETAILS, ENDED_REQUEST]) expect(text).toContain(part)
    expect(text).toContain('since 2026-01-05T00:01:00Z, until 2026-01-05T00:06:00Z')
  }

  const compute = plain(await ask('/computes/ep-0', 'text/html'))
  for (const part of [...OPEN, ...ENDED, ...DETAILS, ENDED_REQUEST])
    expect(compute).toContain(withNoBreakSpaces(part))
  const open = plain(await ask('/changes', 'text/html'))
  for (const part of [...OPEN, 'ann, approved by bob']) expect(open).toContain(withNoBreakSpaces(part))
  const ended = plain(await ask('/changes?state=ended', 'text/html'))
  for (const part of [...ENDED, 'carl, who approved it', ENDED_REQUEST])
    expect(ended).toContain(withNoBreakSpaces(part))

  const report = await ask('/api/v1/report?week=2026-W02&format=markdown')
  for (const part of [
    ...OPEN,
    ...ENDED,
    'since 2026-01-05 00:01 UTC, until 2026-01-05 00:06 UTC',
    'asked for by ann, approved by bob',
    'asked for by carl, who approved it',
    'saves 2.00 USD in 30 days (1.00 USD to 4.00 USD)',
  ])
    expect(report).toContain(part)
})
