// Errors of SQLite, translated for the operator.

/** Primary result codes. Source: SQLite, "Result and Error Codes". */
const BUSY = 5
const READ_ONLY = 8
const INPUT_OUTPUT = 10
const CORRUPT = 11
const FULL = 13
const NO_DATABASE = 26

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
  const why = meaning(Number(cause.errcode) & 0xff)
  return new Error(`${file} ${why ?? `cannot be used: ${cause.message}`}`, { cause })
}

function meaning(code: number): string | undefined {
  switch (code) {
    case CORRUPT:
    case NO_DATABASE:
      return 'is damaged; it was left as it is: put back a copy, or move it away and Dormouse begins anew'
    case FULL:
      return 'cannot grow: the disk is full'
    case READ_ONLY:
      return 'cannot be written: it is read-only'
    case INPUT_OUTPUT:
      return 'cannot be read or written: the disk fails'
    case BUSY:
      return 'is held by another program'
    default:
      return undefined
  }
}
