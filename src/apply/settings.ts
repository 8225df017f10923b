// Settings of a change against those of a compute, compared in effect.
import type { Change, ChangeSettings } from '../model/policy/change.ts'
import {
  delayMillis,
  isSameSizing,
  type AutosuspendDelay,
  type Compute,
  type Sizing,
} from '../model/service/compute.ts'
import type { Operation } from '../model/service/operation.ts'
import { seconds, type Instant } from '../model/units.ts'

export type ComparedCompute = Readonly<{
  compute: Compute
  /** Delay of computes without their own. */
  defaultDelay: AutosuspendDelay
}>

/** What a project gives its new computes. */
export type ComparedDefaults = Readonly<{
  compute?: undefined
  defaultDelay: AutosuspendDelay
  /** Undefined where the service does not show it. */
  defaultSizing: Sizing | undefined
}>

export type Compared = ComparedCompute | ComparedDefaults

/** A look at a compute and its project, or at the project alone. */
export type Seen = Compared &
  Readonly<{
    /** Other computes of the project; empty in a look at the project alone, which no operation changes. */
    others: readonly Compute[]
    /** Operations of the project that have not ended. */
    openOperations: number
    /** Operations of the compute since the change was sent. */
    operations: readonly Operation[]
    /** Request of the look. */
    askedAt: Instant
  }>

/** The settings, of the kinds that `like` has, and without those that the service does not show. */
export function settingsLike(like: ChangeSettings, compared: Compared): ChangeSettings {
  const { compute, defaultDelay } = compared
  const sizing = compared.compute ? compared.compute.sizing : compared.defaultSizing
  return {
    ...(like.sizing && sizing && { sizing }),
    ...(like.autosuspendDelay !== undefined && {
      autosuspendDelay: compute?.autosuspendDelay ?? defaultDelay,
    }),
  }
}

/** Whether it has these settings: 300 s over a default of 300 s is no difference. */
export function hasSettings(compared: Compared, settings: ChangeSettings): boolean {
  const { sizing, autosuspendDelay } = settingsLike(settings, compared)
  const wantedDelay = settings.autosuspendDelay === 0 ? compared.defaultDelay : settings.autosuspendDelay
  const isSameSize = !settings.sizing || (sizing !== undefined && isSameSizing(sizing, settings.sizing))
  return isSameSize && autosuspendDelay === wantedDelay
}

/** Whether it is as when the change was made. A compute without a delay of its own still is where the default of its project is another one. */
export function isAsBefore(
  { before, hadDefaultDelay }: Pick<Change, 'before' | 'hadDefaultDelay'>,
  compared: Compared,
): boolean {
  const { compute } = compared
  const hasDefaultStill = hadDefaultDelay === true && compute && compute.autosuspendDelay === undefined
  return hasSettings(compared, hasDefaultStill ? { ...before, autosuspendDelay: seconds(0) } : before)
}

/** For a reason: what a change is about. */
export const targetNoun = ({ kind }: Pick<Change, 'kind'>): string =>
  kind === 'defaults' ? 'the project' : 'the compute'

/** Why this compute is never changed; undefined where it may be. Source: service-facts.md, §2. */
export const provisionerProblem = ({ unknownProvisioner }: Compute): string | undefined =>
  unknownProvisioner === undefined
    ? undefined
    : `its provisioner ${unknownProvisioner} is not known, so it is never changed`

/** For a reason: `1 CU`, `0.25 to 2 CU`, `a delay of 300 s`. */
export function settingsText({ sizing, autosuspendDelay }: ChangeSettings): string {
  const size = sizing && ('fixed' in sizing ? `${sizing.fixed} CU` : `${sizing.min} to ${sizing.max} CU`)
  const delay =
    autosuspendDelay === undefined
      ? undefined
      : autosuspendDelay === 'never'
        ? 'no autosuspend'
        : autosuspendDelay === 0
          ? 'the default delay'
          : `a delay of ${autosuspendDelay} s`
  return [size, delay].filter((text) => text !== undefined).join(' and ')
}

/** `1 CU → 0.25 to 2 CU`; `restart` for a change that sets nothing. */
export const changeText = ({ kind, before, desired }: Pick<Change, 'kind' | 'before' | 'desired'>): string =>
  kind === 'restart' ? 'restart' : `${settingsText(before)} → ${settingsText(desired)}`

export const isShorter = (one: AutosuspendDelay | undefined, other: AutosuspendDelay | undefined): boolean =>
  one !== undefined && other !== undefined && delayMillis(one) < delayMillis(other)
