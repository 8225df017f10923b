type Defined<Value> = { [key in keyof Value]?: NonNullable<Value[key]> }

/** The object without its undefined fields. */
export const withoutUndefined = <Value extends object>(value: Value): Defined<Value> =>
  Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as Defined<Value>
