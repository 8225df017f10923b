// Settings of a change against those of a compute, compared in effect.
import type { ChangeSettings } from '../model/policy/change.ts'
import { largestCu, smallestCu, type AutosuspendDelay, type Compute } from '../model/service/compute.ts'

export type ComparedCompute = Readonly<{
  compute: Compute
  /** Delay of computes without their own. */
  defaultDelay: AutosuspendDelay
}>

/** The compute's settings of the kinds that `like` has. */
export const settingsLike = (
  like: ChangeSettings,
  { compute, defaultDelay }: ComparedCompute,
): ChangeSettings => ({
  ...(like.sizing && { sizing: compute.sizing }),
  ...(like.autosuspendDelay !== undefined && { autosuspendDelay: compute.autosuspendDelay ?? defaultDelay }),
})

/** Whether the compute has these settings: 300 s over a default of 300 s is no difference. */
export function hasSettings(compared: ComparedCompute, settings: ChangeSettings): boolean {
  const { sizing, autosuspendDelay } = settingsLike(settings, compared)
  const wantedDelay = settings.autosuspendDelay === 0 ? compared.defaultDelay : settings.autosuspendDelay
  const isSameSize =
    !sizing ||
    !settings.sizing ||
    (smallestCu(sizing) === smallestCu(settings.sizing) && largestCu(sizing) === largestCu(settings.sizing))
  return isSameSize && autosuspendDelay === wantedDelay
}

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
