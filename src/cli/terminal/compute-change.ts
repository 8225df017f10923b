// An update of a compute: which settings change, and whether it interrupts clients.
import { largestCu, smallestCu, type Compute, type Sizing } from '../../model/service/compute.ts'
import type { ComputeSettings } from '../../model/ports/service.ts'
import { sizingText } from '../../outputs/text/amounts.ts'
import { delayText, textFields } from './output.ts'
import { DELAY_OF_SERVICE } from './parse.ts'

/** Settings that differ from those of `compute`; empty if none do. */
export function differingSettings(
  compute: Compute,
  { sizing, autosuspendDelay }: ComputeSettings,
): ComputeSettings {
  return {
    ...(sizing && !sameSizing(sizing, compute.sizing) && { sizing }),
    ...(autosuspendDelay !== undefined &&
      autosuspendDelay !== (compute.autosuspendDelay ?? DELAY_OF_SERVICE) && { autosuspendDelay }),
  }
}

/** Whether the change restarts the compute. Source: service interface, "Effects of configuration changes". */
export const restartsCompute = ({ sizing }: ComputeSettings): boolean => sizing !== undefined

/** The change as before → after, and whether it interrupts clients. */
export function changeText(compute: Compute, change: ComputeSettings): string {
  const { sizing, autosuspendDelay } = change
  const delay = autosuspendDelay === DELAY_OF_SERVICE ? undefined : autosuspendDelay
  return textFields({
    compute: compute.endpointId,
    ...(sizing && { size: `${sizingText(compute.sizing)} -> ${sizingText(sizing)}` }),
    ...(autosuspendDelay !== undefined && {
      delay: `${delayText(compute.autosuspendDelay)} -> ${delayText(delay)}`,
    }),
    restart: restartText(compute, change),
  })
}

function restartText({ state }: Compute, change: ComputeSettings): string {
  if (!restartsCompute(change)) return 'no, connections stay'
  return state === 'active' ? 'yes, its connections are interrupted' : 'yes, it has no connections now'
}

const sameSizing = (sizing: Sizing, other: Sizing): boolean =>
  smallestCu(sizing) === smallestCu(other) && largestCu(sizing) === largestCu(other)
