// A project of a generated history: settings, clients, failures.
import { newProject } from '../control/requests/project-requests.ts'
import type { Behaviour } from '../control/behaviour.ts'
import type { Catalogue, SizeRange } from '../control/project.ts'
import type { PlanAndPreset } from '../control/sizing/plans.ts'
import type { SimulatedEvent } from '../control/simulation/simulation.ts'
import { type Chance, createChance } from './chance.ts'
import { clientEvents } from './clients.ts'
import { dailyBranches, settingChanges, extraBranches, previewBranches } from './user-actions.ts'
import { DRAWN_USES, KINDS, type DrawnKind, type Kind, chooseDelay, chooseSizing } from './kinds.ts'
import { DAY, HOUR, MINUTE } from './sessions.ts'

/** A project whose use is chosen, not drawn. People change no settings of it. */
export type ChosenProject = SizeRange &
  Readonly<{
    name: string
    kind: Kind
    /** As on the wire, seconds: 0 is the default, -1 never. */
    suspendTimeout: number
    /** Days before the end at which it is created; default: the whole history. */
    days?: number
  }>

export type HistoryOptions = PlanAndPreset &
  Readonly<{
    seed: number
    projects: number
    /** The first projects; the others are drawn. */
    chosen?: readonly ChosenProject[]
    /** Q-12, for those that are chosen. */
    delayBelowMinimum?: Behaviour['delayBelowMinimum'] | undefined
    /** `[from, to)`, ms. */
    from: number
    to: number
    /** Catalogue of the default branch of a project created at `now`, ms. */
    catalogueOf: (now: number) => Catalogue
  }>

/** Endless events, and the service's random behaviour. */
export type ProjectLife = Readonly<{
  projectId: string
  scripts: readonly Iterable<SimulatedEvent>[]
  /** 1,000 to 3,000 ms. */
  wakeLatency: () => number
  takeFailure: () => boolean
  takeError: () => string | undefined
}>

/** Share of operations that fail at first; of starts that fail for good. */
const FAILURES = 0.002
const ERRORS = 0.001

/** Does not depend on the other projects. */
export function projectLife(number: number, options: HistoryOptions): ProjectLife {
  const { seed, to, plan, preset } = options
  const subscription = { plan, preset }
  const chanceOf = (part: string) => createChance(`${seed}/${number}/${part}`)
  const chance = chanceOf('project')
  const chosen = options.chosen?.[number]
  const drawnKind = KINDS[number] ?? chooseKind(chance)
  const projectId = `local-${chance.text(12)}`
  const branchId = `br-${chance.text(12)}`
  const endpointId = `ep-${chance.text(12)}`
  const { kind, at, config, name } = chosen
    ? chosenPlan(chosen, options)
    : drawnPlan({ number, kind: drawnKind }, options, chance)
  const branch = { id: branchId, name: 'main', catalogue: options.catalogueOf(at) }
  const project = newProject({ id: projectId, name, branch, now: at })
  const request = { kind: 'create', endpointId, branchId, config } as const
  const branchRef = { projectId, branchId, endpointId, subscription }
  const use = kind === 'preview' || kind === 'daily-preview' ? 'rare' : kind
  const [latency, failure, error] = [chanceOf('latency'), chanceOf('failure'), chanceOf('error')]
  return {
    projectId,
    scripts: [
      [{ at, kind: 'create', project, request }],
      clientEvents({ endpointId, config, kind: use, from: at + MINUTE }, chanceOf('clients')),
      ...(chosen ? [] : [settingChanges(branchRef, at, chanceOf('changes'))]),
      ...(chosen ? [] : extraBranches(branchRef, at, chanceOf('further'))),
      ...(kind === 'preview' ? [previewBranches(branchRef, at, chanceOf('previews'))] : []),
      ...(kind === 'daily-preview' ? dailyBranches(branchRef, { from: at, to }, chanceOf('previews')) : []),
    ],
    wakeLatency: () => Math.round(latency.between(1000, 3000)),
    takeFailure: () => failure.happens(FAILURES),
    takeError: () => (error.happens(ERRORS) ? 'no capacity left in this region, try again' : undefined),
  }
}

/** What a project is used for, since when, ms, with which settings. */
type Plan = Readonly<{
  kind: Kind
  at: number
  config: SizeRange & { readonly suspendTimeout: number }
  name: string
}>

const chosenPlan = (
  { kind, name, days, minCu, maxCu, suspendTimeout }: ChosenProject,
  { from, to }: HistoryOptions,
): Plan => ({
  kind,
  at: days === undefined ? from : Math.max(from, to - days * DAY),
  config: { minCu, maxCu, suspendTimeout },
  name,
})

function drawnPlan(
  { number, kind }: Readonly<{ number: number; kind: DrawnKind }>,
  { from, to, plan, preset }: HistoryOptions,
  chance: Chance,
): Plan {
  const isOld = number < KINDS.length || chance.happens(0.7)
  const at = Math.round(from + (isOld ? 6 * HOUR : 0.9 * (to - from)) * chance.uniform())
  const sizing = chooseSizing({ plan, preset }, chance)
  const suspendTimeout = chooseDelay(kind, { plan, preset }, chance)
  const name = `${chance.pick(DRAWN_USES[kind].names)}-${number + 1}`
  return { kind, at, config: { ...sizing, suspendTimeout }, name }
}

function chooseKind(chance: Chance): DrawnKind {
  let remaining = 100 * chance.uniform()
  return KINDS.find((kind) => (remaining -= DRAWN_USES[kind].share) < 0) ?? 'office'
}
