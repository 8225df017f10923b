// Kinds of use: who uses a project and when, and the sizes and delays that people choose.
import type { SizeRange } from '../control/project.ts'
import { planDelayProblem, type PlanAndPreset } from '../control/sizing/plans.ts'
import { DEFAULT_CU } from '../control/sizing/sizes.ts'
import type { Chance } from './chance.ts'
import { type Session, atRandom, nightly, officeHours, officeTimer } from './sessions.ts'

/** The first projects have one kind each, so that a small history has all. */
export const KINDS = ['office', 'batch', 'preview', 'chatty', 'always', 'rare', 'bursty'] as const

export type DrawnKind = (typeof KINDS)[number]

/** `timer` runs in office hours, `daily-preview` makes a branch on each working day, nobody uses `idle`. */
export type Kind = DrawnKind | 'timer' | 'daily-preview' | 'idle'

type AtLeastOne<Item> = readonly [Item, ...Item[]]

type KindOfUse = Readonly<{
  /** Application names. */
  programs: AtLeastOne<string>
  /** Sessions in order of time, none before `from`; endless, without overlap. */
  sessions: (from: number, chance: Chance) => Iterable<Session>
}>

const PREVIEW: KindOfUse = {
  programs: ['vercel', 'playwright', 'web'],
  sessions: (from, chance) => officeHours(from, chance, 0.7),
}

export const USES: Readonly<Record<Kind, KindOfUse>> = {
  office: {
    programs: ['web', 'backoffice', 'metabase'],
    sessions: (from, chance) => officeHours(from, chance, 1),
  },
  batch: { programs: ['airflow', 'dbt', 'cron'], sessions: nightly },
  preview: PREVIEW,
  chatty: {
    programs: ['worker', 'healthcheck'],
    sessions: (from) => [{ from, to: Infinity, pause: { min: 100, max: 280 } }],
  },
  always: {
    programs: ['web', 'checkout'],
    sessions: (from, chance) => officeHours(from, chance, 1),
  },
  rare: {
    programs: ['psql', 'DBeaver'],
    sessions: (from, chance) => atRandom(from, chance, { days: 6, minutes: 12 }),
  },
  bursty: {
    programs: ['lambda', 'ingest'],
    sessions: (from, chance) => atRandom(from, chance, { days: 0.12, minutes: 4 }),
  },
  timer: { programs: ['cron', 'airflow'], sessions: officeTimer },
  'daily-preview': PREVIEW,
  idle: { programs: ['psql'], sessions: () => [] },
}

type DrawnUse = Readonly<{
  /** Share of the projects, percent. */
  share: number
  names: AtLeastOne<string>
  /** Delays as on the wire, seconds: 0 is the default, which most people keep, -1 never. */
  delays: AtLeastOne<number>
}>

export const DRAWN_USES: Readonly<Record<DrawnKind, DrawnUse>> = {
  office: {
    share: 30,
    names: ['crm', 'helpdesk', 'billing', 'backoffice', 'planning', 'hr'],
    delays: [0, 0, 0, 0, 300, 600, 1800, 3600],
  },
  batch: { share: 12, names: ['warehouse', 'reports', 'exports', 'etl'], delays: [0, 0, 60, 300] },
  preview: { share: 14, names: ['storefront', 'website', 'mobile-api'], delays: [0, 0, 120] },
  chatty: { share: 9, names: ['queue', 'webhooks', 'sessions'], delays: [0, 300, 900] },
  always: { share: 8, names: ['checkout', 'payments', 'auth'], delays: [-1] },
  rare: { share: 16, names: ['archive', 'prototype', 'hackathon'], delays: [0, 0, 0, 60, 3600] },
  bursty: { share: 11, names: ['ingest', 'search', 'notifications'], delays: [0, 0, 60, 900] },
}

const fixed = (cu: number): SizeRange => ({ minCu: cu, maxCu: cu })
const range = (minCu: number, maxCu: number): SizeRange => ({ minCu, maxCu })

/** Most are small and fixed. */
const SIZINGS: AtLeastOne<SizeRange> = [
  ...([fixed(0.25), fixed(0.25), fixed(0.25), fixed(0.5), fixed(1), fixed(1), fixed(2), fixed(4)] as const),
  ...([range(0.25, 1), range(0.25, 2), range(0.5, 4), range(1, 8)] as const),
]

/** On the free plan the smallest, with the default delay. */
export const chooseSizing = ({ plan }: PlanAndPreset, chance: Chance): SizeRange =>
  plan === 'free' ? fixed(DEFAULT_CU) : chance.pick(SIZINGS)

/** What the plan does not allow becomes the default. */
export function chooseDelay(kind: DrawnKind, subscription: PlanAndPreset, chance: Chance): number {
  if (subscription.plan === 'free') return 0
  const delay = chance.pick(DRAWN_USES[kind].delays)
  return planDelayProblem(delay, subscription) === undefined ? delay : 0
}
