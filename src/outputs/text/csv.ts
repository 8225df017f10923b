// RFC 4180, without cells that a spreadsheet would evaluate as formulas.

/** Null and undefined are empty cells. */
export type CsvCell = string | number | null | undefined

export const csvLine = (cells: readonly CsvCell[]): string => `${cells.map(cellText).join(',')}\r\n`

function cellText(cell: CsvCell) {
  if (cell === null || cell === undefined) return ''
  // only text gets the apostrophe, which spreadsheets hide: numbers may begin with a minus
  const text = typeof cell === 'string' ? cell.replace(/^[=+\-@\t\r]/, "'$&") : String(cell)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
