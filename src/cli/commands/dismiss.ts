import { Command } from 'commander'
import { createClock } from '../../daemon/clock.ts'
import { parseDismissal } from '../../daemon/http/api/recommendation-routes.ts'
import { stateText } from '../../outputs/text/recommendation-text.ts'
import type { RecommendationJson } from '../../outputs/text/recommendation-schema.ts'
import { sanitize } from '../../std/sanitize.ts'
import { answerJson, askDaemon, daemonApi, withApiOptions, type ApiOptions } from '../connect/daemon.ts'
import { EXIT, failText, failUsage, jsonText, type CommandSession, type Io } from '../terminal/io.ts'

type Options = ApiOptions & Readonly<{ reason?: string; until?: string; undo?: boolean }>

export const createDismissCommand = ({ io, end }: CommandSession) =>
  withApiOptions(new Command('dismiss'))
    .description(
      'put a recommendation aside, or take that back; needs a running daemon, and a token of scope operate',
    )
    .argument('<id>', 'id of the recommendation, such as ep-cool-name-a1b2c3.delay.1')
    .option('--reason <text>', 'why; reports show it')
    .option('--until <time>', 'a day (UTC) or an instant (default: until its saving has doubled)')
    .option('--undo', 'open it again')
    .option('--json', 'print JSON')
    .action((id: string, options: Options) => end(dismiss(id, options, io)))

async function dismiss(id: string, options: Options, io: Io) {
  const request = requestOf(options)
  if (typeof request === 'string') return failUsage(io, request)
  const target = daemonApi(options, io)
  if (!target.ok) return failUsage(io, ...target.error)
  const path = `/api/v1/recommendations/${encodeURIComponent(id)}/dismiss`
  const answer = await answerJson(await askDaemon(target.value.api, path, { ...request, signal: io.signal }))
  if (!answer.ok) {
    const { message, status = 0 } = answer.error
    // what was asked for cannot be done: another id, reason, time or token is needed
    return status >= 400 && status < 500 ? failUsage(io, message) : failText(io, message)
  }
  const dismissed = answer.value as RecommendationJson
  io.out(options.json ? jsonText(dismissed) : sanitize(`${dismissed.id}: ${stateText(dismissed, '')}`))
  return EXIT.ok
}

/** Checked before a daemon is asked. */
function requestOf({ reason, until, undo }: Options) {
  if (undo)
    return reason === undefined && until === undefined
      ? ({ method: 'DELETE' } as const)
      : '--undo: expected neither --reason nor --until beside it'
  const body = { reason, ...(until !== undefined && { until }) }
  const parsed = parseDismissal(body, createClock().now())
  return parsed.ok ? ({ method: 'POST', body: JSON.stringify(body) } as const) : `--${parsed.error}`
}
