// On a phone each row becomes a block with every value below its column title, so that none is cut off.
import { html, type Html, type HtmlPart } from './html.ts'

export type TableHeading = Readonly<{
  title: string
  /** `words`: sentences, with a line of their own in a block. */
  kind: 'name' | 'number' | 'words'
}>

export const headings = (kinds: Readonly<Record<string, TableHeading['kind']>>): readonly TableHeading[] =>
  Object.entries(kinds).map(([title, kind]) => ({ title, kind }))

type TableRows = Readonly<{
  label: string
  columns: readonly TableHeading[]
  /** The first cell is the heading. */
  rows: readonly (readonly HtmlPart[])[]
}>

/** Any screen has room for them. */
const MAX_NARROW_COLUMNS = 2

export const tableHtml = (table: TableRows): Html =>
  html`<div class="wide" tabindex="0" role="region" aria-label="${table.label}">
    ${table.columns.length > MAX_NARROW_COLUMNS ? stackedHtml(table) : narrowHtml(table)}
  </div>`

/** Explicit roles: some browsers drop table semantics when CSS displays rows as blocks. */
const stackedHtml = ({ label, columns, rows }: TableRows) =>
  html`<table class="stack" role="table">
    <caption class="hidden">
      ${label}
    </caption>
    <thead role="rowgroup">
      <tr role="row">
        ${columns.map(({ title, kind }) => html`<th scope="col" role="columnheader" class="${kind}">${title}</th>`)}
      </tr>
    </thead>
    <tbody role="rowgroup">
      ${rows.map(
        ([first, ...cells]) =>
          html`<tr role="row">
            <th scope="row" role="rowheader">${first}</th>
            ${cells.map((cell, index) => stackedCell(cell, columns[index + 1]))}
          </tr>`,
      )}
    </tbody>
  </table>`

const stackedCell = (cell: HtmlPart, { title, kind }: TableHeading = { title: '', kind: 'name' }) =>
  html`<td role="cell" class="${kind}" data-label="${title}">${cell}</td>`

const narrowHtml = ({ label, columns, rows }: TableRows) =>
  html`<table>
    <caption class="hidden">
      ${label}
    </caption>
    ${
      columns.some(({ title }) => title !== '') &&
      html`<thead>
        <tr>
          ${columns.map(({ title, kind }) => (title === '' ? html`<td></td>` : html`<th scope="col" class="${kind}">${title}</th>`))}
        </tr>
      </thead>`
    }
    <tbody>
      ${rows.map(
        ([first, ...cells]) =>
          html`<tr>
            <th scope="row">${first}</th>
            ${cells.map((cell, index) => html`<td class="${columns[index + 1]?.kind ?? 'name'}">${cell}</td>`)}
          </tr>`,
      )}
    </tbody>
  </table>`
