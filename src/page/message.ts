// A page that says why there is no other.
import { html } from '../report/markup.ts'
import type { Page } from './layout.ts'

export const messagePage = (title: string, message: string, isDeadEnd = true): Page => ({
  title,
  path: '',
  main: html`<h1>${title}</h1>
    <p class="nothing"><bdi>${message}</bdi></p>
    ${isDeadEnd && html`<p><a href="/">All computes</a></p>`}`,
})
