// Every metric Dormouse exports, in the order of the exposition: the one table that the renderer, the reference, the rules, the
// dashboards and the tests read. A metric has a row once it has a source, and none before.
import { BUDGET_FAMILIES } from './catalogue/budgets.ts'
import { COMPUTE_FAMILIES } from './catalogue/computes.ts'
import { DAEMON_FAMILIES } from './catalogue/daemon.ts'
import type { Family } from './catalogue/family.ts'
import { OUTPUT_FAMILIES } from './catalogue/outputs.ts'
import { READING_FAMILIES } from './catalogue/readings.ts'
import { SERVICE_FAMILIES } from './catalogue/service.ts'
import { SPEND_FAMILIES } from './catalogue/spend.ts'

export const PREFIX = 'dormouse_'

export const CATALOGUE = {
  ...DAEMON_FAMILIES,
  ...COMPUTE_FAMILIES,
  ...SPEND_FAMILIES,
  ...BUDGET_FAMILIES,
  ...READING_FAMILIES,
  ...SERVICE_FAMILIES,
  ...OUTPUT_FAMILIES,
} as const satisfies Readonly<Record<string, Family>>

export type FamilyKey = keyof typeof CATALOGUE

/** In the order of the exposition. */
export const FAMILY_KEYS = Object.keys(CATALOGUE) as readonly FamilyKey[]

/** Whether a family is about computes or projects one by one: such series are as many as there are of them. */
export const isPerCompute = ({ each }: Family): boolean => each > 0
