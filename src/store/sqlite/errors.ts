// Errors of SQLite, translated for the operator.

/** Primary result codes. Source: SQLite, "Result and Error Codes". */
const BUSY = 5
const READ_ONLY = 8
const INPUT_OUTPUT = 10
const CORRUPT = 11
const FULL = 13
const NO_DATABASE = 26

/** Runs `work` and translates errors of SQLite into errors with `file` and the remedy. */
export async function withStoreErrors<Value>(
  file: string,
  work: () => Value | Promise<Value>,
): Promise<Value> {
  try {
    return await work()
  } catch (cause) {
    throw explanation(file, cause)
  }
}

/** `withStoreErrors` for asynchronous iteration. */
export async function* withStoreErrorsEach<Item>(
  file: string,
  items: AsyncIterable<Item>,
): AsyncGenerator<Item> {
  try {
    yield* items
  } catch (cause) {
    throw explanation(file, cause)
  }
}

/** `withStoreErrors` for synchronous work. */
export function withStoreErrorsSync<Value>(file: string, work: () => Value): Value {
  try {
    return work()
  } catch (cause) {
    throw explanation(file, cause)
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
