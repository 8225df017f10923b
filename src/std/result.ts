export type Result<Value, Problem> =
  | Readonly<{ ok: true; value: Value }>
  | Readonly<{ ok: false; error: Problem }>

export const ok = <Value>(value: Value): Readonly<{ ok: true; value: Value }> => ({ ok: true, value })

export const failed = <Problem>(error: Problem): Readonly<{ ok: false; error: Problem }> => ({
  ok: false,
  error,
})
