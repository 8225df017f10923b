// Errors of SQLite, translated for the operator.

const DAMAGED = 'is damaged; it was left as it is: put back a copy, or move it away and Dormouse begins anew'

const SQLITE_BUSY = 5

/** By primary result code. Source: SQLite, "Result and Error Codes". */
const MEANINGS: ReadonlyMap<number, string> = new Map([
  [SQLITE_BUSY, 'is held by another program'],
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
    throw storeError(file, cause)
  }
}

const withErrors =
  (run: (...given: unknown[]) => unknown, file: string) =>
  (...given: unknown[]): unknown => {
    const result = withStoreErrorsSync(file, () => run(...given))
    if (result instanceof Promise)
      return result.catch((cause: unknown) => {
        throw storeError(file, cause)
      })
    return isAsyncIterable(result) ? iterate(result, file) : result
  }

const isAsyncIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value

async function* iterate(items: AsyncIterable<unknown>, file: string) {
  try {
    yield* items
  } catch (cause) {
    throw storeError(file, cause)
  }
}

/** `cause` itself where it is no error of SQLite. */
export function storeError(file: string, cause: unknown): unknown {
  const code = primaryCode(cause)
  if (code === undefined || !(cause instanceof Error)) return cause
  return new Error(`${file} ${MEANINGS.get(code) ?? `cannot be used: ${cause.message}`}`, { cause })
}

/** Whether another process has it locked. */
export const isHeld = (cause: unknown): boolean => primaryCode(cause) === SQLITE_BUSY

/** The lower byte of the code; undefined for an error of something else. */
const primaryCode = (cause: unknown): number | undefined =>
  cause instanceof Error && 'errcode' in cause ? Number(cause.errcode) & 0xff : undefined
