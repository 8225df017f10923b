// The one place where text becomes part of a statement: the simple protocol takes no parameters.

/** A string as an SQL literal. */
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** An array of names as an SQL literal. */
export const nameArray = (names: readonly string[]): string =>
  `array[${names.map(literal).join(', ')}]::name[]`

/** A name as an SQL identifier. */
export const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`
