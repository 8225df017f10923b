import type { Sink } from '../../model/output/message.ts'
import type { Clock } from '../../model/ports/clock.ts'
import type { Result } from '../../std/result.ts'
import { postJson } from './post.ts'

export type SlackOptions = { readonly url: () => Result<string, string>; readonly clock: Clock }

/** Characters of a text. Source: Slack, "Sending messages using incoming webhooks": longer ones are cut or refused. */
const LONGEST = 3000

/**
 * An incoming webhook of Slack, or of what speaks like it. Its channel is that of the address. Source: Slack, "Sending messages using
 * incoming webhooks": the channel cannot be overridden; those older than apps could, and some refuse such messages with 404 by now.
 */
export const createSlackSink =
  ({ url, clock }: SlackOptions): Sink =>
  ({ text, slack }, signal) => {
    const body = slack ?? { text: escaped(text).slice(0, LONGEST) }
    return postJson({ url, headers: {}, body: JSON.stringify(body) }, clock, signal)
  }

/** The characters that Slack makes links and mentions of. Source: Slack, "Formatting text for app surfaces". */
const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
