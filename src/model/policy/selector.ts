// Which computes something in the configuration is about.
import type { Compute, ComputeRef, Project } from '../service/compute.ts'

/** What is given must fit, what is left out fits all. A list fits when one of its patterns does: `*` is any text, `?` any letter. */
export type Selector = {
  /** Id or name. */
  readonly project?: readonly string[] | undefined
  /** Id; the service tells no names of branches. */
  readonly branch?: readonly string[] | undefined
  /** Id or name. */
  readonly compute?: readonly string[] | undefined
  readonly type?: Compute['type'] | undefined
}

/** What a selector may ask of a compute. */
export type SelectorTarget = {
  readonly ref: ComputeRef
  readonly projectName: string | undefined
  readonly branchId: string
  readonly name: string | undefined
  readonly type: Compute['type']
}

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

export function matchesSelector(
  { project, branch, compute, type }: Selector,
  target: SelectorTarget,
): boolean {
  return (
    fits(project, [target.ref.projectId, target.projectName]) &&
    fits(branch, [target.branchId]) &&
    fits(compute, [target.ref.endpointId, target.name]) &&
    (type === undefined || type === target.type)
  )
}

/** Whether it leaves no compute out, whatever it is called. */
export const matchesEverything = ({ project, branch, compute, type }: Selector): boolean =>
  type === undefined &&
  [project, branch, compute].every(
    (patterns) => !patterns || patterns.some((pattern) => /^\*+$/.test(pattern)),
  )

const fits = (patterns: readonly string[] | undefined, names: readonly (string | undefined)[]): boolean =>
  patterns === undefined ||
  patterns.some((pattern) => names.some((name) => name !== undefined && matchesGlob(pattern, name)))

/** In time that grows with the product of both lengths at most, whatever the pattern. */
export function matchesGlob(pattern: string, text: string): boolean {
  let [at, from] = [0, 0]
  let star: { readonly after: number; from: number } | undefined
  while (from < text.length) {
    const sign = pattern[at]
    if (sign === '*') {
      at += 1
      star = { after: at, from }
    } else if (sign === '?' || sign === text[from]) {
      at += 1
      from += 1
    } else if (star) {
      // the last star takes one letter more
      star.from += 1
      at = star.after
      from = star.from
    } else return false
  }
  return /^\**$/.test(pattern.slice(at))
}
