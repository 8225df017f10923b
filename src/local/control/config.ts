import type { Settings } from './events.ts'
import type { Compute, ComputeConfig, ComputeDefaults, Project } from './project.ts'
import { sameSettings } from './requests/pg-settings.ts'
import { storedDelay } from './requests/validation.ts'
import { DEFAULT_CU } from './sizing/sizes.ts'

/** The default size is not in the interface. */
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

/** Completes a configuration. A single limit is a fixed size of that many CU. */
export function completeConfig(
  config: Partial<ComputeConfig>,
  { defaults }: Pick<Project, 'defaults'>,
  settings: Settings,
): ComputeConfig {
  const sizing = hasSize(config) ? config : defaults
  const minCu = sizing.minCu ?? sizing.maxCu ?? DEFAULT_CONFIG.minCu
  return {
    ...DEFAULT_CONFIG,
    pgSettings: defaults.pgSettings,
    ...config,
    minCu,
    maxCu: sizing.maxCu ?? minCu,
    suspendTimeout: storedDelay(config.suspendTimeout ?? 0, settings),
  }
}

export const hasSize = ({ minCu, maxCu }: Partial<ComputeConfig>): boolean =>
  minCu !== undefined || maxCu !== undefined

/** Whether the difference restarts an active compute (S-64 to S-68, S-115). */
export const isDisruptive = (
  { config, branchId }: Compute,
  next: Pick<Compute, 'config' | 'branchId'>,
): boolean =>
  next.config.minCu !== config.minCu ||
  next.config.maxCu !== config.maxCu ||
  next.branchId !== branchId ||
  !sameSettings(next.config.pgSettings, config.pgSettings)
