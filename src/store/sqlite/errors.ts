// Errors of SQLite, translated for the operator.

const DAMAGED = 'is damaged; it was left as it is: put back a copy, or move it away and Dormouse begins anew'

/** Primary result code → what is wrong with the file. Source: SQLite, "Result and Error Codes". */
const MEANINGS: ReadonlyMap<number, string> = new Map([
  [5, 'is held by another program'], // SQLITE_BUSY
  [8, 'cannot be written: it is read-only'], // SQLITE_READONLY
  [10, 'cannot be read or written: the disk fails'], // SQLITE_IOERR
  [11, DAMAGED], // SQLITE_CORRUPT
  [13, 'cannot grow: the disk is full'], // SQLITE_FULL
  [26, DAMAGED], // SQLITE_NOTADB
])

/** `port` with errors of SQLite translated into errors with `file` and the remedy. */
export const withStoreErrors = <Port extends object>(file: string, port: Port): Port =>
  mapErrors(port, (cause) => explanation(file, cause))

/** `withStoreErrors` for synchronous work. */
export function withStoreErrorsSync<Value>(file: string, work: () => Value): Value {
  try {
    return work()
  } catch (cause) {
    throw explanation(file, cause)
  }
}

/** `port` with what its functions throw, also asynchronously and while iterating, translated. */
export function mapErrors<Port extends object>(port: Port, translate: (cause: unknown) => unknown): Port {
  const members = Object.entries(port).map(([name, member]) => [
    name,
    typeof member === 'function' ? withErrors((...given) => member(...given), translate) : member,
  ])
  return Object.fromEntries(members) as Port
}

const withErrors =
  (run: (...given: unknown[]) => unknown, translate: (cause: unknown) => unknown) =>
  (...given: unknown[]): unknown => {
    try {
      const result = run(...given)
      if (result instanceof Promise)
        return result.catch((cause: unknown) => {
          throw translate(cause)
        })
      return isAsyncIterable(result) ? iterate(result, translate) : result
    } catch (cause) {
      throw translate(cause)
    }
  }

const isAsyncIterable = (value: unknown): value is AsyncIterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value

async function* iterate(
  items: AsyncIterable<unknown>,
  translate: (cause: unknown) => unknown,
): AsyncGenerator {
  try {
    yield* items
  } catch (cause) {
    throw translate(cause)
  }
}

function explanation(file: string, cause: unknown): unknown {
  if (!(cause instanceof Error) || !('errcode' in cause)) return cause
  // The lower byte is the primary code.
  const why = MEANINGS.get(Number(cause.errcode) & 0xff)
  return new Error(`${file} ${why ?? `cannot be used: ${cause.message}`}`, { cause })
}
