// The configuration of a compute: what nobody said, and what a change brings about.
import type { Settings } from './events.ts'
import type { Compute, ComputeConfig, ComputeDefaults, Project } from './project.ts'
import { sameSettings } from './requests/pg-settings.ts'
import { storedDelay } from './requests/validation.ts'
import { DEFAULT_CU } from './sizing/sizes.ts'

/** The configuration of a compute about which nothing was said. Default size: not in the interface. */
export const DEFAULT_CONFIG: ComputeConfig = {
  minCu: DEFAULT_CU,
  maxCu: DEFAULT_CU,
  suspendTimeout: 0,
  disabled: false,
  passwordless: true,
  provisioner: 'k8s-neonvm',
  name: undefined,
  poolerEnabled: false,
  pgSettings: {},
}

export const NO_DEFAULTS: ComputeDefaults = {
  minCu: undefined,
  maxCu: undefined,
  suspendTimeout: 0,
  pgSettings: {},
}

/** A whole configuration; one limit alone is a fixed size of that many CU. */
export function completeConfig(
  asked: Partial<ComputeConfig>,
  { defaults }: Pick<Project, 'defaults'>,
  settings: Settings,
): ComputeConfig {
  const said = asked.minCu !== undefined || asked.maxCu !== undefined ? asked : defaults
  const minCu = said.minCu ?? said.maxCu ?? DEFAULT_CONFIG.minCu
  return {
    ...DEFAULT_CONFIG,
    pgSettings: defaults.pgSettings,
    ...asked,
    minCu,
    maxCu: said.maxCu ?? minCu,
    suspendTimeout: storedDelay(asked.suspendTimeout ?? 0, settings),
  }
}

/** Whether a change restarts an active compute (S-64 to S-68, S-115). */
export function isDisruptive(
  compute: Compute,
  next: Pick<Compute, 'config' | 'branchId'>,
  { asked, settings }: { readonly asked: Partial<ComputeConfig>; readonly settings: Settings },
): boolean {
  const { config } = compute
  const sendsSize = asked.minCu !== undefined || asked.maxCu !== undefined
  return (
    next.config.minCu !== config.minCu ||
    next.config.maxCu !== config.maxCu ||
    next.branchId !== compute.branchId ||
    !sameSettings(next.config.pgSettings, config.pgSettings) ||
    (settings.patchEqualRestarts && sendsSize)
  )
}
