// Report as one HTML file, which loads nothing and runs nothing.
import { createHash } from 'node:crypto'
import { renderPageHtml } from './page-html.ts'
import { html } from '../../text/html.ts'
import { buildOutline } from '../outline.ts'
import type { Report } from '../schema.ts'

/** A mail with the page attached stays below 1 MB. */
const MAX_ROWS = 1000

const STYLE = `
:root { color-scheme: light dark; --page: light-dark(#f6f7f9, #14171c); --card: light-dark(#fff, #1b1f26);
  --line: light-dark(#dfe3e8, #2d333d); --text: light-dark(#1a1f27, #e4e8ee); --soft: light-dark(#566070, #9aa5b4);
  --busy: light-dark(#3f63d8, #7d9bff); --asleep: light-dark(#7d8796, #6d7888); --bad: light-dark(#b3261e, #ff8f85);
  font: 15px/1.5 system-ui, sans-serif; color: var(--text); background: var(--page) }
body { max-width: 1000px; margin: 0 auto; padding: 20px }
h1 { font-size: 24px } h2 { font-size: 17px; margin: 0 0 10px }
h3 { font-size: 15px; margin: 18px 0 4px } h1, h2, h3, p, th, td, li { overflow-wrap: anywhere }
.details { margin: 0; padding-left: 20px } code { font: 13px/1.4 ui-monospace, monospace }
.lead { font-size: 17px } .about, figcaption, thead th { color: var(--soft); font-size: 13px }
section { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 18px 20px; margin-bottom: 20px }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums }
th, td { padding: 6px 10px; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line) }
.number { text-align: right; white-space: nowrap } .wide { overflow-x: auto } .wide + .wide { margin-top: 18px }
.wide td, .wide th { min-width: 90px } .wide .words { min-width: 110px } .wide tbody th { min-width: 140px }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
figure { margin: 0 0 16px } .fans { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(260px, 100%), 1fr)); gap: 16px }
svg { display: block; width: 100%; max-width: 640px } svg path { fill: none; stroke-width: 1.5 }
svg text { font-size: 13px; fill: var(--text) } .bars .label { fill: var(--soft) } .bars .amount { text-anchor: end }
.bars .spent { fill: var(--busy) } .bars .before { fill: var(--asleep) } .axis { stroke: var(--soft) }
.ends { display: flex; justify-content: space-between; max-width: 640px; margin: 0; font-size: 12px; color: var(--soft) }
.fan .band { fill: var(--busy); fill-opacity: .22; stroke: var(--busy); stroke-width: 1 } .fan .likely { stroke: var(--busy); stroke-dasharray: 5 4 }
.fan .spent { stroke: var(--busy); stroke-width: 2.5 } .fan .today { stroke: var(--asleep) } .fan .limit { stroke: var(--bad) }
.key { display: inline-block; margin-right: 10px } .key::before { content: ''; display: inline-block; width: 18px; margin-right: 6px;
  vertical-align: middle; border-top: 3px solid var(--busy) }
.key.before::before { border-color: var(--asleep) } .key.limit::before { border-color: var(--bad) }
.key.likely::before { border-top-style: dashed } .fans figcaption b { display: block }
.key.today::before { width: 0; height: 12px; border-top: 0; border-left: 2px solid var(--asleep) }
@media (max-width: 820px) {
  .stack, .stack tbody { display: block }
  .stack thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
  .stack tr { display: grid; grid-template-columns: repeat(auto-fill, minmax(120px, 1fr)); gap: 6px 12px; padding: 10px 0; border-bottom: 1px solid var(--line) }
  .stack td, .stack th[scope='row'] { min-width: 0; padding: 0; border: 0; text-align: left; white-space: normal }
  .stack th[scope='row'], .stack td.words { grid-column: 1 / -1 }
  .stack td::before { content: attr(data-label); display: block; font-size: 12px; color: var(--soft) }
  .stack td:empty { display: none }
}
@media print { section { break-inside: avoid; border: 0; padding: 0 } }
`

/** From a disk there are no headers: the page carries its policy, which allows its style by digest. */
const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'`

export const renderFullHtml = (report: Report): string =>
  [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8" />',
    `<meta http-equiv="Content-Security-Policy" content="${POLICY}" />`,
    '<meta name="viewport" content="width=device-width, initial-scale=1" />',
    `<title>${html`${buildOutline(report).title}`.text}</title>`,
    `<style>${STYLE}</style></head>`,
    `<body><main>${renderPageHtml(report, MAX_ROWS).text}</main></body></html>`,
    '',
  ].join('\n')
