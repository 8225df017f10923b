/** The object without its undefined fields. */
export const withoutUndefined = <Value extends object>(
  value: Value,
): { [key in keyof Value]?: NonNullable<Value[key]> } =>
  Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as {
    [key in keyof Value]?: NonNullable<Value[key]>
  }
