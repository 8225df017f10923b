// Everything that the pages show, as scenes in which each has something to show, or nothing.
import type { Hono } from 'hono'
import type { AccountView, ComputeView, Snapshot, AwakeReason } from '../../../src/model/output/snapshot.ts'
import { cu, instant, micros } from '../../../src/model/units.ts'
import { TAKEN } from '../../support/fleet-snapshot.ts'
import { at } from '../../support/build.ts'
import { keptNamed } from './kept-reports.ts'
import { pastOf } from './past.ts'
import { advised } from './advised.ts'
import { changesOf } from './changed.ts'
import { appOf, budgetOf, fleet } from './shown.ts'
import { viewWith } from '../../support/view-with.ts'

/** Markup, another direction and length, in what people name. */
const NAMES = [
  `<script>alert(1)</script>${'long'.repeat(45)}`,
  'שלום \u202e evil 🐿️ database of the second team',
  'shop',
] as const

export const named = (view: ComputeView, name: string): ComputeView =>
  viewWith(view, { identity: { compute: { ...view.identity.compute, name } } })

const first = advised(fleet(12))
/** What others named, named badly; the longest of all by everybody. */
export const busy: Snapshot = {
  ...first,
  computes: first.computes.map((view, index) =>
    index === 1 ? named(view, NAMES[0]) : index === 2 ? named(view, NAMES[1]) : view,
  ),
}

const BROKEN: Partial<AccountView> = {
  service: 'unauthorized',
  stored: false,
  unreadable: `the role ${'dormouse'.repeat(12)} may not connect`,
  problems: ['project shop: 403 forbidden', 'project web: 500', 'project tea: body: not JSON', 'and so on'],
}

/** Nothing is as it should be: states that are not known, sizes that are, two accounts that do not answer, owners of any name. */
function troubled(): Snapshot {
  const taken = advised(fleet(6))
  const [account] = taken.accounts
  if (!account) throw new Error('there is an account')
  const second = { ...account, account: `other-${'x'.repeat(60)}`, month: undefined }
  const views = taken.computes.map((view, index) => {
    const { owner } = view.identity
    return viewWith(view, {
      identity: { owner: { ...owner, team: NAMES[index % 3] ?? '', tier: NAMES[(index + 1) % 3] ?? '' } },
      state: {
        shown: (['unknown', 'active', 'init', 'idle', 'active', 'unknown'] as const)[index] ?? 'idle',
        reason: WHYS[index] ?? view.state.reason,
        observedAt: at(TAKEN - 600),
      },
      ledger: {
        spend: { low: micros(1), likely: micros(123_456_789_012_345), high: micros(912_345_678_901_234) },
        ...(index % 2 === 0 && { awakeBy: [] }),
        ...(index === 1 && {
          awakeBy: view.ledger.awakeBy.map((share) => ({ ...share, application: NAMES[0], user: NAMES[1] })),
        }),
      },
      reading: {
        ...(index % 2 === 0 && { connections: undefined, hitRatio: undefined, problem: NAMES[0] }),
        ...(index === 1 && {
          size: { cu: cu(2), source: 'api' } as never,
          connections: { active: 3, idle: 2, idleInTransaction: 0, other: 1 },
        }),
      },
    })
  })
  const money = { unit: 'money', amount: micros(123_456_789_012_345), currency: 'USD' } as const
  const budgets = [
    budgetOf({ name: NAMES[0], limit: money, team: NAMES[1], scope: { project: [NAMES[1], NAMES[0]] } }),
    budgetOf({ name: NAMES[1], period: { from: at(-86_400), to: at(TAKEN) } }),
  ]
  return {
    ...taken,
    computes: views,
    accounts: [
      { ...account, ...BROKEN, lastSweepAt: at(TAKEN - 600), storedAt: at(TAKEN - 600), budgets },
      { ...second, ...BROKEN, service: 'unavailable', budgets: [] },
    ],
  }
}

const WHYS: readonly (AwakeReason | undefined)[] = [
  { because: 'unknown', since: at(TAKEN - 600) },
  { because: 'clients', working: 3, application: NAMES[0] } as never,
  { because: 'starting' },
  { because: 'disabled' } as never,
  { because: 'autosuspend-off' } as never,
  { because: 'recent-activity', at: instant(at(TAKEN - 40)), application: NAMES[1] } as never,
]

const empty: Snapshot = {
  ...fleet(1),
  computes: [],
  accounts: fleet(1).accounts.map((view) => ({ ...view, budgets: [], month: undefined })),
}

export type Scene = { readonly name: string; readonly app: Hono; readonly paths: readonly string[] }

/** @param live what the first scene shows, asked for anew each time */
export function scenes(live: () => Snapshot): readonly Scene[] {
  const [bad, large] = [troubled(), advised(fleet(5000))]
  const kept = keptNamed(NAMES)
  const shown = (snapshot: Snapshot) =>
    appOf({
      snapshot,
      history: pastOf(snapshot),
      kept,
      changes: {
        ...changesOf(snapshot, { by: NAMES[1], reason: NAMES[0], because: NAMES[0] }),
        engagedBy: [`the file /etc/${'dormouse'.repeat(20)}`],
      },
    })
  return [
    {
      name: 'busy',
      app: appOf({
        get snapshot() {
          return live()
        },
        history: pastOf(first),
        kept,
        changes: changesOf(first),
      }),
      paths: [
        '/',
        '/?range=7d&group=team',
        '/?text=nothing-is-called-so&branch=br-one',
        '/budgets',
        '/recommendations',
        '/recommendations?state=dismissed&kind=delay',
        '/recommendations?state=implemented',
        '/recommendations?state=withheld',
        '/changes',
        '/changes?state=ended&kind=sizing',
        '/computes/ep-0',
        '/computes/ep-3',
        '/computes/ep-99',
        '/report',
        '/report?week=2026-W47&team=web',
        '/report?week=2020-W01',
        '/report?account=nobody',
        '/nowhere',
      ],
    },
    {
      name: 'troubled',
      app: shown(bad),
      paths: [
        '/',
        '/?group=team',
        '/budgets',
        '/recommendations',
        '/changes',
        '/changes?state=ended',
        '/computes/ep-0',
        '/computes/ep-1',
        '/report',
      ],
    },
    {
      name: 'empty',
      app: appOf({ snapshot: empty }),
      paths: ['/', '/budgets', '/recommendations', '/changes', '/report'],
    },
    { name: 'starting', app: appOf({}), paths: ['/'] },
    {
      name: 'large',
      app: shown(large),
      paths: ['/?page=50&range=7d', '/recommendations?page=2'],
    },
  ]
}
