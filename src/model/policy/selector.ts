// Selection of computes in the configuration.
import type { Compute, ComputeRef, Project } from '../service/compute.ts'

/** Every given field must match; of a list one pattern: `*` is any text, `?` any letter. */
export type Selector = Readonly<{
  /** Id or name. */
  project?: readonly string[] | undefined
  /** Id; branches have no published names. */
  branch?: readonly string[] | undefined
  /** Id or name. */
  compute?: readonly string[] | undefined
  type?: Compute['type'] | undefined
}>

export type SelectorTarget = Readonly<{
  ref: ComputeRef
  projectName: string | undefined
  branchId: string
  name: string | undefined
  type: Compute['type']
}>

export const selectorTargetOf = (
  account: string,
  compute: Compute,
  project: Project | undefined,
): SelectorTarget => ({
  ref: { account, projectId: compute.projectId, endpointId: compute.endpointId },
  projectName: project?.name,
  branchId: compute.branchId,
  name: compute.name,
  type: compute.type,
})

export const matchesSelector = (
  { project, branch, compute, type }: Selector,
  target: SelectorTarget,
): boolean =>
  fits(project, [target.ref.projectId, target.projectName]) &&
  fits(branch, [target.branchId]) &&
  fits(compute, [target.ref.endpointId, target.name]) &&
  (type === undefined || type === target.type)

export const matchesEverything = ({ project, branch, compute, type }: Selector): boolean =>
  type === undefined &&
  [project, branch, compute].every((patterns) => !patterns || patterns.some((one) => /^\*+$/.test(one)))

const fits = (patterns: readonly string[] | undefined, names: readonly (string | undefined)[]) =>
  patterns === undefined ||
  patterns.some((pattern) => names.some((name) => name !== undefined && matchesGlob(pattern, name)))

/** In time proportional to the product of both lengths at most. */
export function matchesGlob(pattern: string, text: string): boolean {
  let [at, from] = [0, 0]
  let star: { readonly after: number; from: number } | undefined
  while (from < text.length) {
    const symbol = pattern[at]
    if (symbol === '*') {
      at += 1
      star = { after: at, from }
    } else if (symbol === '?' || symbol === text[from]) {
      at += 1
      from += 1
    } else if (star) {
      // backtrack: the last star matches one letter more
      star.from += 1
      at = star.after
      from = star.from
    } else return false
  }
  return /^\**$/.test(pattern.slice(at))
}
