/** Field of a value of unknown shape; undefined where it is no object or has no such field. */
export const fieldOf = (value: unknown, name: PropertyKey): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
