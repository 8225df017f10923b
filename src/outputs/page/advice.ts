// Recommendation on a page: words, curve, request.
import { html, type Html } from '../text/html.ts'
import { settingCurve } from '../charts/setting-curve.ts'
import type { TargetAdviceJson, RecommendationJson } from '../text/recommendation-schema.ts'
import { adviceCommands, implementationLines } from '../text/recommendation-list.ts'
import { noWakeLines, recommendationLines, recommendationSummary } from '../text/recommendation-text.ts'
import { reasonGroups, withheldText } from '../text/withheld-text.ts'
import { withLocalTimes, type LocalNow } from './timestamps.ts'

/** Section of a compute's page. */
export function adviceSection(
  { currency, recommendations, withheld, noWakeCosts }: TargetAdviceJson,
  now: LocalNow,
): Html {
  const groups = reasonGroups(withheld)
  const isEmpty = recommendations.length === 0 && groups.length === 0
  return html`<section id="recommendations">
    <h2>Recommendations</h2>
    ${isEmpty && html`<p class="about">${withheld.length === 0 ? NOT_JUDGED : 'Nothing to change.'}</p>`}
    ${recommendations.map(
      (one) =>
        html`<article class="advice ${one.state}">
          <h3><bdi>${withLocalTimes(recommendationSummary(one, currency), now)}</bdi></h3>
          ${settingCurve(one, currency)}
          ${detailsHtml(one, [...recommendationLines(one, currency), ...noWakeLines(noWakeCosts.get(one.id), currency)], now)}
        </article>`,
    )}
    ${groups.map(
      ({ heading, reasons }) =>
        html`<h3>${heading.charAt(0).toUpperCase() + heading.slice(1)}</h3>
          <ul class="plain">
            ${reasons.map((one) => html`<li>${withLocalTimes(withheldText(one, currency), now)}</li>`)}
          </ul>`,
    )}
  </section>`
}

const NOT_JUDGED = 'It has not been judged yet: that happens beside the passes, once a day.'

/** @param lines below the summary; the commands follow */
export const detailsHtml = (one: RecommendationJson, lines: readonly string[], now: LocalNow): Html =>
  html`<ul class="plain">
      ${lines.map((line) => html`<li><bdi>${withLocalTimes(line, now)}</bdi></li>`)}
    </ul>
    ${implementationLines(one).map((line) => html`<p><code>${line}</code></p>`)}
    ${one.state === 'open' && adviceCommands(one).map((command) => html`<p><code>${command}</code></p>`)}`
