// Words of recommended defaults of a project.
import { countWithNoun } from './amounts.ts'
import type { RecommendationJson, SettingJson } from './recommendation-schema.ts'
import { WITHHELD_TEXTS } from './withheld-text.ts'

type DefaultsDetail = NonNullable<RecommendationJson['detail']> & { readonly kind: 'defaults' }

/** What recommended defaults of a project are judged by, and what they change, a line each. */
export const defaultsLines = (
  { delay_seconds: delay, min_cu: min }: SettingJson,
  { lives, at_once: atOnce, keeps }: DefaultsDetail,
) => {
  const what = delay === undefined ? 'size' : min === undefined ? 'delay' : 'delay and size'
  // absent in reports of earlier versions
  const { delay: delayKept, sizing: sizeKept } = keeps ?? { delay: null, sizing: null }
  return [
    `judged by ${countWithNoun(lives, 'deleted compute')}: new ones have this ${what} unless they are made with another`,
    ...(atOnce === 0
      ? []
      : [
          `another default delay changes ${countWithNoun(atOnce, 'existing compute')} at once: those without a delay of their own`,
        ]),
    ...(min === undefined ? [] : ['existing computes keep their sizes']),
    ...(delayKept ? [`the default delay stays: ${WITHHELD_TEXTS[delayKept]}`] : []),
    ...(sizeKept ? [`the default size stays: ${WITHHELD_TEXTS[sizeKept]}`] : []),
  ]
}
