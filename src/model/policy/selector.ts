// Selection of computes in the configuration.
import {
  isComputeRef,
  type Compute,
  type ComputeRef,
  type Project,
  type TargetRef,
} from '../service/compute.ts'

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

/** A whole project: conditions on branches and computes do not fit it. */
export const projectTargetOf = (account: string, { projectId, name }: Project): SelectorTarget => ({
  ref: { account, projectId, endpointId: '' },
  projectName: name,
  branchId: '',
  name: undefined,
  type: 'read_write',
})

/** A compute or a whole project; undefined where it is not known. */
export function targetOfRef(
  ref: TargetRef,
  { compute, project }: Readonly<{ compute: Compute | undefined; project: Project | undefined }>,
): SelectorTarget | undefined {
  if (isComputeRef(ref)) return compute && selectorTargetOf(ref.account, compute, project)
  return project && projectTargetOf(ref.account, project)
}

export const matchesSelector = (
  { project, branch, compute, type }: Selector,
  target: SelectorTarget,
): boolean =>
  fits(project, [target.ref.projectId, target.projectName]) &&
  fits(branch, [target.branchId]) &&
  fits(compute, [target.ref.endpointId, target.name]) &&
  (type === undefined || type === target.type)

/**
 * Ranked so that the first rule that matches is the most specific one, then the first given: compute before branch before project, a whole
 * id or name before a pattern, more letters before fewer. A rule with several patterns is as many rules as these combine to.
 */
export const rankRules = <Rule extends Readonly<{ match: Selector }>>(
  rules: readonly Rule[],
): readonly Rule[] =>
  rules
    .flatMap((rule) => singlePatterns(rule.match).map((match) => ({ ...rule, match })))
    .toSorted((a, b) => compare(rankOf(b.match), rankOf(a.match)))

const singlePatterns = (match: Selector): readonly Selector[] =>
  each(match.compute).flatMap((compute) =>
    each(match.branch).flatMap((branch) =>
      each(match.project).map((project) => ({ ...match, project, branch, compute })),
    ),
  )

const each = (patterns: readonly string[] | undefined): readonly (readonly [string] | undefined)[] =>
  patterns?.map((pattern) => [pattern] as const) ?? [undefined]

const rankOf = ({ compute, branch, project, type }: Selector): readonly number[] => [
  ...[compute, branch, project].map((patterns) => specificity(patterns?.[0])),
  type === undefined ? 0 : 1,
]

/** 0 without a pattern, largest for a text without wildcards. */
function specificity(pattern: string | undefined): number {
  if (pattern === undefined) return 0
  const letters = pattern.replaceAll(/[*?]/g, '').length
  return letters === pattern.length ? Number.MAX_SAFE_INTEGER : letters + 0.5
}

function compare(a: readonly number[], b: readonly number[]): number {
  const index = a.findIndex((value, i) => value !== b[i])
  return index < 0 ? 0 : (a[index] ?? 0) - (b[index] ?? 0)
}

/** `project=dev-* type=read_only`, or `everything`: the words of `dormouse hold`. */
export function selectorText({ project = [], branch = [], compute = [], type }: Selector): string {
  const conditions = [
    ...project.map((pattern) => `project=${pattern}`),
    ...branch.map((pattern) => `branch=${pattern}`),
    ...compute.map((pattern) => `compute=${pattern}`),
    ...(type === undefined ? [] : [`type=${type}`]),
  ]
  return conditions.length === 0 ? 'everything' : conditions.join(' ')
}

/** Whether it lets every compute through, also by patterns that every id fits: `*`, `?*`, `ep-*` of computes, `br-*` of branches. */
export const matchesEverything = ({ project, branch, compute, type }: Selector): boolean =>
  type === undefined && fitsEvery(project, '') && fitsEvery(branch, 'br-') && fitsEvery(compute, 'ep-')

/** @param prefix of all ids. Source: service interface, "Branch" and "Compute (endpoint)" */
const fitsEvery = (patterns: readonly string[] | undefined, prefix: string): boolean =>
  !patterns ||
  patterns.some((pattern) => {
    const [, beginning = '', wildcards = ''] = /^([^*?]*)([*?]*)$/.exec(pattern) ?? []
    return wildcards.includes('*') && prefix.startsWith(beginning)
  })

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
