// What the colours and heights of strips mean.
import { html, type Html } from '../text/html.ts'

/** A stroke of each state, as a strip has it. */
export const timelineLegend = (): Html =>
  html`<ul class="legend" aria-label="Strips">
    ${LEGEND.map(
      ([state, path, words]) =>
        html`<li>
          <svg class="strip" viewBox="0 0 24 16" aria-hidden="true"><path class="${state}" d="${path}" /></svg
          >${words}
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
