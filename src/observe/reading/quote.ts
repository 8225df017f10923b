// The only place where text becomes part of a statement: the simple protocol takes no parameters.

/** A string as an SQL literal. */
export const quoteLiteral = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** An array of names as an SQL literal. */
export const quoteNameArray = (names: readonly string[]): string =>
  `array[${names.map(quoteLiteral).join(', ')}]::pg_catalog.name[]`

/** A name as an SQL identifier. */
export const quoteIdentifier = (name: string): string => `"${name.replaceAll('"', '""')}"`
