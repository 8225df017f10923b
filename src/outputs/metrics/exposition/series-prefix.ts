// How the line of a series begins, up to its value.
import { PREFIX } from '../catalogue.ts'
import type { Family } from '../catalogue/family.ts'
import { labelText } from './format.ts'

type Named = Pick<Family, 'name' | 'type' | 'labels'>

/** Label values of a series: of a histogram, one more says which of its lines it is, `sum`, `count`, or the bound of a bucket. */
export const labelCount = ({ type, labels }: Named): number => labels.length + Number(type === 'histogram')

export function seriesPrefix({ name, type, labels: names }: Named, values: readonly string[]): string {
  if (type !== 'histogram') return `${PREFIX}${name}${labelText(names, values)} `
  const line = values.at(-1)
  return line === 'sum' || line === 'count'
    ? `${PREFIX}${name}_${line}${labelText(names, values)} `
    : `${PREFIX}${name}_bucket${labelText([...names, 'le'], values)} `
}
