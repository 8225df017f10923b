// RFC 4180, and nothing in it that a spreadsheet would take for a formula.

/** Null is an empty cell. */
export type CsvCell = string | number | null

/** One line with its end. */
export const csvLine = (cells: readonly CsvCell[]): string => `${cells.map(cellText).join(',')}\r\n`

function cellText(cell: CsvCell): string {
  if (cell === null) return ''
  // A number may begin with a minus; text that begins as a formula does gets an apostrophe, which shows as nothing.
  const text = typeof cell === 'string' ? cell.replace(/^[=+\-@\t\r]/, "'$&") : String(cell)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
