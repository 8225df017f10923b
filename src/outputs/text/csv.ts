// RFC 4180, without text that a spreadsheet would evaluate as a formula, also if it takes another character for the separator.

/** Null and undefined are empty cells. */
export type CsvCell = string | number | null | undefined

/** Before the first character of a formula, where a cell, a line or, with another separator, a field begins. Full-width forms count in some languages. */
const FORMULA = /^(?=[\t\r\n])|(?<=^|[\r\n\t;|])(?=[\s"]*[=+\-@＝＋－＠])/g

export const csvLine = (cells: readonly CsvCell[]): string => `${cells.map(cellText).join(',')}\r\n`

function cellText(cell: CsvCell) {
  if (cell === null || cell === undefined) return ''
  // only text gets the apostrophe, which spreadsheets hide: numbers may begin with a minus
  const text = typeof cell === 'string' ? cell.replaceAll(FORMULA, "'") : String(cell)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
