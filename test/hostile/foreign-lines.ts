// Lines of an exposition that the catalogue does not describe.
import { CATALOGUE, FAMILY_KEYS, PREFIX, type FamilyKey } from '../../src/outputs/metrics/catalogue.ts'
import { headText, type ExpositionFormat } from '../../src/outputs/metrics/exposition/format.ts'

const LABEL_VALUE = String.raw`"(?:[^"\\\n]|\\["\\n])*"`
const NUMBER = String.raw`(?:[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?)`

const labelSet = (names: readonly string[]) =>
  names.length === 0 ? '' : String.raw`\{${names.map((name) => `${name}=${LABEL_VALUE}`).join(',')}\}`

/** The client library writes the labels in an order of its own. */
const anyOrder = (name: string, labels: readonly string[]) =>
  String.raw`${name}(?:_sum|_count|_bucket)?(?:\{(?:(?:${labels.join('|')})=${LABEL_VALUE},?)*\})?`

/** Lines of samples of a family, without its values. */
function lineOf(key: FamilyKey): string {
  const { type, labels, owner } = CATALOGUE[key]
  if (owner === 'self') return anyOrder(PREFIX + key, [...labels, 'le'])
  const name = PREFIX + key
  if (type !== 'histogram') return name + labelSet(labels)
  return `${name}_(?:sum|count)${labelSet(labels)}|${name}_bucket${labelSet([...labels, 'le'])}`
}

const SAMPLE = new RegExp(`^(?:${FAMILY_KEYS.map(lineOf).join('|')}) ${NUMBER}$`)

const OF_PROCESS = /^(?:# (?:HELP|TYPE|UNIT) )?(?:process|nodejs)_/

const headsOf = (format: ExpositionFormat) =>
  new Set([
    '# EOF',
    ...FAMILY_KEYS.flatMap((key) => {
      const { help, type } = CATALOGUE[key]
      return headText({ name: PREFIX + key, help, type }, format).split('\n')
    }),
  ])

/** Lines that no family of the catalogue has, and that do not describe the process. */
export function foreignLines(body: string, format: ExpositionFormat = 'text'): readonly string[] {
  const heads = headsOf(format)
  return body.split('\n').filter((line) => !heads.has(line) && !SAMPLE.test(line) && !OF_PROCESS.test(line))
}
