import fc from 'fast-check'
import { expect, test } from 'vitest'
import { csvLine, type CsvCell } from '../../../src/outputs/text/csv.ts'
import { check } from '../../support/property.ts'

test.each<readonly [readonly CsvCell[], string]>([
  [['a', 'b', null, 1.5], 'a,b,,1.5\r\n'],
  [['a,b', 'say "hi"', 'two\nlines', 'and\r\nmore'], '"a,b","say ""hi""","two\nlines","and\r\nmore"\r\n'],
  [['', null], ',\r\n'],
  [['=1+1', '+1', '-1', '@sum', '\tx', '\rx'], "'=1+1,'+1,'-1,'@sum,'\tx,\"'\rx\"\r\n"],
  [['=HYPERLINK("http://x","y")'], '"\'=HYPERLINK(""http://x"",""y"")"\r\n'],
  [[-1.5, 0, 1e21], '-1.5,0,1e+21\r\n'],
  [['a=b', "'", 'a-b', 'eu; west'], "a=b,',a-b,eu; west\r\n"],
  [[' =1', 'a\n=1', 'a\t=1', 'a;=1', 'a; "+1', '=1;=2'], `' =1,"a\n'=1",a\t'=1,a;'=1,"a;' ""+1",'=1;'=2\r\n`],
  [['＝1', '＋1', 'a;－1', '＠x', '"=1'], `'＝1,'＋1,a;'－1,'＠x,"'""=1"\r\n`],
])('%j is written as %j', (cells, line) => {
  expect(csvLine(cells)).toBe(line)
})

/** A reader of RFC 4180 that knows nothing of the writer. */
function parsed(line: string): string[] {
  const cells: string[] = []
  let rest = line
  for (;;) {
    const quoted = /^"((?:[^"]|"")*)"(,|\r\n)/.exec(rest)
    const [whole = '', text = '', end = ''] = quoted ?? /^([^",\r\n]*)(,|\r\n)/.exec(rest) ?? []
    cells.push(quoted ? text.replaceAll('""', '"') : text)
    rest = rest.slice(whole.length)
    if (end !== ',') return rest === '' ? cells : [...cells, `left over: ${rest}`]
  }
}

test('any text comes back as it was, but for apostrophes before what would be a formula', () => {
  const text = fc.string({ unit: fc.constantFrom(...'=+-@＝\t\r\n",;|\'a1 é'.split('')), maxLength: 6 })
  check(
    fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), (cells) => {
      const line = csvLine(cells)
      const read = parsed(line)
      expect(read.map((cell) => cell.replaceAll("'", ''))).toEqual(
        cells.map((cell) => cell.replaceAll("'", '')),
      )
      expect(read.filter((cell) => /^[\s"]*[=+\-@＝]/.test(cell))).toEqual([])
      for (const separator of [';', '\t', '|'])
        expect(fieldsOf(line, separator).filter((field) => /^[\s"]*[=+\-@＝]/.test(field))).toEqual([])
    }),
    500,
  )
})

/** As a spreadsheet reads it that takes another character for the separator and knows no quotes. */
const fieldsOf = (line: string, separator: string): readonly string[] =>
  line.split(/\r\n|\r|\n/).flatMap((row) => row.split(separator))
