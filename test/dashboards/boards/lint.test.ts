import { expect, test } from 'vitest'
import { boardJson } from '../../../dashboards/boards/board.ts'
import { BOARDS } from '../../../dashboards/boards/boards.ts'
import { testWith } from '../../support/tiers.ts'
import { EXCEPTIONS, RULES, type Linted, type LintRule } from './lint.ts'

const boards = (): Linted[] => BOARDS.map((board) => JSON.parse(JSON.stringify(boardJson(board))) as Linted)

const testOf = ({ needs }: LintRule): typeof test => (needs === undefined ? test : testWith(needs))

/** Rule → a board that breaks it. */
const WRONG: Readonly<Record<string, (board: Linted) => void>> = {
  'template-datasource-rule': ({ templating }) => void templating.list.shift(),
  'template-job-rule': (board) => Object.assign(variable(board, 'job'), { multi: false }),
  'template-instance-rule': () => undefined,
  'template-label-promql-rule': (board) =>
    Object.assign(variable(board, 'team'), { query: { query: 'label_values(up{job=~}, team)' } }),
  'template-on-time-change-reload-rule': (board) => Object.assign(variable(board, 'compute'), { refresh: 1 }),
  'panel-datasource-rule': (board) => Object.assign(panel(board), { datasource: { uid: 'prometheus' } }),
  'panel-title-description-rule': (board) => Object.assign(panel(board), { description: '' }),
  'panel-units-rule': (board) => Object.assign(panel(board), { fieldConfig: { defaults: { unit: 'CU' } } }),
  'panel-no-targets-rule': (board) => Object.assign(panel(board), { targets: [] }),
  'target-promql-rule': asking('sum(dormouse_series{job=~"$job"}'),
  'target-rate-interval-rule': asking('rate(dormouse_x_total{job=~"$job"}[5m])'),
  'target-job-rule': asking('dormouse_series{state="active"}'),
  'target-instance-rule': () => undefined,
  'target-counter-agg-rule': asking('sum(dormouse_x_total{job=~"$job"})'),
  'uneditable-dashboard': (board) => Object.assign(board, { editable: true }),
}

function asking(expr: string) {
  return (board: Linted): void => {
    const [target] = panel(board).targets ?? []
    Object.assign(target ?? {}, { expr })
  }
}

function panel({ panels }: Linted): Linted['panels'][number] {
  const found = panels.find(({ targets = [] }) => targets.length > 0)
  if (!found) throw new Error('no panel asks anything')
  return found
}

function variable({ templating }: Linted, name: string): object {
  const found = templating.list.find((one) => one.name === name)
  if (!found) throw new Error(`no variable ${name}`)
  return found
}

for (const rule of RULES) {
  const { name, check } = rule
  testOf(rule)(`${name}: finds what is wrong, and nothing in the boards`, () => {
    const problems = boards().flatMap(check)
    if (name in EXCEPTIONS) expect(problems).not.toEqual([])
    else expect(problems).toEqual([])
    const [wrong] = boards()
    if (!wrong) throw new Error('no board')
    WRONG[name]?.(wrong)
    expect(check(wrong)).not.toEqual([])
  })
}

test('every exception names a rule', () => {
  const names = RULES.map(({ name }) => name)
  expect(Object.keys(EXCEPTIONS).filter((name) => !names.includes(name))).toEqual([])
  expect(names.toSorted()).toEqual(Object.keys(WRONG).toSorted())
})
