// The legend of awake timelines.
import { html, type Html } from '../text/html.ts'

export const timelineLegend = (): Html =>
  html`<ul class="legend" aria-label="Legend of the awake timelines">
    ${LEGEND.map(
      ([state, path, text]) =>
        html`<li>
          <svg class="timeline" viewBox="0 0 24 16" aria-hidden="true">
            <path class="${state}" d="${path}" /></svg
          >${text}
        </li>`,
    )}
  </ul>`

const LEGEND = [
  ['busy', 'M0 8h24', 'in use'],
  ['tail', 'M0 12h24', 'idle tail: awake, waiting for the delay'],
  ['asleep', 'M0 15h24', 'asleep'],
  ['unknown', 'M0 13h24', 'not known'],
  ['restart', 'M12 -4v20', 'restart'],
  ['day', 'M12 0v16', 'a day begins'],
] as const
