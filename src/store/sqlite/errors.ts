// Errors of SQLite, translated for the operator.

const DAMAGED = 'is damaged; it was left as it is: put back a copy, or move it away and Dormouse begins anew'

/** By primary result code. Source: SQLite, "Result and Error Codes". */
const MEANINGS: ReadonlyMap<number, string> = new Map([
  [5, 'is held by another program'], // SQLITE_BUSY
  [8, 'cannot be written: it is read-only'], // SQLITE_READONLY
  [10, 'cannot be read or written: the disk fails'], // SQLITE_IOERR
  [11, DAMAGED], // SQLITE_CORRUPT
  [13, 'cannot grow: the disk is full'], // SQLITE_FULL
  [26, DAMAGED], // SQLITE_NOTADB
])

/** `port`, whose errors of SQLite name `file` and the remedy, also asynchronously and while iterating. */
export const withStoreErrors = <Port extends object>(file: string, port: Port): Port =>
  Object.fromEntries(
    Object.entries(port).map(([name, member]) => [
      name,
      typeof member === 'function' ? withErrors((...given) => member(...given), file) : member,
    ]),
  ) as Port

export function withStoreErrorsSync<Value>(file: string, work: () => Value): Value {
  try {
    return work()
  } catch (cause) {
    throw explanation(file, cause)
  }
}

const withErrors =
  (run: (...given: unknown[]) => unknown, file: string) =>
  (...given: unknown[]): unknown => {
    const result = withStoreErrorsSync(file, () => run(...given))
    if (result instanceof Promise)
      return result.catch((cause: unknown) => {
        throw explanation(file, cause)
      })
    return isAsyncIterable(result) ? iterate(result, file) : result
  }

const isAsyncIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value

async function* iterate(items: AsyncIterable<unknown>, file: string) {
  try {
    yield* items
  } catch (cause) {
    throw explanation(file, cause)
  }
}

function explanation(file: string, cause: unknown) {
  if (!(cause instanceof Error) || !('errcode' in cause)) return cause
  // the lower byte is the primary code
  const why = MEANINGS.get(Number(cause.errcode) & 0xff)
  return new Error(`${file} ${why ?? `cannot be used: ${cause.message}`}`, { cause })
}
