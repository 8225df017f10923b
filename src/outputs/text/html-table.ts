// Tables of pages: on a telephone each row is a block in which every value is told under its name, so that none is cut.
import { html, type Html, type HtmlPart } from './html.ts'

export type TableHeading = {
  readonly title: string
  /** Sentences have a line of their own where rows are blocks. */
  readonly kind: 'name' | 'number' | 'words'
}

export type TableRows = {
  readonly label: string
  readonly columns: readonly TableHeading[]
  /** The first cell of each says what the row is about. */
  readonly rows: readonly (readonly HtmlPart[])[]
}

/** Of so few columns a row fits any screen. */
const NARROW = 2

export const tableHtml = ({ label, columns, rows }: TableRows): Html =>
  html`<div class="wide" tabindex="0" role="region" aria-label="${label}">
    ${columns.length > NARROW ? stackedHtml({ label, columns, rows }) : narrowHtml({ label, columns, rows })}
  </div>`

/** The roles are told again: some browsers forget them where rows are not shown as rows. */
const stackedHtml = ({ label, columns, rows }: TableRows): Html =>
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

const stackedCell = (cell: HtmlPart, { title, kind }: TableHeading = { title: '', kind: 'name' }): Html =>
  html`<td role="cell" class="${kind}" data-label="${title}">${cell}</td>`

const narrowHtml = ({ label, columns, rows }: TableRows): Html =>
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
