// Every metric Dormouse exports, in the order of the exposition: the one table that the renderer, the reference, the rules, the
// dashboards and the tests read. A metric has a row once it has a source, and none before.
import { BUDGETS } from './catalogue/budgets.ts'
import { COMPUTES } from './catalogue/computes.ts'
import { DAEMON } from './catalogue/daemon.ts'
import type { Family } from './catalogue/family.ts'
import { OUTPUTS } from './catalogue/outputs.ts'
import { READINGS } from './catalogue/readings.ts'
import { SERVICE } from './catalogue/service.ts'
import { SPEND } from './catalogue/spend.ts'

export const PREFIX = 'dormouse_'

export const CATALOGUE = {
  ...DAEMON,
  ...COMPUTES,
  ...SPEND,
  ...BUDGETS,
  ...READINGS,
  ...SERVICE,
  ...OUTPUTS,
} as const satisfies Readonly<Record<string, Family>>

export type FamilyKey = keyof typeof CATALOGUE

/** In the order of the exposition. */
export const FAMILY_KEYS = Object.keys(CATALOGUE) as readonly FamilyKey[]

/** Whether a family is about computes or projects one by one: such series are as many as there are of them. */
export const isPerCompute = ({ each }: Family): boolean => each > 0
