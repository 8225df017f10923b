// Where two values of YAML differ.

/** Paths such as `accounts[0].plan`, in the order of the keys: of the smallest parts that are others, or that only one has. */
export function changedPaths(before: unknown, after: unknown, path = ''): readonly string[] {
  if (Object.is(before, after)) return []
  if (!isNested(before) || !isNested(after) || Array.isArray(before) !== Array.isArray(after)) return [path]
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key) =>
    changedPaths(Reflect.get(before, key), Reflect.get(after, key), inner(path, key, Array.isArray(before))),
  )
}

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null

function inner(path: string, key: string, isList: boolean): string {
  if (isList) return `${path}[${key}]`
  return path === '' ? key : `${path}.${key}`
}
