import { Command } from 'commander'
import { createClock } from '../../daemon/clock.ts'
import { parseDismissal } from '../../daemon/http/api/recommendation-routes.ts'
import { stateText } from '../../outputs/text/recommendation-text.ts'
import type { RecommendationJson } from '../../outputs/text/recommendation-schema.ts'
import { sanitize } from '../../std/sanitize.ts'
import { namedByOptions, withApiOptions, type ApiOptions } from '../connect/daemon.ts'
import { fieldOf } from '../../std/field.ts'
import { commandDaemon } from '../connect/command.ts'
import { EXIT, failUsage, jsonText, type CommandSession, type Io } from '../terminal/io.ts'

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
  const path = `/api/v1/recommendations/${encodeURIComponent(id)}/dismiss`
  const answer = await commandDaemon(options, io, { path, isExpected, ...request })
  if (!answer.ok) return answer.error
  const dismissed = answer.value
  io.out(options.json ? jsonText(dismissed) : sanitize(`${dismissed.id}: ${stateText(dismissed, '')}`))
  return EXIT.ok
}

const isExpected = (body: unknown): body is RecommendationJson =>
  ['id', 'state', 'ended'].every((field) => fieldOf(body, field) !== undefined)

/** Checked before a daemon is asked. */
function requestOf({ reason, until, undo }: Options) {
  if (undo)
    return reason === undefined && until === undefined
      ? ({ method: 'DELETE' } as const)
      : '--undo: expected neither --reason nor --until beside it'
  const body = { reason, ...(until !== undefined && { until }) }
  const parsed = parseDismissal(body, createClock().now())
  return parsed.ok ? ({ method: 'POST', body: JSON.stringify(body) } as const) : namedByOptions(parsed.error)
}
