// A page that says why there is no other.
import { html } from '../text/html.ts'
import type { PageContent } from './layout.ts'

export type MessagePageInput = {
  readonly title: string
  readonly message: string
  /** Of the page in whose place it is shown. */
  readonly path?: string
  /** Where to go on; to all computes when absent. */
  readonly ways?: readonly (readonly [path: string, name: string])[]
}

const FLEET = ['/', 'All computes'] as const

export const messagePage = ({
  title,
  message,
  path = '',
  ways = [FLEET],
}: MessagePageInput): PageContent => ({
  title,
  path,
  main: html`<h1>${title}</h1>
    <p class="nothing"><bdi>${message}</bdi></p>
    ${ways.map(([to, name]) => html`<p><a href="${to}">${name}</a></p>`)}`,
})
